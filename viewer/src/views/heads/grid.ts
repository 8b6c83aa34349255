/** All heads of all layers as thumbnails: where each stands, and its pixels. */
import type { BinaryFrame, OverviewHead, RunPayload } from "../../api";
import type { Spot, WeightScale } from "../../address";
import { ceiling, pixels, type Shade } from "../../scene/shade";
import { fitText, type SceneMark, type Scene } from "../../scene/scene";
import { short } from "../../scene/signs";
import type { DataTable } from "../../scene/table";
import { columnOf, rowOf, sinks } from "../../sides";
import type { Palette } from "../../theme";

export interface Thumb {
  layer: string;
  head: number;
  /** Where the name of its layer begins. */
  from: number;
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
const LEFT = 126;
const TOP = 24;
const CAPTION = 15; // pixels of a line under a picture
const DEEP = 10; // layers; from so many on the pictures are small enough for all to be in sight
const CLOSE = 4; // pixels between those
const APART = 28; // pixels between two columns of layers
const CLEAR = 54; // pixels of a picture that can still be read, ...
const COMFORTABLE = 72; // ... and that one likes to look at

/** How the heads are laid out: by layers, or in any order, each with its name. */
export interface Arrangement {
  width: number;
  /** Which heads, in which order; null: all, a line for each layer. */
  order: HeadName[] | null;
  /** Whether there are names to write under them. */
  named: boolean;
  /** Pixels that the window has for them. */
  height: number;
}

/** Whether so many layers are shown as close together as it takes, without names under them. */
export const isDense = (layers: number, { width, order }: Pick<Arrangement, "width" | "order">): boolean =>
  layers >= DEEP && width >= 560 && order === null;

export interface HeadName {
  layer: string;
  head: number;
}

/** Every head's numbers, cut from the one frame that holds them all. */
export function thumbs(
  frame: BinaryFrame<OverviewHead>,
  run: RunPayload,
  scale: WeightScale,
  arrangement: Arrangement,
): Thumb[] {
  let at = 0;
  const all = frame.head.layers.flatMap((layer) => {
    const here = run.layers.find((thumb) => thumb.name === layer.name);
    const rests = scale === "sinkless" && here ? sinks(run, here) : new Set<number>();
    const per = (here?.keys ?? layer.columns) / layer.columns;
    const leftOut = (column: number) =>
      [...rests].some(
        (key) => key >= Math.floor(column * per) && key < Math.max(column + 1, Math.ceil((column + 1) * per)),
      );
    const count = layer.rows * layer.columns;
    const heads = Array.from({ length: layer.heads }, (_, head): Thumb => ({
      layer: layer.name,
      head,
      rows: layer.rows,
      columns: layer.columns,
      largest: layer.largest[head] ?? 0,
      numbers: frame.numbers.subarray(at + head * count, at + (head + 1) * count),
      leftOut,
      ...{ from: 0, x: 0, y: 0, width: 0, height: 0 },
    }));
    at += layer.heads * count;
    return heads;
  });
  return arranged(all, arrangement);
}

/** The same, each where it stands. */
function arranged(all: Thumb[], { width, order, named, height }: Arrangement): Thumb[] {
  const byLayer = new Map<string, Thumb[]>();
  for (const thumb of all) byLayer.set(thumb.layer, [...(byLayer.get(thumb.layer) ?? []), thumb]);
  const rows = order ? [order.flatMap(({ layer, head }) => byLayer.get(layer)?.[head] ?? [])] : [...byLayer.values()];
  const most = Math.max(1, ...rows.map((row) => row.length));
  const left = width < 560 || order ? 0 : LEFT;
  const dense = isDense(rows.length, { width, order });
  const gap = dense ? CLOSE : GAP;
  const below = dense ? 0 : (named ? CAPTION : 0) + (order ? CAPTION : 0);
  const fitting = (room: number) => Math.floor((room - left) / Math.min(most, order ? 8 : most)) - gap;
  const across = (size: number, room: number) => Math.max(1, Math.floor((room - left + gap) / (size + gap)));
  const largest = most > 8 ? 72 : 118;
  // where all layers one below the other are taller than the window, they stand in two columns
  const half = (width - APART) / 2;
  const isTall = TOP + rows.length * (Math.min(largest, fitting(width)) + gap + below) > height;
  const isSplit = !order && !dense && left > 0 && rows.length > 3 && isTall && fitting(half) >= CLEAR;
  const room = isSplit ? half : width;
  const deepest = isSplit ? Math.ceil(rows.length / 2) : rows.length;
  const fits = fitting(room);
  const deep = dense ? Math.floor((height - TOP - GAP) / rows.length) - gap : fits;
  const tall = isSplit ? Math.max(COMFORTABLE, Math.floor((height - TOP) / deepest) - gap - below) : deep;
  const size = Math.max(dense ? 22 : 44, Math.min(largest, fits, tall));
  const line = across(size, room);
  const top = order ? 4 : TOP;
  let y = top;
  return rows.flatMap((row, number) => {
    if (number === deepest) y = top;
    const from = number < deepest ? 0 : half + APART;
    if (left === 0 && !order) y += 18;
    const placed = row.map((thumb, index) => ({
      ...thumb,
      from,
      x: from + left + (index % line) * (size + gap),
      y: y + Math.floor(index / line) * (size + gap + below),
      width: size,
      height: size,
    }));
    y += Math.ceil(row.length / line) * (size + gap + below);
    return placed;
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
  /** What stands under each picture. */
  caption: (thumb: Thumb) => string[],
): Scene {
  const marks: SceneMark[] = [];
  const isFlat = all.every((thumb) => caption(thumb).length > 1);
  let last = "";
  for (const thumb of all) {
    caption(thumb).forEach((text, line) =>
      marks.push({
        kind: "label",
        x: thumb.x,
        y: thumb.y + thumb.height + 12 + line * CAPTION,
        text: fitText(text, thumb.width + GAP - 2, 11, line > 0),
        size: 11,
        mono: line > 0,
        fill: line > 0 ? colours.faint : colours.ink,
      }),
    );
    if (thumb.layer !== last && !isFlat) {
      const beside = thumb.x > thumb.from;
      marks.push({
        kind: "label",
        x: thumb.from,
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
  const beside = first && first.x > 0 && !isFlat;
  if (beside) {
    for (const thumb of all.filter((each) => each.y === first.y))
      // the first layer of each column
      marks.push({
        kind: "label",
        x: thumb.x + thumb.width / 2,
        y: TOP - 8,
        anchor: "middle",
        text: thumb.width < 44 ? String(thumb.head) : `head ${thumb.head}`,
        size: 12,
        fill: colours.faint,
      });
  }
  const captions = Math.max(0, ...all.map((thumb) => caption(thumb).length)) * CAPTION;
  const height = Math.max(40, ...all.map((thumb) => thumb.y + thumb.height)) + 6 + captions;
  const width = Math.max(160, ...all.map((thumb) => thumb.x + thumb.width)) + 4;
  return { width, height, marks };
}

export function gridTable(all: Thumb[], how: string, role: (thumb: Thumb) => string): DataTable {
  return {
    caption: `for each head the largest ${how} of a cell, where it is, and what the head does`,
    columns: ["layer", "head", "largest", "row", "column", "role"],
    rows: all.map((thumb) => {
      let best = 0;
      thumb.numbers.forEach((value, index) => value > thumb.numbers[best]! && (best = index));
      return [
        thumb.layer,
        thumb.head,
        thumb.largest,
        Math.floor(best / thumb.columns),
        best % thumb.columns,
        role(thumb),
      ];
    }),
  };
}

/** A line in every picture at the tokens that are pinned or pointed at: rows that look, columns that are looked at. */
export function tokenBands(all: Thumb[], run: RunPayload, spots: Spot[], colours: Palette): SceneMark[] {
  return all.flatMap((thumb) => {
    const here = run.layers.find((layer) => layer.name === thumb.layer);
    if (!here) return [];
    const isAcross = here.rows !== here.columns; // where a text looks at itself, its rows say enough
    return spots.flatMap((spot): SceneMark[] => {
      const [row, column] = [rowOf(run, here, spot), isAcross ? columnOf(run, here, spot) : null];
      const stroke = { kind: "box" as const, stroke: colours.accent, thickness: 1.5, name: "token-band" };
      const [tall, wide] = [thumb.height / here.queries, thumb.width / here.keys];
      return [
        ...(row === null
          ? []
          : [{ ...stroke, x: thumb.x, y: thumb.y + row * tall, width: thumb.width, height: Math.max(2, tall) }]),
        ...(column === null
          ? []
          : [{ ...stroke, x: thumb.x + column * wide, y: thumb.y, width: Math.max(2, wide), height: thumb.height }]),
      ];
    });
  });
}
