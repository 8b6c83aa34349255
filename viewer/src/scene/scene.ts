/** A picture as data: drawn on the screen, saved as SVG or painted into a PNG from the same marks. */

export interface Touch {
  enter?: () => void;
  leave?: () => void;
  press?: (shift: boolean) => void;
}

interface MarkBase {
  /** What the mark means, in words: the tooltip on the screen and in the saved picture. */
  title?: string;
  opacity?: number;
  touch?: Touch;
  /** For styles and tests; carries no data. */
  name?: string;
}

export interface Box extends MarkBase {
  kind: "box";
  x: number;
  y: number;
  width: number;
  height: number;
  fill?: string;
  stroke?: string;
  thickness?: number;
  round?: number;
}

export interface Stroke extends MarkBase {
  kind: "stroke";
  d: string;
  stroke: string;
  thickness?: number;
  dashes?: string;
  fill?: string;
  /** How far the path is moved. */
  shift?: readonly [number, number];
}

export interface Label extends MarkBase {
  kind: "label";
  x: number;
  y: number;
  text: string;
  size?: number;
  fill: string;
  anchor?: "start" | "middle" | "end";
  mono?: boolean;
  bold?: boolean;
  /** Degrees, about (x, y). */
  turn?: number;
}

export interface Raster extends MarkBase {
  kind: "raster";
  x: number;
  y: number;
  width: number;
  height: number;
  pixels: HTMLCanvasElement | OffscreenCanvas;
  smooth?: boolean;
}

export type SceneMark = Box | Stroke | Label | Raster;

export interface Scene {
  width: number;
  height: number;
  marks: SceneMark[];
}

export const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
export const MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

export function font(label: Pick<Label, "size" | "mono" | "bold">): string {
  return `${label.bold ? "600 " : ""}${label.size ?? 12}px ${label.mono ? MONO : SANS}`;
}

let ruler: CanvasRenderingContext2D | null = null;
const widths = new Map<string, number>();

/** How wide a text will be, in pixels. */
export function measure(text: string, size = 13, mono = true): number {
  const key = `${size}${mono ? "m" : "s"}${text}`;
  const cached = widths.get(key);
  if (cached !== undefined) return cached;
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * size * 0.6;
  ruler.font = font({ size, mono });
  const width = ruler.measureText(text).width;
  if (widths.size > 50_000) widths.clear();
  widths.set(key, width);
  return width;
}

/** The text, cut and ended with … where it is wider than its room. */
export function fitText(text: string, room: number, size = 13, mono = true): string {
  if (measure(text, size, mono) <= room) return text;
  const letters = [...text];
  let length = letters.length;
  while (length > 0 && measure(letters.slice(0, length).join("") + "…", size, mono) > room) length--;
  return letters.slice(0, length).join("") + "…";
}
