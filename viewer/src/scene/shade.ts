/** From a weight to a colour: linear, logarithmic, or without the keys that heads rest on. */
import type { WeightScale } from "../address";
import { lookup, strength, type ColourTheme } from "./colour";

export const DECADES = 4;

export interface Shade {
  scale: WeightScale;
  /** The weight that is drawn as full ink. */
  top: number;
  theme: ColourTheme;
}

/** 0 to 1: how much ink a weight gets. */
export function ink(weight: number, { scale, top }: Pick<Shade, "scale" | "top">): number {
  if (!(weight > 0) || !(top > 0)) return 0;
  const share = Math.min(1, weight / top);
  return scale === "log" ? Math.max(0, 1 + Math.log10(share) / DECADES) : share;
}

/** The next of 1, .5, .2, .1, .05 … that is not below the largest weight: the scale stays still while one scrolls. */
export function ceiling(largest: number): number {
  if (!(largest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 5, 10].find((step) => step * power >= largest * (1 - 1e-6)) ?? 10;
  return Math.min(1, step * power);
}

const tables = new Map<ColourTheme, Uint32Array>();
function table(theme: ColourTheme): Uint32Array {
  let table = tables.get(theme);
  if (!table) tables.set(theme, (table = lookup((value) => strength(theme, value))));
  return table;
}

const inks = new Map<string, Uint32Array>();
const STEP_BITS = 15; // of a weight as 32 bits: its exponent and eight bits after it say which colour

/** The colour of every weight from 0 to 1, by the upper bits of the weight: a tile is painted without a logarithm. */
function inkTable(shade: Shade): Uint32Array {
  const key = `${shade.scale === "log"}${shade.top}${shade.theme}`;
  const cached = inks.get(key);
  if (cached) return cached;
  const colours = table(shade.theme);
  const bits = new Uint32Array(1);
  const weight = new Float32Array(bits.buffer);
  const all = new Uint32Array(1 << (31 - STEP_BITS));
  for (let step = 0; step < all.length; step++) {
    bits[0] = (step << STEP_BITS) | (1 << (STEP_BITS - 1));
    all[step] = colours[Math.round(255 * ink(weight[0]!, shade))]!;
  }
  all[0] = colours[0]!;
  if (inks.size > 24) inks.clear();
  inks.set(key, all);
  return all;
}

/** A grid of weights as pixels, one a cell, on a canvas of that size if there is one. Columns that are left out are hatched. */
export function pixels(
  numbers: Float32Array,
  rows: number,
  columns: number,
  shade: Shade,
  leftOut?: (column: number) => boolean,
  reused?: HTMLCanvasElement,
): HTMLCanvasElement {
  const canvas = reused ?? document.createElement("canvas");
  if (!reused) [canvas.width, canvas.height] = [Math.max(1, columns), Math.max(1, rows)];
  const context = canvas.getContext("2d");
  if (!context || !rows || !columns) return canvas;
  const image = context.createImageData(columns, rows);
  const bytes = new Uint32Array(image.data.buffer);
  const colours = inkTable(shade);
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let at = 0; at < bytes.length; at++) {
    const code = bits[at]!;
    bytes[at] = code < 0x80000000 ? colours[code >>> STEP_BITS]! : colours[0]!;
  }
  const [even, odd] = shade.theme === "dark" ? [0xff3a332d, 0xff2a241f] : [0xffe3ddd9, 0xfff2eeec];
  for (let column = 0; leftOut && column < columns; column++) {
    if (!leftOut(column)) continue;
    for (let row = 0; row < rows; row++) bytes[row * columns + column] = (row + column) % 2 ? odd : even;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
