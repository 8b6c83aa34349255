/** What stands on and around the map: rulers with tokens, lines at what is spoken of, weights, the small overview. */
import type { Palette } from "../../theme";
import { fitText, measure, type SceneMark, type Scene } from "../../scene/scene";
import { readable, strength } from "../../scene/colour";
import { ink, type Shade } from "../../scene/shade";
import { count, short } from "../../scene/signs";
import type { Camera, MapSheet } from "./camera";
import { hatch, paintTiles } from "./ground";
import { TILE, type Atlas } from "./tiles";

export interface AxisLabels {
  row: (index: number) => string;
  column: (index: number) => string;
}

/** All that is drawn. */
export interface MapDrawing {
  atlas: Atlas;
  camera: Camera;
  sheet: MapSheet;
  rulers: Rulers;
  shade: Shade;
  words: AxisLabels;
  lines: GridLines;
  colours: Palette;
  /** Whether later keys may not be seen. */
  causal: boolean;
}

/** How much room the tokens beside and above the map take; the same for a whole layer, so that nothing jumps. */
export interface Rulers {
  left: number;
  top: number;
}

const SAMPLE = 400; // tokens whose width is measured
const FEW = 12; // tokens: they may be whole sentences
const NUMBER = 46; // pixels of a position

export function rulersFor(sheet: Pick<MapSheet, "rows" | "columns">, words: AxisLabels, narrow: boolean): Rulers {
  const longest = narrow ? 70 : Math.max(sheet.rows, sheet.columns) <= FEW ? 210 : 120;
  const widest = (count: number, word: (index: number) => string) => {
    const step = Math.max(1, Math.ceil(count / SAMPLE));
    let most = 30;
    for (let index = 0; index < count; index += step) most = Math.max(most, measure(word(index), 12));
    return Math.min(longest, most) + 16 + (count > 60 ? NUMBER : 0);
  };
  return { left: Math.ceil(widest(sheet.rows, words.row)), top: Math.ceil(widest(sheet.columns, words.column)) };
}

/** 1, 2, 5, 10 …: a mark every so many tokens, so that marks are far enough apart. */
function every(k: number, apart: number): number {
  let step = 1;
  for (let turn = 0; step * k < apart; turn++) step *= turn % 3 === 1 ? 2.5 : 2;
  return step;
}

/** The tokens beside the rows and above the columns; where there is no room for all, every second, fifth, tenth … */
function rulerMarks({ camera, sheet, rulers, words, colours }: MapDrawing): SceneMark[] {
  const marks: SceneMark[] = [];
  const axis = (
    length: number,
    from: number,
    k: number,
    extent: number,
    room: number,
    word: (at: number) => string,
  ) => {
    const step = every(k, 15);
    const labels: { at: number; text: string; tick: boolean }[] = [];
    const start = Math.max(0, Math.ceil(from / step) * step);
    for (let index = start; index < Math.min(length, from + extent / k); index += step) {
      const at = (index + (step === 1 ? 0.5 : 0) - from) * k;
      if (at < 3 || at > extent - 2) continue;
      const number = count(index);
      const text = step === 1 ? fitText(word(index), room - 14, 12) : number;
      const rest = room - 26 - measure(number, 12);
      const token = step > 1 && rest > 20 ? `${fitText(word(index), rest, 12)} ` : "";
      labels.push({ at, text: `${token}${text}`, tick: step > 1 });
    }
    return labels;
  };
  const { left, top } = rulers;
  for (const { at, text, tick } of axis(sheet.rows, camera.y, camera.ky, sheet.height, left, words.row)) {
    const y = top + at;
    marks.push({ kind: "label", x: left - 8, y: y + 4, anchor: "end", text, size: 12, mono: true, fill: colours.ink });
    if (tick) marks.push({ kind: "stroke", d: `M${left - 5} ${y}h5`, stroke: colours.faint });
  }
  for (const { at, text, tick } of axis(sheet.columns, camera.x, camera.kx, sheet.width, top, words.column)) {
    const x = left + at;
    marks.push({ kind: "label", x: x + 4, y: top - 8, turn: -90, text, size: 12, mono: true, fill: colours.ink });
    if (tick) marks.push({ kind: "stroke", d: `M${x} ${top - 5}v5`, stroke: colours.faint });
  }
  return marks;
}

export interface GridLines {
  rows: number[];
  columns: number[];
  row: number | null;
  column: number | null;
}

/** A band across the map for each token that is pinned or pointed at. */
function bands({ camera, sheet, rulers, lines, colours }: MapDrawing): SceneMark[] {
  const marks: SceneMark[] = [];
  const box = (x: number, y: number, width: number, height: number, opacity: number) =>
    marks.push({ kind: "box", x, y, width, height, stroke: colours.accent, thickness: 1, opacity });
  const band = (row: number | null, column: number | null, opacity: number) => {
    if (row !== null) {
      const [from, thick] = [(row - camera.y) * camera.ky, Math.max(1.5, camera.ky)];
      const [top, bottom] = [Math.max(0, from), Math.min(sheet.height, from + thick)];
      if (bottom > top) box(rulers.left, rulers.top + top, sheet.width, bottom - top, opacity);
    }
    if (column !== null) {
      const [from, thick] = [(column - camera.x) * camera.kx, Math.max(1.5, camera.kx)];
      const [left, right] = [Math.max(0, from), Math.min(sheet.width, from + thick)];
      if (right > left) box(rulers.left + left, rulers.top, right - left, sheet.height, opacity);
    }
  };
  for (const row of lines.rows) band(row, null, 0.9);
  for (const column of lines.columns) band(null, column, 0.9);
  band(lines.row, lines.column, 0.5);
  return marks;
}

const WRITTEN = 30;

/** The weights themselves, where a square has room for them. */
function weightLabels({ atlas, camera, sheet, rulers, shade }: MapDrawing): SceneMark[] {
  if (camera.kx < WRITTEN || camera.ky < 14) return [];
  const marks: SceneMark[] = [];
  const lastRow = Math.min(sheet.rows, camera.y + sheet.height / camera.ky);
  const lastColumn = Math.min(sheet.columns, camera.x + sheet.width / camera.kx);
  for (let row = Math.max(0, Math.floor(camera.y)); row < lastRow; row++) {
    for (let column = Math.max(0, Math.floor(camera.x)); column < lastColumn; column++) {
      const tile = atlas.tile({ level: 0, row: Math.floor(row / TILE), column: Math.floor(column / TILE) });
      const weight = tile?.numbers[(row % TILE) * tile.columns + (column % TILE)];
      const x = (column + 0.5 - camera.x) * camera.kx;
      const y = (row + 0.5 - camera.y) * camera.ky + 4;
      if (weight === undefined || weight < 0.005 || x < 14 || y < 10 || x > sheet.width - 14 || y > sheet.height - 2)
        continue;
      if (shade.scale === "sinkless" && atlas.rests(0, column)) continue;
      const fill = readable(strength(shade.theme, ink(weight, shade)));
      const [left, top] = [rulers.left + x, rulers.top + y];
      marks.push({ kind: "label", x: left, y: top, anchor: "middle", text: short(weight), size: 11, fill });
    }
  }
  return marks;
}

/** Everything but the ground. */
export function mapMarks(drawing: MapDrawing): SceneMark[] {
  const { sheet, rulers, colours } = drawing;
  const [x, y] = [rulers.left - 0.5, rulers.top - 0.5];
  return [
    ...weightLabels(drawing),
    ...bands(drawing),
    { kind: "box", x, y, width: sheet.width + 1, height: sheet.height + 1, stroke: colours.line },
    ...rulerMarks(drawing),
  ];
}

export const mapSize = ({ sheet, rulers }: Pick<MapDrawing, "sheet" | "rulers">) => ({
  width: rulers.left + sheet.width + 1,
  height: rulers.top + sheet.height + 1,
});

export function paintGround(context: CanvasRenderingContext2D, drawing: MapDrawing, fine: number): void {
  const { atlas, camera, sheet, shade, rulers, colours } = drawing;
  paintBeyond(context, drawing, fine);
  paintTiles(context, atlas, camera, sheet, shade, fine, rulers);
  if (drawing.causal) hatch(context, camera, sheet, colours, fine, rulers);
}

/** What is beside and below the last weight is no part of the map. */
function paintBeyond(context: CanvasRenderingContext2D, drawing: MapDrawing, fine: number): void {
  const { camera, sheet, rulers, colours } = drawing;
  const right = Math.min(sheet.width, (sheet.columns - camera.x) * camera.kx);
  const below = Math.min(sheet.height, (sheet.rows - camera.y) * camera.ky);
  context.save();
  context.setTransform(fine, 0, 0, fine, 0, 0);
  context.fillStyle = colours.ground;
  context.fillRect(rulers.left + right, rulers.top, sheet.width - right, sheet.height);
  context.fillRect(rulers.left, rulers.top + below, right, sheet.height - below);
  context.restore();
}

/** The map as a scene of its own, to be kept: its ground is a picture in it. */
export function mapScene(drawing: MapDrawing, fine: number): Scene {
  const { sheet } = drawing;
  const pixels = document.createElement("canvas");
  [pixels.width, pixels.height] = [Math.ceil(sheet.width * fine), Math.ceil(sheet.height * fine)];
  const context = pixels.getContext("2d");
  drawing.atlas.begin(Number.POSITIVE_INFINITY); // what is kept is painted to its end
  if (context) paintGround(context, { ...drawing, rulers: { left: 0, top: 0 } }, fine);
  const { left, top } = drawing.rulers;
  const { width, height } = sheet;
  return {
    ...mapSize(drawing),
    marks: [{ kind: "raster", x: left, y: top, width, height, pixels, smooth: true }, ...mapMarks(drawing)],
  };
}

/** The whole map small on a canvas, and a frame where one is. */
export function paintOverview(context: CanvasRenderingContext2D, drawing: MapDrawing, size: number): void {
  const { atlas, camera, sheet, shade, colours } = drawing;
  const { width, height } = overviewSize(sheet, size);
  const [kx, ky] = [width / sheet.columns, height / sheet.rows];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, height);
  const last = sheet.levels - 1;
  const tile = atlas.tile({ level: last, row: 0, column: 0 });
  const painted = tile && atlas.canvas(tile, shade);
  if (painted) {
    const cell = 2 ** last;
    context.imageSmoothingEnabled = true;
    context.drawImage(painted, 0, 0, tile.columns * cell * kx, tile.rows * cell * ky);
  }
  const [left, top] = [Math.max(0, camera.x * kx), Math.max(0, camera.y * ky)];
  const right = Math.min(width, (camera.x + sheet.width / camera.kx) * kx);
  const bottom = Math.min(height, (camera.y + sheet.height / camera.ky) * ky);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.5, top + 0.5, Math.max(3, right - left - 1), Math.max(3, bottom - top - 1));
}

export function overviewSize(sheet: MapSheet, size: number): { width: number; height: number } {
  const longest = Math.max(sheet.rows, sheet.columns);
  const side = (length: number) => Math.max(12, Math.round((size * length) / longest));
  return { width: side(sheet.columns), height: side(sheet.rows) };
}
