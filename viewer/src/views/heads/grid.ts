/** All heads of all layers as thumbnails: where each stands, and its pixels. */
import type { BinaryFrame, OverviewHead, RunPayload } from "../../api";
import type { WeightScale } from "../../address";
import { ceiling, pixels, type Shade } from "../../scene/shade";
import type { SceneMark, Scene } from "../../scene/scene";
import { short } from "../../scene/signs";
import type { DataTable } from "../../scene/table";
import { sinks } from "../../sides";
import type { Palette } from "../../theme";

export interface Thumb {
  layer: string;
  head: number;
  x: number;
  y: number;
  width: number;
  height: number;
  rows: number;
  columns: number;
  largest: number;
  numbers: Float32Array;
  leftOut: (column: number) => boolean;
}

const GAP = 10;
const LEFT = 118;
const TOP = 24;

/** Every head's numbers, cut from the one frame that holds them all. */
export function thumbs(frame: BinaryFrame<OverviewHead>, run: RunPayload, width: number, scale: WeightScale): Thumb[] {
  const most = Math.max(1, ...frame.head.layers.map((layer) => layer.heads));
  const left = width < 560 ? 0 : LEFT;
  const size = Math.max(44, Math.min(96, Math.floor((width - left) / most) - GAP));
  const across = Math.max(1, Math.floor((width - left + GAP) / (size + GAP)));
  let at = 0;
  let y = TOP;
  return frame.head.layers.flatMap((layer) => {
    const here = run.layers.find((thumb) => thumb.name === layer.name);
    const rests = scale === "sinkless" && here ? sinks(run, here) : new Set<number>();
    const per = (here?.keys ?? layer.columns) / layer.columns;
    const leftOut = (column: number) =>
      [...rests].some(
        (key) => key >= Math.floor(column * per) && key < Math.max(column + 1, Math.ceil((column + 1) * per)),
      );
    if (left === 0) y += 18;
    const layerThumbs = Array.from({ length: layer.heads }, (_, head): Thumb => {
      const count = layer.rows * layer.columns;
      const numbers = frame.numbers.subarray(at + head * count, at + (head + 1) * count);
      return {
        layer: layer.name,
        head,
        rows: layer.rows,
        columns: layer.columns,
        largest: layer.largest[head] ?? 0,
        numbers,
        leftOut,
        x: left + (head % across) * (size + GAP),
        y: y + Math.floor(head / across) * (size + GAP),
        width: size,
        height: size,
      };
    });
    at += layer.heads * layer.rows * layer.columns;
    y += Math.ceil(layer.heads / across) * (size + GAP);
    return layerThumbs;
  });
}

/** The weight that is full ink for all of them: they can be compared. */
export function inkTop(all: Thumb[]): number {
  let largest = 0;
  for (const thumb of all) {
    for (let column = 0; column < thumb.columns; column++) {
      if (thumb.leftOut(column)) continue;
      for (let row = 0; row < thumb.rows; row++)
        largest = Math.max(largest, thumb.numbers[row * thumb.columns + column]!);
    }
  }
  return ceiling(largest);
}

export function gridScene(
  all: Thumb[],
  shade: Shade,
  colours: Palette,
  chosen: (thumb: Thumb) => boolean,
  off: (thumb: Thumb) => boolean,
): Scene {
  const marks: SceneMark[] = [];
  let last = "";
  for (const thumb of all) {
    if (thumb.layer !== last) {
      const beside = thumb.x > 0;
      marks.push({
        kind: "label",
        x: 0,
        y: beside ? thumb.y + thumb.height / 2 + 4 : thumb.y - 5,
        text: thumb.layer,
        size: 12.5,
        mono: true,
        fill: colours.faint,
      });
      last = thumb.layer;
    }
    marks.push({
      kind: "raster",
      x: thumb.x,
      y: thumb.y,
      width: thumb.width,
      height: thumb.height,
      opacity: off(thumb) ? 0.25 : 1,
      pixels: pixels(thumb.numbers, thumb.rows, thumb.columns, shade, thumb.leftOut),
      smooth: thumb.rows > thumb.height * 2,
    });
    marks.push({
      kind: "box",
      x: thumb.x - 0.5,
      y: thumb.y - 0.5,
      width: thumb.width + 1,
      height: thumb.height + 1,
      stroke: chosen(thumb) ? colours.accent : colours.line,
      thickness: chosen(thumb) ? 2.5 : 1,
      title: `${thumb.layer} head ${thumb.head}: largest ${short(thumb.largest)}`,
    });
  }
  const first = all[0];
  const beside = first && first.x > 0;
  if (beside) {
    const row = all.filter((thumb) => thumb.layer === first.layer && thumb.y === first.y);
    for (const thumb of row)
      marks.push({
        kind: "label",
        x: thumb.x + thumb.width / 2,
        y: TOP - 8,
        anchor: "middle",
        text: `head ${thumb.head}`,
        size: 12,
        fill: colours.faint,
      });
  }
  const height = Math.max(40, ...all.map((thumb) => thumb.y + thumb.height)) + 4;
  const width = Math.max(160, ...all.map((thumb) => thumb.x + thumb.width)) + 4;
  return { width, height, marks };
}

export function gridTable(all: Thumb[], how: string): DataTable {
  return {
    caption: `for each head the largest ${how} of a cell, and where it is`,
    columns: ["layer", "head", "largest", "row", "column"],
    rows: all.map((thumb) => {
      let best = 0;
      thumb.numbers.forEach((value, index) => value > thumb.numbers[best]! && (best = index));
      return [thumb.layer, thumb.head, thumb.largest, Math.floor(best / thumb.columns), best % thumb.columns];
    }),
  };
}
