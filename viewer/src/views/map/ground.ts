/** The ground of the map, straight onto a canvas: tiles, and the hatching of what may not be seen. */
import type { Shade } from "../../scene/shade";
import type { Palette } from "../../theme";
import { levelAt, seen, type Camera, type MapSheet } from "./camera";
import type { Rulers } from "./draw";
import { TILE, type Atlas } from "./tiles";

/** Paint what is known into a part of a canvas, in its own pixels: exact tiles, and where one is on its way the part of
 * a coarser one that covers it. Borders of tiles fall on whole pixels: neighbours meet without a seam. */
export function paintTiles(
  context: CanvasRenderingContext2D,
  atlas: Atlas,
  camera: Camera,
  sheet: MapSheet,
  shade: Shade,
  fine: number,
  { left: fromX, top: fromY }: Rulers,
): void {
  const level = levelAt(camera, sheet, fine);
  const across = (column: number) => Math.round((fromX + (column - camera.x) * camera.kx) * fine);
  const down = (row: number) => Math.round((fromY + (row - camera.y) * camera.ky) * fine);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.beginPath();
  context.rect(fromX * fine, fromY * fine, sheet.width * fine, sheet.height * fine);
  context.clip();
  for (const need of seen(camera, sheet, level)) {
    const cell = 2 ** level;
    const left = need.column * TILE * cell;
    const top = need.row * TILE * cell;
    const right = Math.min(sheet.columns, left + TILE * cell);
    const bottom = Math.min(sheet.rows, top + TILE * cell);
    for (let coarse = level; coarse < sheet.levels; coarse++) {
      const times = 2 ** (coarse - level);
      const row = Math.floor(need.row / times);
      const tile = atlas.tile({ level: coarse, row, column: Math.floor(need.column / times) });
      const painted = tile && atlas.canvas(tile, shade);
      if (!painted) continue;
      const size = 2 ** coarse;
      const x = left / size - tile.column * TILE;
      const y = top / size - tile.row * TILE;
      const [columns, rows] = [Math.min(TILE / times, tile.columns - x), Math.min(TILE / times, tile.rows - y)];
      const pixelsOfCell = Math.min(camera.kx, camera.ky) * size * fine;
      context.imageSmoothingEnabled = coarse > level || pixelsOfCell < 0.999; // several cells in a pixel: their mean
      context.imageSmoothingQuality = pixelsOfCell < 0.5 ? "high" : "low";
      const [x0, y0, x1, y1] = [across(left), down(top), across(right), down(bottom)];
      // the last cell of a line may stand for less than its fellows: it is stretched with the tile, and cut at the edge
      const [wide, tall] = [across(left + columns * size) - x0, down(top + rows * size) - y0];
      const isCut = wide > x1 - x0 || tall > y1 - y0;
      if (isCut) {
        context.save();
        context.beginPath();
        context.rect(x0, y0, x1 - x0, y1 - y0);
        context.clip();
      }
      context.drawImage(painted, x, y, columns, rows, x0, y0, wide, tall);
      if (isCut) context.restore();
      break;
    }
  }
  context.restore();
}

/** Hatch what a text that is written may not see: keys that come later. The last query stands beside the last key. */
export function hatch(
  context: CanvasRenderingContext2D,
  camera: Camera,
  sheet: MapSheet,
  colours: Palette,
  fine: number,
  rulers: Rulers,
): void {
  const shift = sheet.columns - sheet.rows;
  const x = (column: number) => rulers.left + (column - camera.x) * camera.kx;
  const y = (row: number) => rulers.top + (row - camera.y) * camera.ky;
  const [first, last] = [
    Math.max(0, Math.floor(camera.y)),
    Math.min(sheet.rows, camera.y + sheet.height / camera.ky + 1),
  ];
  context.save();
  context.setTransform(fine, 0, 0, fine, 0, 0);
  context.beginPath();
  context.rect(rulers.left, rulers.top, sheet.width, sheet.height);
  context.clip();
  context.beginPath();
  const right = Math.min(rulers.left + sheet.width, x(sheet.columns));
  context.moveTo(right, y(first));
  if (camera.ky >= 3) {
    for (let row = first; row < last; row++) {
      const edge = Math.min(right, x(row + 1 + shift));
      context.lineTo(edge, y(row));
      context.lineTo(edge, y(row + 1));
    }
  } else {
    context.lineTo(x(first + 1 + shift), y(first));
    context.lineTo(x(last + shift), y(last));
  }
  context.lineTo(right, y(last));
  context.closePath();
  context.clip();
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  const [width, height] = [rulers.left + sheet.width, rulers.top + sheet.height];
  for (let at = rulers.left - height; at < width; at += 7) {
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
  }
  context.stroke();
  context.restore();
}
