/** Where the map is seen from: which weight is in the corner, and how many pixels one weight takes. */
import type { LayerInfo } from "../../api";
import { TILE, type TileRequest } from "./tiles";

export interface Camera {
  /** The column at the left edge and the row at the upper one; fractions are parts of a weight. */
  x: number;
  y: number;
  /** Pixels a weight. */
  k: number;
}

export interface MapSheet {
  width: number;
  height: number;
  rows: number;
  columns: number;
  levels: number;
}

export const NEAREST = 56;
const SMALL = 96; // tokens: such a map is as large as it is, without a margin

/** The sheet for a layer in a window: as wide as there is room, no taller than all of it. */
export function sheetFor(layer: LayerInfo, room: number, height: number): MapSheet {
  const { keys, queries, levels } = layer;
  const across = Math.min(Math.max(120, room), keys * NEAREST);
  const down = Math.min(height, Math.max(90, Math.ceil(queries * Math.min(NEAREST, across / keys))));
  const fits = Math.min(NEAREST, across / keys, down / queries);
  const [width, tall] = Math.max(keys, queries) <= SMALL ? [keys * fits, queries * fits] : [across, down];
  return { width, height: tall, rows: queries, columns: keys, levels };
}

/** The camera that has a weight in its middle. */
export function centred(row: number, column: number, k: number, { width, height }: MapSheet): Camera {
  return { k, x: column - width / k / 2, y: row - height / k / 2 };
}

/** Which weight stands at a point of the sheet. */
export function under(x: number, y: number, camera: Camera, sheet: MapSheet): { row: number; column: number } | null {
  const column = Math.floor(x / camera.k + camera.x);
  const row = Math.floor(y / camera.k + camera.y);
  const inside = x >= 0 && y >= 0 && row >= 0 && column >= 0 && row < sheet.rows && column < sheet.columns;
  return inside ? { row, column } : null;
}

/** All of it, beside its rulers. */
export function whole({ width, height, rows, columns }: MapSheet): Camera {
  return { k: Math.min(NEAREST, width / columns, height / rows), x: 0, y: 0 };
}

/** The coarsest level whose cells are not larger than a pixel of the screen. */
export function levelAt(camera: Camera, sheet: MapSheet, fine: number): number {
  return Math.max(0, Math.min(sheet.levels - 1, Math.floor(-Math.log2(camera.k * fine) + 0.01)));
}

/** The tiles of a level that are seen, those nearest to the middle first. */
export function seen(camera: Camera, sheet: MapSheet, level: number): TileRequest[] {
  const size = TILE * 2 ** level;
  const range = (from: number, to: number, most: number): number[] => {
    const first = Math.max(0, Math.floor(from / size));
    const last = Math.min(Math.ceil(most / size) - 1, Math.floor((to - 1e-9) / size));
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step);
  };
  const rows = range(camera.y, camera.y + sheet.height / camera.k, sheet.rows);
  const columns = range(camera.x, camera.x + sheet.width / camera.k, sheet.columns);
  const middle = [camera.y + sheet.height / camera.k / 2, camera.x + sheet.width / camera.k / 2] as const;
  const away = ({ row, column }: TileRequest) =>
    Math.hypot((row + 0.5) * size - middle[0], (column + 0.5) * size - middle[1]);
  return rows
    .flatMap((row) => columns.map((column) => ({ level, row, column })))
    .sort((first, other) => away(first) - away(other));
}

/** `row,column,pixels` of the middle, for the address. */
export function spelled(camera: Camera, sheet: MapSheet): string {
  const row = camera.y + sheet.height / camera.k / 2;
  const column = camera.x + sheet.width / camera.k / 2;
  return [row.toFixed(1), column.toFixed(1), camera.k.toPrecision(4)].join(",");
}

export function parsed(text: string, sheet: MapSheet): Camera | null {
  const [row, column, k] = text.split(",").map(Number);
  if (![row, column, k].every((first) => first !== undefined && Number.isFinite(first)) || !(k! > 0)) return null;
  return centred(row!, column!, Math.min(NEAREST, k!), sheet);
}
