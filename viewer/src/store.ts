/** The one store: which models there are, the run that is shown, the one it is compared with, and where the pointer is. */
import { batch, computed, effect, signal } from "@preact/signals";
import { address, go, noted, part, type Change, type Edit, type Scale, type Spot } from "./address";
import {
  api,
  ask,
  Refused,
  type Ask,
  type Model,
  type Models,
  type Place,
  type Progress,
  type Row,
  type Run,
} from "./api";

export interface Going {
  progress: Progress | null;
  /** What is being run: the plain answer, or the edited one that is compared with it. */
  edited: boolean;
}

export const models = signal<Models | null>(null);
export const unreachable = signal<string | null>(null);
/** What is shown. */
export const run = signal<Run | null>(null);
/** The same without edits. */
export const base = signal<Run | null>(null);
export const going = signal<Going | null>(null);
export const failure = signal<string | null>(null);
export const hover = signal<Spot | null>(null);
/** The row of the token that is spoken of, in the chosen layer and head. */
export const looked = signal<Row | null>(null);
/** What a view says about the mark under the pointer, before the line speaks of tokens. */
export const pointed = signal<string | null>(null);
export const toast = signal<string | null>(null);

const text = part("text");
const chosenModel = part("model");
export const changes = part("changes");

export const modelName = computed(() => {
  const known = models.value;
  const usable = known?.models.find((model) => !model.problem)?.name;
  return chosenModel.value || known?.first || usable || "";
});
export const model = computed<Model | null>(
  () => models.value?.models.find((one) => one.name === modelName.value) ?? null,
);

/** The layer that is looked at: the chosen one, else the last that looks across, else the last. */
export const place = computed<Place | null>(() => {
  const places = run.value?.places ?? [];
  const wanted = address.value.place;
  return (
    places.find((one) => one.name === wanted) ??
    places.findLast((one) => one.rows !== one.columns) ??
    places.at(-1) ??
    null
  );
});
export const head = computed(() => Math.min(address.value.head, (place.value?.heads ?? 1) - 1));
export const pins = part("pins");
/** Long texts spread their weights thin: there the logarithm shows them. */
export const scale = computed<Scale>(() => address.value.scale ?? ((place.value?.keys ?? 0) > 64 ? "log" : "linear"));

/** A model of which the server does not know yet what it does. */
const isAwaited = (one: Model | null): boolean => one !== null && !one.task && !one.problem;

const atMost = (value: number | null, most: number): number | null => (value === null ? null : Math.min(value, most));

const written = (name: string): number | null => {
  const value = Number(noted(name));
  return Number.isInteger(value) && value > 0 ? value : null;
};

const LONG = 16_000; // letters

/** What the address asks the server for. */
const wanted = computed<Omit<Ask, "edits" | "base" | "page"> | null>(() => {
  const name = modelName.value;
  const task = model.value?.task ?? "";
  const bounds = models.value?.bounds;
  if (!bounds || !name || !text.value || isAwaited(model.value)) return null;
  const heat = Number(noted("temperature"));
  const writes = task === "generate" || task === "translate";
  const goesOn = task === "generate" && text.value.length < LONG; // a longer text is only read, unless somebody asks
  const sample =
    writes && heat > 0 ? { temperature: Math.min(heat, 100), top_k: 0, top_p: 1, seed: written("seed") ?? 0 } : null;
  return {
    model: name,
    text: text.value,
    second: noted("second") || null,
    sentence: task === "translate" ? (written("sentence") ?? 0) : 0,
    beam: writes && !sample ? Math.min(written("beam") ?? (task === "translate" ? 4 : 1), bounds.beam) : 1,
    max_tokens: writes ? atMost(written("tokens") ?? (goesOn ? 32 : null), bounds.written) : null,
    sample,
  };
});
const wantedKey = computed(() => JSON.stringify(wanted.value));
export const edits = computed<Edit[]>(() => changes.value.filter((change) => change.on).map((change) => change.record));
const editsKey = computed(() => JSON.stringify(edits.value));

const page = Math.random().toString(36).slice(2);
let stop: AbortController | null = null;
/** The question that `base` answers. */
let answered = "";

function settle(found: Run, edited: boolean): void {
  batch(() => {
    run.value = found;
    if (!edited) base.value = found;
  });
}

/** One run from its first line to its last; what can be shown is shown as soon as it is there. */
async function follow(asked: Ask, edited: boolean, signal: AbortSignal): Promise<Run | null> {
  let shown: Run | null = null;
  for await (const progress of ask(asked, signal)) {
    if (signal.aborted) return null;
    going.value = { progress, edited };
    if (progress.state === "failed") throw new Error(progress.error ?? "the run failed");
    if (progress.state === "cancelled") return null;
    if ((progress.state === "pooling" || progress.state === "done") && shown === null) {
      shown = await api.run(progress.run, signal);
      if (!signal.aborted) settle(shown, edited);
    }
  }
  return shown;
}

/** Answer the address: the plain text first, then, where there are edits, the edited one beside it. */
export async function answer(): Promise<void> {
  const asked = wanted.peek();
  stop?.abort();
  stop = null;
  if (!asked) {
    batch(() => {
      run.value = base.value = going.value = failure.value = null;
    });
    return;
  }
  const mine = new AbortController();
  stop = mine;
  const plain = answered === wantedKey.peek() ? base.peek() : null;
  batch(() => {
    going.value = { progress: null, edited: plain !== null };
    failure.value = null;
  });
  try {
    const before = plain ?? (await follow({ ...asked, edits: [], base: null, page }, false, mine.signal));
    if (!before || mine.signal.aborted) return;
    answered = wantedKey.peek();
    if (edits.peek().length === 0) settle(before, false);
    else await follow({ ...asked, edits: edits.peek(), base: before.id, page }, true, mine.signal);
  } catch (problem) {
    if (mine.signal.aborted) return;
    if (problem instanceof Refused && (problem.status === 410 || problem.status === 404) && plain) {
      answered = ""; // the run that it was to be compared with is gone: begin again
      base.value = null;
      return answer();
    }
    failure.value = problem instanceof Error ? problem.message : String(problem);
  } finally {
    if (stop === mine) going.value = null;
  }
}

let renewed = "";

/** A view met a run that the server has dropped for newer ones: ask again, once. */
export function stale(problem: unknown): boolean {
  const gone = problem instanceof Refused && (problem.status === 410 || problem.status === 404);
  const name = run.peek()?.id ?? "";
  if (!gone || isKept.peek() || going.peek() !== null || renewed === name) return false;
  renewed = name;
  answered = "";
  void answer();
  return true;
}

export function cancel(): void {
  stop?.abort();
  stop = null;
  going.value = null;
}

/* Edits: every change of the list can be taken back. */
const past = signal<Change[][]>([]);
const future = signal<Change[][]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

export function change(next: Change[]): void {
  batch(() => {
    past.value = [...past.value.slice(-99), changes.value];
    future.value = [];
    go({ changes: next });
  });
}

export function undo(): void {
  const before = past.value.at(-1);
  if (!before) return;
  batch(() => {
    past.value = past.value.slice(0, -1);
    future.value = [changes.value, ...future.value];
    go({ changes: before });
  });
}

export function redo(): void {
  const [next, ...rest] = future.value;
  if (!next) return;
  batch(() => {
    future.value = rest;
    past.value = [...past.value, changes.value];
    go({ changes: next });
  });
}

export const add = (record: Edit): void => change([...changes.value, { record, on: true }]);

/* Tokens. */
let anchor: Spot | null = null;

/** Click: pin or unpin. Shift-click: everything from the last click to here. */
export function pin(spots: Spot[], range: boolean): void {
  const first = spots[0];
  if (!first) return;
  if (range && anchor?.side === first.side) {
    const ends = [anchor.index, ...spots.map((spot) => spot.index)];
    const from = Math.min(...ends);
    const all = Array.from({ length: Math.min(512, Math.max(...ends) - from + 1) }, (_, step) => ({
      side: first.side,
      index: from + step,
    }));
    go({ pins: [...pins.value.filter((spot) => spot.side !== first.side), ...all] });
    return;
  }
  anchor = first;
  const has = (list: Spot[], spot: Spot) => list.some((one) => one.side === spot.side && one.index === spot.index);
  const fresh = spots.filter((spot) => !has(pins.value, spot));
  go({ pins: fresh.length ? [...pins.value, ...fresh] : pins.value.filter((spot) => !has(spots, spot)) });
}

export const isPinned = (spot: Spot): boolean =>
  pins.value.some((one) => one.side === spot.side && one.index === spot.index);

/** The token that is spoken of: under the pointer, else the last that was pinned. */
export const focus = computed<Spot | null>(() => hover.value ?? pins.value.at(-1) ?? null);

/* The models, and the first run. */
async function hear(): Promise<void> {
  for (;;) {
    try {
      const heard = await api.models();
      batch(() => {
        models.value = heard;
        unreachable.value = null;
      });
      if (!address.peek().text && heard.text && heard.models.length) go({ text: heard.text });
      if (heard.models.length && !heard.models.some((one) => one.state === "loading" || isAwaited(one))) return;
    } catch (problem) {
      unreachable.value = problem instanceof Error ? problem.message : String(problem);
    }
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
}

/** Nothing can be asked: what is shown was kept before. */
export const isKept = signal(false);

/** Show a run that is there already. */
export async function keep(name: string): Promise<void> {
  isKept.value = true;
  try {
    settle(await api.run(name), false);
  } catch (problem) {
    failure.value = problem instanceof Error ? problem.message : String(problem);
  }
}

export function begin(): void {
  void hear();
  let timer = 0;
  effect(() => {
    (void wantedKey.value, editsKey.value);
    clearTimeout(timer);
    timer = window.setTimeout(() => void answer(), 30); // several changes in one step are one question
  });
}
