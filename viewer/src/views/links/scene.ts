/** Two columns of tokens with lines between them, as thick as their weights. */
import { linkHorizontal } from "d3-shape";
import type { Link, LayerInfo, RunPayload } from "../../api";
import type { Spot } from "../../address";
import { headColour } from "../../scene/colour";
import { fitText, measure, type SceneMark, type Scene } from "../../scene/scene";
import { short, plainly, visible } from "../../scene/signs";
import { columnText, rowOf, rowText, sameSpot, spotOfColumn, spotOfRow } from "../../sides";
import type { Palette } from "../../theme";

const LINE = 24;
const MOST = 80;

export interface LinkDrawing {
  run: RunPayload;
  layer: LayerInfo;
  links: Link[];
  /** Rows that are shown: from here, so many. */
  first: number;
  count: number;
  width: number;
  spoken: Spot | null;
  /** The pointer is on the right: whoever looks at the token is asked for. */
  receives: boolean;
  pins: Spot[];
}

export interface Reactions {
  point: (spot: Spot | null, receives: boolean) => void;
  pin: (spot: Spot, shift: boolean) => void;
  say: (line: string | null) => void;
}

/** The columns that are shown: all of a short text, else those that are looked at most. */
export function columnsShown(layer: LayerInfo, links: Link[], pins: number[]): number[] {
  if (layer.keys <= MOST) return Array.from({ length: layer.keys }, (_, index) => index);
  const best = new Map<number, number>();
  for (const [, , column, weight] of links) best.set(column, Math.max(best.get(column) ?? 0, weight));
  const ranked = [...best]
    .sort((first, other) => other[1] - first[1])
    .slice(0, MOST)
    .map(([column]) => column);
  return [...new Set([...ranked, ...pins.filter((pin) => pin < layer.keys)])].sort((first, other) => first - other);
}

export function linkScene(drawn: LinkDrawing, colours: Palette, react: Reactions): Scene {
  const { run, layer, links, first, count, width, spoken, pins } = drawn;
  const rows = Array.from({ length: Math.min(count, layer.queries - first) }, (_, step) => first + step);
  const keyPins = pins.filter((pin) => sameSpot(pin, spotOfColumn(run, layer, pin.index))).map((pin) => pin.index);
  const columns = columnsShown(layer, links, keyPins);
  const texts = [
    ...rows.map((row) => visible(rowText(run, layer, row))),
    ...columns.map((column) => visible(columnText(run, layer, column))),
  ];
  const room = Math.min(190, Math.max(60, ...texts.map((text) => measure(text, 13))) + 16);
  const gap = Math.max(110, Math.min(760, width - 2 * room - 20));
  const left = room + 8;
  const right = left + gap;
  const y = (step: number) => 34 + step * LINE;
  const lane = new Map(columns.map((column, step) => [column, y(step)]));
  const draw = linkHorizontal<unknown, [number, number]>();

  const same = layer.rows === layer.columns;
  const looks = (spot: Spot): boolean => rowOf(run, layer, spot) !== null;
  const active = (row: number, column: number): boolean => {
    const from = spotOfRow(run, layer, row);
    const to = spotOfColumn(run, layer, column);
    if (spoken) return sameSpot(drawn.receives || !looks(spoken) ? to : from, spoken);
    return pins.length === 0 || pins.some((pin) => sameSpot(pin, from) || (sameSpot(pin, to) && !same));
  };
  const order = [...new Set(links.map(([head]) => head))].sort((first, other) => first - other);
  const held = pins.length > 0 || spoken !== null;
  const lines: SceneMark[] = [];
  for (const [head, row, column, weight] of [...links].sort((first, other) => first[3] - other[3])) {
    const end = lane.get(column);
    if (end === undefined || row < first || row >= first + count) continue;
    const aside = (order.indexOf(head) - (order.length - 1) / 2) * Math.min(3.5, 14 / order.length); // heads beside each other, none hidden
    const d = draw({ source: [left, y(row - first) + aside], target: [right, end + aside] });
    if (!d) continue;
    const strong = active(row, column);
    const words = `${layer.name} · head ${head} · “${plainly(rowText(run, layer, row))}” → “${plainly(columnText(run, layer, column))}” ${short(weight)}`;
    lines.push({
      kind: "stroke",
      d,
      stroke: headColour(head),
      thickness: 0.5 + 6 * weight,
      name: strong ? "link strong" : "link",
      opacity: strong ? 0.25 + 0.7 * Math.sqrt(weight) : held ? 0.05 : 0.1,
      title: words,
      touch: strong ? { enter: () => react.say(words), leave: () => react.say(null) } : undefined,
    });
  }
  const marks: SceneMark[] = [
    { kind: "label", x: left - 8, y: 14, anchor: "end", text: `${layer.rows} looks`, size: 12, fill: colours.faint },
    { kind: "label", x: right + 8, y: 14, text: `at ${layer.columns}`, size: 12, fill: colours.faint },
  ];
  const token = (spot: Spot, text: string, at: number, side: "left" | "right") => {
    const pinned = pins.some((pin) => sameSpot(pin, spot));
    const lit = sameSpot(spot, spoken);
    const box = side === "left" ? left - room : right + 2;
    marks.push({
      kind: "box",
      x: box,
      y: at - 11,
      width: room - 2,
      height: 22,
      round: 5,
      name: "spot",
      title: text || `token ${spot.index}`,
      fill: pinned ? colours.accent : lit ? colours.soft : colours.paper,
      touch: {
        enter: () => react.point(spot, side === "right"),
        leave: () => react.point(null, false),
        press: (shift) => react.pin(spot, shift),
      },
    });
    marks.push({
      kind: "label",
      x: side === "left" ? left - 10 : right + 10,
      y: at + 4.5,
      anchor: side === "left" ? "end" : "start",
      name: "unclickable",
      text: fitText(text, room - 16),
      size: 13,
      mono: true,
      fill: pinned ? colours.paper : colours.ink,
      bold: lit,
    });
  };
  rows.forEach((row, step) => token(spotOfRow(run, layer, row), visible(rowText(run, layer, row)), y(step), "left"));
  columns.forEach((column, step) => {
    token(spotOfColumn(run, layer, column), visible(columnText(run, layer, column)), y(step), "right");
    const next = columns[step + 1];
    if (next !== undefined && next !== column + 1) {
      marks.push({
        kind: "label",
        x: right + room + 4,
        y: y(step) + LINE / 2 + 4,
        text: "⋮",
        size: 12,
        fill: colours.faint,
        title: `${next - column - 1} tokens that are hardly looked at`,
      });
    }
  });
  return {
    width: right + room + 16,
    height: y(Math.max(rows.length, columns.length) - 1) + 24,
    marks: [...lines, ...marks],
  };
}
