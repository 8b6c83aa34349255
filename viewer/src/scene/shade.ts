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

/** A grid of weights as pixels, one a cell. Columns that are left out are hatched. */
export function pixels(
  numbers: Float32Array,
  rows: number,
  columns: number,
  shade: Shade,
  leftOut?: (column: number) => boolean,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, columns);
  canvas.height = Math.max(1, rows);
  const context = canvas.getContext("2d");
  if (!context || !rows || !columns) return canvas;
  const image = context.createImageData(columns, rows);
  const bytes = new Uint32Array(image.data.buffer);
  const colours = table(shade.theme);
  const [even, odd] = shade.theme === "dark" ? [0xff3a332d, 0xff2a241f] : [0xffe3ddd9, 0xfff2eeec];
  for (let column = 0; column < columns; column++) {
    const skip = leftOut?.(column) ?? false;
    for (let row = 0; row < rows; row++) {
      const at = row * columns + column;
      bytes[at] = skip ? ((row + column) % 2 ? odd : even) : colours[Math.round(255 * ink(numbers[at]!, shade))]!;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
