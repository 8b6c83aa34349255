/** The two lines of tokens at the top, and which of them stand for the rows and columns of a layer. */
import type { Spot } from "./address";
import type { LayerInfo, RunPayload, TokenColumn } from "./payload";

/** One token of a line as the spine shows it. */
export interface Token {
  text: string;
  special: boolean;
  word: number | null;
  /** Whether the model wrote it. */
  written: boolean;
  /** Log-probability, where it was written. */
  score: number | null;
}

const MARK = /^\s*\p{P}+$/u;

/** Which word each token is of. A full stop, a comma or a bracket at the end of a word is none of its pieces. */
function wordsOf(side: TokenColumn): (number | null)[] {
  const words = [...side.words];
  const isMark = (index: number) => MARK.test(side.texts[index] ?? "");
  for (let [start, end] = [0, 1]; start < words.length; [start, end] = [end, end + 1]) {
    const word = words[start];
    while (word != null && end < words.length && words[end] === word) end++;
    if (end - start === 1) continue;
    let [first, stop] = [start, end];
    while (first < stop && isMark(first)) first++;
    while (stop > first && isMark(stop - 1)) stop--;
    if (first < stop) words.fill(null, start, first).fill(null, stop, end);
  }
  return words;
}

/** The tokens of a side; the last one that was written is not read again, and stands in `next` alone. */
export function line(side: TokenColumn): Token[] {
  const words = wordsOf(side);
  const tokens = side.texts.map((text, index) => ({
    text,
    special: side.special[index] ?? false,
    word: words[index] ?? null,
    written: index >= side.prefix_length,
    score: side.scores[index] ?? null,
  }));
  const last = side.next[side.next.length - 1];
  if (last != null) {
    const special = /^<.*>$|^\[.*\]$/.test(last);
    tokens.push({ text: last, special, word: null, written: true, score: null });
  }
  return tokens;
}

export const sideNumber = (run: RunPayload, name: string): number =>
  Math.max(
    0,
    run.sides.findIndex((side) => side.name === name),
  );

/** Rows that look across speak of the token that they write; rows that look at their own line of themselves. */
export const writes = (layer: LayerInfo): boolean => layer.rows === "target" && layer.columns !== layer.rows;

export function spotOfRow(run: RunPayload, layer: LayerInfo, row: number): Spot {
  return { side: sideNumber(run, layer.rows), index: writes(layer) ? row + 1 : row };
}

export function spotOfColumn(run: RunPayload, layer: LayerInfo, column: number): Spot {
  return { side: sideNumber(run, layer.columns), index: column };
}

/** The row in which a token looks, or null where it does not look here. */
export function rowOf(run: RunPayload, layer: LayerInfo, spot: Spot): number | null {
  if (spot.side !== sideNumber(run, layer.rows)) return null;
  const row = writes(layer) ? spot.index - 1 : spot.index;
  return row >= 0 && row < layer.queries ? row : null;
}

/** The column in which a token is looked at. */
export function columnOf(run: RunPayload, layer: LayerInfo, spot: Spot): number | null {
  return spot.side === sideNumber(run, layer.columns) && spot.index < layer.keys ? spot.index : null;
}

export function rowText(run: RunPayload, layer: LayerInfo, row: number): string {
  const side = run.sides[sideNumber(run, layer.rows)];
  return (writes(layer) ? side?.next[row] : side?.texts[row]) ?? "";
}

export function columnText(run: RunPayload, layer: LayerInfo, column: number): string {
  return run.sides[sideNumber(run, layer.columns)]?.texts[column] ?? "";
}

/** Keys that heads rest on when they look for nothing: the first token, and the special ones. */
export function sinks(run: RunPayload, layer: LayerInfo): Set<number> {
  const side = run.sides[sideNumber(run, layer.columns)];
  const columns = new Set<number>([0]);
  side?.special.forEach((special, index) => special && columns.add(index));
  return columns;
}

export const sameSpot = (spot: Spot | null, other: Spot | null): boolean =>
  spot !== null && other !== null && spot.side === other.side && spot.index === other.index;
