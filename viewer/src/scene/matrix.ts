/** A small matrix as coloured squares with its names, and with the numbers in them where there is room. */
import type { Grid } from "../api";
import type { Palette } from "../theme";
import { css, difference, readable, strength, type Colour } from "./colour";
import { fitText, measure, type SceneMark, type Scene, type Touch } from "./scene";
import { legible as visible, short } from "./signs";
import type { DataTable } from "./table";

export interface MatrixStyle {
  cell?: number;
  /** Write the numbers into the squares. */
  numbers?: boolean;
  title?: boolean;
  /** Rows or columns that are framed. */
  row?: number | null;
  column?: number | null;
  /** The one square that is framed. */
  chosen?: readonly [number, number] | null;
  touch?: (row: number, column: number) => Touch;
  /** What full ink is; else the largest number. */
  top?: number;
  /** What stands in the squares instead of the numbers. */
  texts?: string[][] | null;
  /** Room above for the names of columns, where several matrices stand beside each other. */
  above?: number;
}

/** The room that the names of columns take, written across or, where they are too long for that, upwards. */
function headRoom(grid: Grid, wide: number): { above: number; upright: boolean } {
  const lengths = grid.columns.map((name) => measure(visible(name), 12));
  const upright = lengths.every((length) => length <= wide - 4);
  if (!grid.columns.some(Boolean)) return { above: 2, upright };
  return { above: upright ? 18 : Math.min(170, Math.max(0, ...lengths)) + 8, upright };
}

/** The most that any of some matrices takes, with squares of one size: they then begin at the same height. */
export const commonHeadRoom = (grids: Grid[], cell: number): number =>
  Math.max(2, ...grids.map((grid) => headRoom(grid, cell).above));

export function colourOf(grid: Grid, colours: Palette, top: number): (value: number) => Colour {
  if (grid.kind === "numbers") return (value) => difference(colours.theme, value / top);
  if (grid.kind === "mask") return (value) => strength(colours.theme, value > 0 ? 0.55 : 0);
  return (value) => strength(colours.theme, value / top);
}

export function largest(grid: Grid): number {
  return Math.max(1e-9, ...grid.numbers.flat().map((value) => Math.abs(value ?? 0)));
}

export function matrixScene(grid: Grid, colours: Palette, style: MatrixStyle = {}): Scene {
  const rows = grid.numbers.length;
  const columns = grid.numbers[0]?.length ?? 0;
  const cell = style.cell ?? Math.max(12, Math.min(32, Math.floor(420 / Math.max(rows, columns, 1))));
  const wide = style.texts
    ? Math.max(cell, Math.min(96, Math.max(...style.texts.flat().map((text) => measure(visible(text), 11))) + 8))
    : cell;
  const top = style.top ?? (grid.kind === "weights" ? 1 : largest(grid));
  const colour = colourOf(grid, colours, top);
  const hasRowNames = grid.rows.length === rows && grid.rows.some(Boolean);
  const left = hasRowNames
    ? Math.min(190, Math.max(0, ...grid.rows.map((name) => measure(visible(name), 12)))) + 10
    : 2;
  const room = headRoom(grid, wide);
  const { upright } = room;
  const above = Math.max(room.above, style.above ?? 0);
  const head = style.title === false ? 0 : 20;
  const y = head + above;
  const marks: SceneMark[] = [];
  if (head) marks.push({ kind: "label", x: left, y: 13, text: grid.name, size: 13, bold: true, fill: colours.ink });
  grid.rows.forEach(
    (name, row) =>
      hasRowNames &&
      marks.push({
        kind: "label",
        x: left - 6,
        y: y + row * cell + cell / 2 + 4,
        anchor: "end",
        text: fitText(visible(name), left - 8, 12),
        size: 12,
        mono: true,
        fill: row === style.row ? colours.accent : colours.faint,
        bold: row === style.row,
      }),
  );
  grid.columns.forEach((name, column) =>
    marks.push(
      upright
        ? {
            kind: "label",
            x: left + column * wide + wide / 2,
            y: y - 5,
            anchor: "middle",
            text: visible(name),
            size: 12,
            mono: true,
            fill: column === style.column ? colours.accent : colours.faint,
          }
        : {
            kind: "label",
            x: left + column * wide + wide / 2 + 4,
            y: y - 5,
            turn: -90,
            text: fitText(visible(name), above - 8, 12),
            size: 12,
            mono: true,
            fill: column === style.column ? colours.accent : colours.faint,
          },
    ),
  );
  grid.numbers.forEach((line, row) =>
    line.forEach((value, column) => {
      const shown = value ?? Number.NaN;
      const fill = value === null ? null : colour(value);
      const text = style.texts?.[row]?.[column] ?? null;
      marks.push({
        kind: "box",
        x: left + column * wide,
        y: y + row * cell,
        width: wide - 1,
        height: cell - 1,
        fill: fill ? css(fill) : colours.soft,
        name: "cell",
        stroke: grid.kind !== "numbers" ? colours.line : undefined,
        thickness: 0.5,
        title: `${grid.rows[row] ?? row} → ${grid.columns[column] ?? column}: ${text !== null ? `${visible(text)} ` : ""}${value === null ? "forbidden" : short(shown, 4)}`,
        touch: style.touch?.(row, column),
      });
      const written =
        text !== null
          ? fitText(visible(text), wide - 6, 11)
          : style.numbers !== false && grid.kind !== "mask" && cell >= 26
            ? value === null
              ? "–"
              : short(shown, Math.abs(shown) >= 10 ? 0 : cell >= 30 && Math.abs(shown) < 1 ? 2 : 1)
            : "";
      if (written) {
        marks.push({
          kind: "label",
          x: left + column * wide + (wide - 1) / 2,
          y: y + row * cell + cell / 2 + 3.5,
          anchor: "middle",
          text: written,
          size: text !== null ? 11 : 10,
          fill: fill ? readable(fill) : colours.faint,
          name: "unclickable",
        });
      }
    }),
  );
  const frame = (x: number, from: number, width: number, height: number) =>
    marks.push({ kind: "box", x, y: from, width, height, stroke: colours.accent, thickness: 2, name: "unclickable" });
  if (style.row != null && style.row < rows) frame(left - 1, y + style.row * cell - 1, columns * wide + 1, cell + 1);
  if (style.column != null && style.column < columns)
    frame(left + style.column * wide - 1, y - 1, wide + 1, rows * cell + 1);
  if (style.chosen) frame(left + style.chosen[1] * wide - 1, y + style.chosen[0] * cell - 1, wide + 1, cell + 1);
  const titleWidth = head ? left + 1.12 * measure(grid.name, 13, false) + 8 : 0;
  return { width: Math.max(left + columns * wide + 4, titleWidth), height: y + rows * cell + 6, marks };
}

/** Several scenes beside each other, in lines that fit. */
export function sideBySide(scenes: Scene[], width: number, gap = 26): Scene {
  const marks: SceneMark[] = [];
  let [x, y, line, widest] = [0, 0, 0, 0];
  for (const scene of scenes) {
    if (x > 0 && x + scene.width > width) {
      y += line + 18;
      x = line = 0;
    }
    marks.push(...scene.marks.map((mark) => shiftMark(mark, x, y)));
    x += scene.width + gap;
    line = Math.max(line, scene.height);
    widest = Math.max(widest, x - gap);
  }
  return { width: Math.max(1, widest), height: y + line, marks };
}

/** A mark somewhere else; in a path the numbers after capital letters are positions, those after small ones are not. */
function shiftMark(mark: SceneMark, x: number, y: number): SceneMark {
  if (mark.kind !== "stroke") return { ...mark, x: mark.x + x, y: mark.y + y };
  let turn = 0;
  let relative = false;
  const d = mark.d.replace(/([A-Za-z])|(-?\d*\.?\d+(?:e-?\d+)?)/g, (all, letter: string | undefined) => {
    if (letter) {
      relative = letter === letter.toLowerCase();
      turn = letter === "V" ? 1 : 0;
      return all;
    }
    const shifted = relative ? Number(all) : Number(all) + (turn % 2 ? y : x);
    turn++;
    return `${shifted} `;
  });
  return { ...mark, d };
}

export function gridTable(grids: Grid[]): DataTable {
  return {
    caption: grids.map((grid) => grid.name).join(", "),
    columns: ["matrix", "row", "column", "number"],
    rows: grids.flatMap((grid) =>
      grid.numbers.flatMap((line, row) =>
        line.map((value, column) => [
          grid.name,
          visible(grid.rows[row] ?? String(row)),
          visible(grid.columns[column] ?? String(column)),
          value ?? "forbidden",
        ]),
      ),
    ),
  };
}
