/** Where the map is seen from: which weight is in the corner, and how many pixels one weight takes each way. */
import type { LayerInfo } from "../../api";
import { TILE, type TileRequest } from "./tiles";

export interface Camera {
  /** The column at the left edge and the row at the upper one; fractions are parts of a weight. */
  x: number;
  y: number;
  /** Pixels a weight, across and down: the same unless the two sides are of very different lengths. */
  kx: number;
  ky: number;
}

export interface MapSheet {
  width: number;
  height: number;
  rows: number;
  columns: number;
  levels: number;
  /** Pixels a weight where all of it is seen. */
  least: { kx: number; ky: number };
}

export const NEAREST = 56;
const SMALL = 96; // tokens: such a map is as large as it is, without a margin
const STRETCH = 1.8; // times as wide as tall are the weights of such a map at most, where the window is wide
const ROOMY = 24; // pixels that a weight may take on its shorter side while the longer one is squeezed
const MOST_TILES = 64;

/** The sheet for a layer in a window: as wide as there is room, no taller than all of it. */
export function sheetFor(layer: LayerInfo, room: number, height: number): MapSheet {
  const { keys, queries, levels } = layer;
  const across = Math.min(Math.max(120, room), keys * NEAREST);
  const [fitX, fitY] = [Math.min(NEAREST, across / keys), Math.min(NEAREST, height / queries)];
  const square = Math.min(fitX, fitY);
  const most = layer.rows === layer.columns ? square : Math.max(square, ROOMY); // a text and itself: one scale
  const small = Math.max(keys, queries) <= SMALL;
  const wide = small ? Math.max(most, STRETCH * square) : most;
  const least = { kx: Math.min(fitX, wide), ky: Math.min(fitY, most) };
  const width = small || least.kx >= ROOMY ? Math.max(keys * least.kx, 40) : across;
  const tall = Math.min(height, Math.max(small ? 20 : 90, Math.ceil(queries * least.ky)));
  return { width, height: tall, rows: queries, columns: keys, levels, least };
}

/** The camera that has a weight in its middle. */
export function centred(row: number, column: number, k: number | readonly [number, number], sheet: MapSheet): Camera {
  const [kx, ky] = typeof k === "number" ? [k, k] : k;
  return bounded({ kx, ky, x: column - sheet.width / kx / 2, y: row - sheet.height / ky / 2 }, sheet);
}

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** The nearest camera that stays on the map: what is smaller than the sheet stays at its ruler. */
export function bounded(camera: Camera, sheet: MapSheet): Camera {
  const kx = between(camera.kx, sheet.least.kx, NEAREST);
  const ky = between(camera.ky, sheet.least.ky, NEAREST);
  const x = between(camera.x, 0, Math.max(0, sheet.columns - sheet.width / kx));
  const y = between(camera.y, 0, Math.max(0, sheet.rows - sheet.height / ky));
  return { x, y, kx, ky };
}

/** Nearer or farther about a point of the sheet, which keeps the weight that stands there. */
export function zoomed(camera: Camera, factor: number, at: { x: number; y: number }, sheet: MapSheet): Camera {
  const kx = between(camera.kx * factor, sheet.least.kx, NEAREST);
  const ky = between(camera.ky * factor, sheet.least.ky, NEAREST);
  const x = camera.x + at.x / camera.kx - at.x / kx;
  const y = camera.y + at.y / camera.ky - at.y / ky;
  return bounded({ x, y, kx, ky }, sheet);
}

/** Moved by pixels. */
export const pushed = (camera: Camera, x: number, y: number, sheet: MapSheet): Camera =>
  bounded({ ...camera, x: camera.x - x / camera.kx, y: camera.y - y / camera.ky }, sheet);

/** Which weight stands at a point of the sheet. */
export function under(x: number, y: number, camera: Camera, sheet: MapSheet): { row: number; column: number } | null {
  const column = Math.floor(x / camera.kx + camera.x);
  const row = Math.floor(y / camera.ky + camera.y);
  const inside = x >= 0 && y >= 0 && row >= 0 && column >= 0 && row < sheet.rows && column < sheet.columns;
  return inside ? { row, column } : null;
}

/** All of it, beside its rulers. */
export const whole = (sheet: MapSheet): Camera => ({ x: 0, y: 0, ...sheet.least });

export const isWhole = (camera: Camera, sheet: MapSheet): boolean =>
  camera.kx < sheet.least.kx * 1.01 && camera.ky < sheet.least.ky * 1.01;

/** The coarsest level whose cells are not larger than a pixel of the screen, and that so many tiles can cover. */
export function levelAt(camera: Camera, sheet: MapSheet, fine: number): number {
  const k = Math.max(camera.kx, camera.ky) * fine;
  let level = between(Math.floor(-Math.log2(k) + 0.01), 0, sheet.levels - 1);
  while (level < sheet.levels - 1 && seen(camera, sheet, level).length > MOST_TILES) level++;
  return level;
}

/** The tiles of a level that are seen, and so many pixels around, those nearest to the middle first. */
export function seen(camera: Camera, sheet: MapSheet, level: number, around = 0): TileRequest[] {
  const size = TILE * 2 ** level;
  const range = (from: number, to: number, most: number): number[] => {
    const first = Math.max(0, Math.floor(from / size));
    const last = Math.min(Math.ceil(most / size) - 1, Math.floor((to - 1e-9) / size));
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step);
  };
  const { x, y, kx, ky } = camera;
  const rows = range(y - around / ky, y + (sheet.height + around) / ky, sheet.rows);
  const columns = range(x - around / kx, x + (sheet.width + around) / kx, sheet.columns);
  const middle = [y + sheet.height / ky / 2, x + sheet.width / kx / 2] as const;
  const away = ({ row, column }: TileRequest) =>
    Math.hypot(((row + 0.5) * size - middle[0]) * ky, ((column + 0.5) * size - middle[1]) * kx);
  return rows
    .flatMap((row) => columns.map((column) => ({ level, row, column })))
    .sort((first, other) => away(first) - away(other));
}

/** `row,column,pixels` of the middle, for the address; pixels each way where they differ. */
export function spelled(camera: Camera, sheet: MapSheet): string {
  const row = camera.y + sheet.height / camera.ky / 2;
  const column = camera.x + sheet.width / camera.kx / 2;
  const ways = camera.kx === camera.ky ? [camera.kx] : [camera.kx, camera.ky];
  return [row.toFixed(1), column.toFixed(1), ...ways.map((k) => k.toPrecision(4))].join(",");
}

export function parsed(text: string, sheet: MapSheet): Camera | null {
  const [row, column, kx, ky = kx] = text.split(",").map(Number);
  if (![row, column, kx, ky].every((part) => part !== undefined && Number.isFinite(part)) || !(kx! > 0 && ky! > 0))
    return null;
  return centred(row!, column!, [kx!, ky!], sheet);
}
