/** All heads of all layers as thumbnails: where each stands, and its pixels. */
import type { Frame, OverviewHead, Run } from "../../api";
import type { Scale } from "../../address";
import { ceiling, pixels, type Shade } from "../../scene/shade";
import type { Mark, Scene } from "../../scene/scene";
import { short } from "../../scene/signs";
import type { Table } from "../../scene/table";
import { sinks } from "../../sides";
import type { Palette } from "../../theme";

export interface Thumb {
  place: string;
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
export function thumbs(frame: Frame<OverviewHead>, run: Run, width: number, scale: Scale): Thumb[] {
  const most = Math.max(1, ...frame.head.places.map((place) => place.heads));
  const left = width < 560 ? 0 : LEFT;
  const size = Math.max(44, Math.min(96, Math.floor((width - left) / most) - GAP));
  const across = Math.max(1, Math.floor((width - left + GAP) / (size + GAP)));
  let at = 0;
  let y = TOP;
  return frame.head.places.flatMap((place) => {
    const here = run.places.find((one) => one.name === place.name);
    const rests = scale === "sinkless" && here ? sinks(run, here) : new Set<number>();
    const per = (here?.keys ?? place.columns) / place.columns;
    const leftOut = (column: number) =>
      [...rests].some(
        (key) => key >= Math.floor(column * per) && key < Math.max(column + 1, Math.ceil((column + 1) * per)),
      );
    if (left === 0) y += 18;
    const made = Array.from({ length: place.heads }, (_, head): Thumb => {
      const count = place.rows * place.columns;
      const numbers = frame.numbers.subarray(at + head * count, at + (head + 1) * count);
      return {
        place: place.name,
        head,
        rows: place.rows,
        columns: place.columns,
        largest: place.largest[head] ?? 0,
        numbers,
        leftOut,
        x: left + (head % across) * (size + GAP),
        y: y + Math.floor(head / across) * (size + GAP),
        width: size,
        height: size,
      };
    });
    at += place.heads * place.rows * place.columns;
    y += Math.ceil(place.heads / across) * (size + GAP);
    return made;
  });
}

/** The weight that is full ink for all of them: they can be compared. */
export function inkTop(all: Thumb[]): number {
  let largest = 0;
  for (const one of all) {
    for (let column = 0; column < one.columns; column++) {
      if (one.leftOut(column)) continue;
      for (let row = 0; row < one.rows; row++) largest = Math.max(largest, one.numbers[row * one.columns + column]!);
    }
  }
  return ceiling(largest);
}

export function gridScene(
  all: Thumb[],
  shade: Shade,
  colours: Palette,
  chosen: (one: Thumb) => boolean,
  off: (one: Thumb) => boolean,
): Scene {
  const marks: Mark[] = [];
  let last = "";
  for (const one of all) {
    if (one.place !== last) {
      const beside = one.x > 0;
      marks.push({
        kind: "label",
        x: 0,
        y: beside ? one.y + one.height / 2 + 4 : one.y - 5,
        text: one.place,
        size: 12.5,
        mono: true,
        fill: colours.faint,
      });
      last = one.place;
    }
    marks.push({
      kind: "raster",
      x: one.x,
      y: one.y,
      width: one.width,
      height: one.height,
      opacity: off(one) ? 0.25 : 1,
      pixels: pixels(one.numbers, one.rows, one.columns, shade, one.leftOut),
      smooth: one.rows > one.height * 2,
    });
    marks.push({
      kind: "box",
      x: one.x - 0.5,
      y: one.y - 0.5,
      width: one.width + 1,
      height: one.height + 1,
      stroke: chosen(one) ? colours.accent : colours.line,
      thickness: chosen(one) ? 2.5 : 1,
      title: `${one.place} head ${one.head}: largest ${short(one.largest)}`,
    });
  }
  const first = all[0];
  const beside = first && first.x > 0;
  if (beside) {
    const row = all.filter((one) => one.place === first.place && one.y === first.y);
    for (const one of row)
      marks.push({
        kind: "label",
        x: one.x + one.width / 2,
        y: TOP - 8,
        anchor: "middle",
        text: `head ${one.head}`,
        size: 12,
        fill: colours.faint,
      });
  }
  const height = Math.max(40, ...all.map((one) => one.y + one.height)) + 4;
  const width = Math.max(160, ...all.map((one) => one.x + one.width)) + 4;
  return { width, height, marks };
}

export function gridTable(all: Thumb[], how: string): Table {
  return {
    caption: `for each head the largest ${how} of a cell, and where it is`,
    columns: ["layer", "head", "largest", "row", "column"],
    rows: all.map((one) => {
      let best = 0;
      one.numbers.forEach((value, index) => value > one.numbers[best]! && (best = index));
      return [one.place, one.head, one.largest, Math.floor(best / one.columns), best % one.columns];
    }),
  };
}
