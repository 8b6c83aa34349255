/** What heads do, by name: asked of the server once for each run. */
import { computed, effect, signal } from "@preact/signals";
import { api } from "../api";
import type { HeadRole } from "../payload";
import { isFrozen, run, savedNote } from "../store";

/** Each role in words, and its colour: those of Okabe and Ito, which everybody can tell apart. */
export const ROLES: Record<string, { name: string; says: string; colour: string }> = {
  previous: { name: "previous", says: "looks at the token before", colour: "#0072b2" },
  next: { name: "next", says: "looks at the token after", colour: "#56b4e9" },
  itself: { name: "itself", says: "looks at its own token", colour: "#009e73" },
  duplicate: { name: "same word", says: "looks at earlier places of the same token", colour: "#e69f00" },
  induction: { name: "induction", says: "looks at what followed the same token before", colour: "#d55e00" },
  first: { name: "first", says: "rests on the first token", colour: "#7d7d7d" },
  stop: { name: "full stop", says: "rests on the full stop or the end", colour: "#a08a00" },
  aligns: { name: "aligns", says: "looks at the source token that is being translated", colour: "#cc79a7" },
};

export const LEAST = 0.4; // the score from which on a head has a name, as in regard.looking.circuits

const LONGEST = 1024; // tokens of a text on which heads are named

const answered = signal<{ run: string; roles: HeadRole[] } | null>(null);

const headKey = (layer: string, head: number): string => `${layer}/${head}`;

/** All scores of each head, the largest first. */
export const headScores = computed(() => {
  const table = new Map<string, HeadRole[]>();
  const known = answered.value;
  if (!known || known.run !== run.value?.id) return table;
  for (const role of known.roles) {
    const key = headKey(role.layer, role.head);
    table.set(key, [...(table.get(key) ?? []), role]);
  }
  for (const list of table.values()) list.sort((role, other) => other.score - role.score);
  return table;
});

export const scoresOf = (layer: string, head: number): HeadRole[] => headScores.value.get(headKey(layer, head)) ?? [];

/** The one thing that a head does most, where it does it clearly. */
export function roleOf(layer: string, head: number): HeadRole | null {
  const best = scoresOf(layer, head)[0];
  return best && best.score >= LEAST ? best : null;
}

export function watchRoles(): void {
  let stop: AbortController | null = null;
  effect(() => {
    const shown = run.value;
    stop?.abort();
    const isLong = shown?.sides.some((side) => side.texts.length > LONGEST) ?? true;
    if (!shown || isLong || (isFrozen.value && !savedNote.value) || answered.peek()?.run === shown.id) return;
    const controller = (stop = new AbortController());
    void api
      .roles(shown.id, controller.signal)
      .then(({ roles }) => (answered.value = { run: shown.id, roles }))
      .catch(() => undefined); // a long text, or what was only seen: heads stay without names
  });
}
