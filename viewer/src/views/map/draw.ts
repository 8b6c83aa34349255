/** The map as a scene: the tiles that are seen, rulers with tokens, lines at what is spoken of. */
import type { Palette } from "../../theme";
import { fitText, type SceneMark, type Scene } from "../../scene/scene";
import { readable, strength } from "../../scene/colour";
import { ink, type Shade } from "../../scene/shade";
import { count, short } from "../../scene/signs";
import { levelAt, seen, type Camera, type MapSheet } from "./camera";
import { TILE, type Atlas } from "./tiles";

export const LEFT = 104;
export const TOP = 78;

/** Paint what is known: exact tiles, and where one is on its way the part of a coarser one that covers it. */
export function tiles(atlas: Atlas, camera: Camera, sheet: MapSheet, shade: Shade, fine: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(sheet.width * fine));
  canvas.height = Math.max(1, Math.round(sheet.height * fine));
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.scale(fine, fine);
  const level = levelAt(camera, sheet, fine);
  context.imageSmoothingEnabled = false;
  for (const need of seen(camera, sheet, level)) {
    const cell = 2 ** level;
    const left = need.column * TILE * cell;
    const top = need.row * TILE * cell;
    const right = Math.min(sheet.columns, left + TILE * cell);
    const bottom = Math.min(sheet.rows, top + TILE * cell);
    const box = [
      (left - camera.x) * camera.k,
      (top - camera.y) * camera.k,
      (right - left) * camera.k,
      (bottom - top) * camera.k,
    ] as const;
    for (let coarse = level; coarse < sheet.levels; coarse++) {
      const times = 2 ** (coarse - level);
      const tile = atlas.tile({
        level: coarse,
        row: Math.floor(need.row / times),
        column: Math.floor(need.column / times),
      });
      if (!tile) continue;
      const size = 2 ** coarse;
      const x = left / size - tile.column * TILE;
      const y = top / size - tile.row * TILE;
      context.imageSmoothingEnabled = coarse > level;
      // the last cell of a line may stand for less than its fellows: it is stretched with the tile, and cut at the edge
      context.save();
      context.beginPath();
      context.rect(...box);
      context.clip();
      context.drawImage(
        atlas.canvas(tile, shade),
        x,
        y,
        Math.min(TILE / times, tile.columns - x),
        Math.min(TILE / times, tile.rows - y),
        box[0],
        box[1],
        Math.min(TILE / times, tile.columns - x) * size * camera.k,
        Math.min(TILE / times, tile.rows - y) * size * camera.k,
      );
      context.restore();
      break;
    }
  }
  return canvas;
}

export interface AxisLabels {
  row: (index: number) => string;
  column: (index: number) => string;
}

/** 1, 2, 5, 10 …: a mark every so many tokens, so that marks are far enough apart. */
function every(k: number, apart: number): number {
  let step = 1;
  for (let turn = 0; step * k < apart; turn++) step *= turn % 3 === 1 ? 2.5 : 2;
  return step;
}

function ruler(camera: Camera, sheet: MapSheet, words: AxisLabels, colours: Palette): SceneMark[] {
  const marks: SceneMark[] = [];
  const down = every(camera.k, 15);
  const from = Math.max(0, Math.ceil(camera.y / down) * down);
  for (let row = from; row < Math.min(sheet.rows, camera.y + sheet.height / camera.k); row += down) {
    const y = TOP + (row + (down === 1 ? 0.5 : 0) - camera.y) * camera.k;
    if (y < TOP - 1 || y > TOP + sheet.height - 2) continue;
    const text = words.row(row);
    const shown = down === 1 ? fitText(text, LEFT - 14, 12) : `${fitText(text, 50, 12)} ${count(row)}`;
    marks.push({
      kind: "label",
      x: LEFT - 8,
      y: y + 4,
      anchor: "end",
      text: shown,
      size: 12,
      mono: true,
      fill: colours.ink,
    });
    if (down > 1) marks.push({ kind: "stroke", d: `M${LEFT - 5} ${y}h5`, stroke: colours.faint });
  }
  const across = every(camera.k, 15);
  const start = Math.max(0, Math.ceil(camera.x / across) * across);
  for (let column = start; column < Math.min(sheet.columns, camera.x + sheet.width / camera.k); column += across) {
    const x = LEFT + (column + (across === 1 ? 0.5 : 0) - camera.x) * camera.k;
    if (x < LEFT - 1 || x > LEFT + sheet.width - 4) continue;
    const text = words.column(column);
    const shown = across === 1 ? fitText(text, TOP - 14, 12) : `${count(column)} ${fitText(text, 30, 12)}`;
    marks.push({
      kind: "label",
      x: x + 4,
      y: TOP - 8,
      turn: -90,
      text: shown,
      size: 12,
      mono: true,
      fill: colours.ink,
    });
    if (across > 1) marks.push({ kind: "stroke", d: `M${x} ${TOP - 5}v5`, stroke: colours.faint });
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
function bands(camera: Camera, sheet: MapSheet, lines: GridLines, colours: Palette): SceneMark[] {
  const thick = Math.max(1.5, camera.k);
  const inside = (at: number, most: number) => at + thick > 0 && at < most;
  const marks: SceneMark[] = [];
  const band = (row: number | null, column: number | null, opacity: number) => {
    const y = row === null ? null : (row - camera.y) * camera.k;
    const x = column === null ? null : (column - camera.x) * camera.k;
    if (y !== null && inside(y, sheet.height)) {
      const top = Math.max(0, y);
      marks.push({
        kind: "box",
        x: LEFT,
        y: TOP + top,
        width: sheet.width,
        height: Math.min(sheet.height, y + thick) - top,
        stroke: colours.accent,
        thickness: 1,
        opacity,
      });
    }
    if (x !== null && inside(x, sheet.width)) {
      const left = Math.max(0, x);
      marks.push({
        kind: "box",
        x: LEFT + left,
        y: TOP,
        width: Math.min(sheet.width, x + thick) - left,
        height: sheet.height,
        stroke: colours.accent,
        thickness: 1,
        opacity,
      });
    }
  };
  for (const row of lines.rows) band(row, null, 0.9);
  for (const column of lines.columns) band(null, column, 0.9);
  band(lines.row, lines.column, 0.5);
  return marks;
}

const WRITTEN = 30;

/** The weights themselves, where a square has room for them. */
function weightLabels(atlas: Atlas, camera: Camera, sheet: MapSheet, shade: Shade): SceneMark[] {
  if (camera.k < WRITTEN) return [];
  const marks: SceneMark[] = [];
  for (
    let row = Math.max(0, Math.floor(camera.y));
    row < Math.min(sheet.rows, camera.y + sheet.height / camera.k);
    row++
  ) {
    for (
      let column = Math.max(0, Math.floor(camera.x));
      column < Math.min(sheet.columns, camera.x + sheet.width / camera.k);
      column++
    ) {
      const tile = atlas.tile({ level: 0, row: Math.floor(row / TILE), column: Math.floor(column / TILE) });
      const weight = tile?.numbers[(row % TILE) * tile.columns + (column % TILE)];
      const x = (column + 0.5 - camera.x) * camera.k;
      const y = (row + 0.5 - camera.y) * camera.k + 4;
      if (weight === undefined || weight < 0.005 || x < 14 || y < 10 || x > sheet.width - 14 || y > sheet.height - 2)
        continue;
      if (shade.scale === "sinkless" && atlas.rests(0, column)) continue;
      marks.push({
        kind: "label",
        x: LEFT + x,
        y: TOP + y,
        anchor: "middle",
        text: short(weight),
        size: 11,
        fill: readable(strength(shade.theme, ink(weight, shade))),
      });
    }
  }
  return marks;
}

export function mapScene(
  atlas: Atlas,
  camera: Camera,
  sheet: MapSheet,
  shade: Shade,
  words: AxisLabels,
  lines: GridLines,
  colours: Palette,
  fine: number,
): Scene {
  return {
    width: LEFT + sheet.width + 1,
    height: TOP + sheet.height + 1,
    marks: [
      {
        kind: "raster",
        x: LEFT,
        y: TOP,
        width: sheet.width,
        height: sheet.height,
        pixels: tiles(atlas, camera, sheet, shade, fine),
        smooth: true,
      },
      ...weightLabels(atlas, camera, sheet, shade),
      ...bands(camera, sheet, lines, colours),
      {
        kind: "box",
        x: LEFT - 0.5,
        y: TOP - 0.5,
        width: sheet.width + 1,
        height: sheet.height + 1,
        stroke: colours.line,
      },
      ...ruler(camera, sheet, words, colours),
    ],
  };
}

/** The whole map small, and a frame where one is. */
export function overview(
  atlas: Atlas,
  camera: Camera,
  sheet: MapSheet,
  shade: Shade,
  colours: Palette,
  size: number,
): Scene {
  const scale = size / Math.max(sheet.rows, sheet.columns);
  const width = sheet.columns * scale;
  const height = sheet.rows * scale;
  const level = sheet.levels - 1;
  const all: Camera = { x: 0, y: 0, k: scale };
  const small: MapSheet = { ...sheet, width, height };
  const marks: SceneMark[] = [
    {
      kind: "raster",
      x: 0,
      y: 0,
      width,
      height,
      pixels: tiles(atlas, all, { ...small, levels: level + 1 }, shade, 1),
      smooth: true,
    },
  ];
  const left = Math.max(0, camera.x * scale);
  const top = Math.max(0, camera.y * scale);
  const right = Math.min(width, (camera.x + sheet.width / camera.k) * scale);
  const bottom = Math.min(height, (camera.y + sheet.height / camera.k) * scale);
  marks.push({
    kind: "box",
    x: left + 0.5,
    y: top + 0.5,
    width: Math.max(3, right - left - 1),
    height: Math.max(3, bottom - top - 1),
    stroke: colours.accent,
    thickness: 1.5,
  });
  return { width, height, marks };
}
