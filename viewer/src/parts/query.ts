/** Something asked from the server for a view: the newest question wins, the answer before it stays until then. */
import { useEffect, useState } from "preact/hooks";
import { renewIfDropped } from "../store";

export interface QueryResult<Answer> {
  answer: Answer | null;
  problem: string | null;
  busy: boolean;
  /** The answer is one to an earlier question. */
  late: boolean;
}

interface QueryState<Answer> extends Omit<QueryResult<Answer>, "late"> {
  /** What the answer is of. */
  of: unknown[];
}

const same = (before: unknown[], now: unknown[]): boolean =>
  before.length === now.length && before.every((value, index) => Object.is(value, now[index]));

export function useQuery<Answer>(
  ask: ((signal: AbortSignal) => Promise<Answer>) | null,
  of: unknown[],
  wait = 0,
): QueryResult<Answer> {
  const [state, set] = useState<QueryState<Answer>>({ answer: null, problem: null, busy: ask !== null, of });
  useEffect(() => {
    if (!ask) return set({ answer: null, problem: null, busy: false, of });
    const stop = new AbortController();
    set((before) => ({ ...before, busy: true }));
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(stop.signal);
        if (!stop.signal.aborted) set({ answer, problem: null, busy: false, of });
      } catch (problem) {
        if (stop.signal.aborted) return;
        const line = problem instanceof Error ? problem.message : String(problem);
        set((before) => (renewIfDropped(problem) ? before : { answer: null, problem: line, busy: false, of }));
      }
    }, wait);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, of);
  return { ...state, late: state.answer !== null && !same(state.of, of) };
}
