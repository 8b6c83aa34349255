/** The two lines of tokens at the top, and which of them stand for the rows and columns of a layer. */
import type { Spot } from "./address";
import type { Place, Run, Side } from "./payload";

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

/** The tokens of a side; the last one that was written is not read again, and stands in `next` alone. */
export function line(side: Side): Token[] {
  const tokens = side.texts.map((text, index) => ({
    text,
    special: side.special[index] ?? false,
    word: side.words[index] ?? null,
    written: index >= side.given,
    score: side.scores[index] ?? null,
  }));
  const last = side.next[side.next.length - 1];
  if (last != null) {
    const special = /^<.*>$|^\[.*\]$/.test(last);
    tokens.push({ text: last, special, word: null, written: true, score: null });
  }
  return tokens;
}

export const sideNumber = (run: Run, name: string): number =>
  Math.max(
    0,
    run.sides.findIndex((side) => side.name === name),
  );

/** Rows that look across speak of the token that they write; rows that look at their own line of themselves. */
export const writes = (place: Place): boolean => place.rows === "target" && place.columns !== place.rows;

export function spotOfRow(run: Run, place: Place, row: number): Spot {
  return { side: sideNumber(run, place.rows), index: writes(place) ? row + 1 : row };
}

export function spotOfColumn(run: Run, place: Place, column: number): Spot {
  return { side: sideNumber(run, place.columns), index: column };
}

/** The row in which a token looks, or null where it does not look here. */
export function rowOf(run: Run, place: Place, spot: Spot): number | null {
  if (spot.side !== sideNumber(run, place.rows)) return null;
  const row = writes(place) ? spot.index - 1 : spot.index;
  return row >= 0 && row < place.queries ? row : null;
}

/** The column in which a token is looked at. */
export function columnOf(run: Run, place: Place, spot: Spot): number | null {
  return spot.side === sideNumber(run, place.columns) && spot.index < place.keys ? spot.index : null;
}

export function rowText(run: Run, place: Place, row: number): string {
  const side = run.sides[sideNumber(run, place.rows)];
  return (writes(place) ? side?.next[row] : side?.texts[row]) ?? "";
}

export function columnText(run: Run, place: Place, column: number): string {
  return run.sides[sideNumber(run, place.columns)]?.texts[column] ?? "";
}

/** Keys that heads rest on when they look for nothing: the first token, and the special ones. */
export function sinks(run: Run, place: Place): Set<number> {
  const side = run.sides[sideNumber(run, place.columns)];
  const found = new Set<number>([0]);
  side?.special.forEach((special, index) => special && found.add(index));
  return found;
}

export const sameSpot = (one: Spot | null, other: Spot | null): boolean =>
  one !== null && other !== null && one.side === other.side && one.index === other.index;
