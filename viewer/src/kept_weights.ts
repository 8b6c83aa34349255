/** Weights from the queries and keys of a saved run: the one file of the page that computes attention.
 *
 * A weight is exp(q · k − logsumexp), as on the server, with queries (scaled already) and keys in half precision. Layers
 * whose weights need more than that are kept as cells, and answer with the cell that holds a weight.
 */
import { readFrame } from "./api";
import type { CellPooling } from "./api";

interface KeptHead {
  layer: string;
  heads: number;
  queries: number;
  keys: number;
  /** How far its weights are from the exact ones, at most. */
  difference: number;
  kind: "dot" | "cells";
  width?: number;
  scale?: number[];
  is_causal?: boolean;
  hidden?: number[];
  level?: number;
  rows?: number;
  columns?: number;
}

const SLICE = 12; // milliseconds of work, then others have their turn

/** The number that 16 bits stand for. */
export function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const rest = bits & 1023;
  return sign * (exponent === 0 ? rest / 2 ** 24 : (1 + rest / 1024) * 2 ** (exponent - 15));
}

let table: Float32Array | null = null;

function floats(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => halfValue(bits));
  const values = table;
  const numbers = new Float32Array(halves.length);
  for (let at = 0; at < halves.length; at++) numbers[at] = values[halves[at]!]!;
  return numbers;
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

/** One layer of a saved run. */
export class KeptLayer {
  readonly about: KeptHead;
  private readonly logsumexp: Float32Array;
  private readonly halves: Uint16Array;
  private readonly hidden: Set<number>;
  private decoded: { head: number; query: Float32Array; key: Float32Array } | null = null;

  constructor(frame: ArrayBuffer) {
    const length = new DataView(frame).getUint32(4, true);
    this.about = readFrame<KeptHead>(frame.slice(0, 8 + length)).head;
    const sums = this.about.kind === "dot" ? this.about.heads * this.about.queries : 0;
    this.logsumexp = new Float32Array(frame, 8 + length, sums);
    this.halves = new Uint16Array(frame, 8 + length + 4 * sums);
    this.hidden = new Set(this.about.hidden ?? []);
  }

  private vectors(head: number): { query: Float32Array; key: Float32Array } {
    if (this.decoded?.head === head) return this.decoded;
    const { heads, queries, keys, width = 0 } = this.about;
    const from = head * queries * width;
    const keyFrom = heads * queries * width + head * keys * width;
    const query = floats(this.halves.subarray(from, from + queries * width));
    const key = floats(this.halves.subarray(keyFrom, keyFrom + keys * width));
    this.decoded = { head, query, key };
    return this.decoded;
  }

  /** The weights of one row from one key up to another. */
  weights(head: number, row: number, first = 0, stop = this.about.keys): Float32Array {
    const numbers = new Float32Array(stop - first);
    if (this.about.kind === "cells") {
      const { level = 0, rows = 0, columns = 0 } = this.about;
      const from = (head * rows + (row >> level)) * columns;
      for (let key = first; key < stop; key++) numbers[key - first] = halfValue(this.halves[from + (key >> level)]!);
      return numbers;
    }
    const { width = 0 } = this.about;
    const { query, key } = this.vectors(head);
    const sum = this.logsumexp[head * this.about.queries + row]!;
    const end = this.about.is_causal ? Math.min(stop, row + 1) : stop;
    const from = row * width;
    for (let column = first; column < end; column++) {
      if (this.hidden.has(column)) continue;
      const at = column * width;
      let score = 0;
      for (let d = 0; d < width; d++) score += query[from + d]! * key[at + d]!;
      numbers[column - first] = Math.exp(score - sum);
    }
    return numbers;
  }

  /** Cells of a zoom level, rows and columns counted in cells; computed in slices, so that the page stays awake. */
  async cells(
    head: number,
    level: number,
    [top, bottom]: readonly [number, number],
    [left, right]: readonly [number, number],
    how: CellPooling,
  ): Promise<Float32Array> {
    const { queries, keys } = this.about;
    const size = 2 ** level;
    const columns = right - left;
    const [first, stop] = [left * size, Math.min(keys, right * size)];
    const numbers = new Float32Array((bottom - top) * columns);
    let until = performance.now() + SLICE;
    for (let row = top * size; row < Math.min(queries, bottom * size); row++) {
      const weights = this.weights(head, row, first, stop);
      const line = (Math.floor(row / size) - top) * columns;
      for (let at = 0; at < weights.length; at++) {
        const cell = line + (at >> level);
        numbers[cell] = how === "max" ? Math.max(numbers[cell]!, weights[at]!) : numbers[cell]! + weights[at]!;
      }
      if (performance.now() > until) {
        await turn();
        until = performance.now() + SLICE;
      }
    }
    if (how === "max" || level === 0) return numbers;
    for (let at = 0; at < numbers.length; at++) {
      const [row, column] = [top + Math.floor(at / columns), left + (at % columns)];
      const tall = Math.min(size, queries - row * size);
      numbers[at]! /= tall * Math.min(size, keys - column * size);
    }
    return numbers;
  }

  /** A query as it was before it was scaled, and a key; null where only cells are kept. */
  pair(head: number, row: number, column: number) {
    if (this.about.kind !== "dot") return null;
    const { width = 0, scale = [] } = this.about;
    const { query, key } = this.vectors(head);
    const factor = scale[head] ?? 1;
    const scaled = query.subarray(row * width, (row + 1) * width);
    const keyHere = key.subarray(column * width, (column + 1) * width);
    return {
      scale: factor,
      query: Array.from(scaled, (value) => value / factor),
      key: [...keyHere],
      products: Array.from(scaled, (value, d) => value * keyHere[d]!),
      logsumexp: this.logsumexp[head * this.about.queries + row]!,
      isAllowed: !this.hidden.has(column) && (!this.about.is_causal || column <= row),
    };
  }
}
