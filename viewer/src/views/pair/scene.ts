/** How a score comes about: one bar for each dimension's product, added up from left to right. */
import { scaleLinear } from "d3-scale";
import type { ScoreDetail } from "../../api";
import { css, difference } from "../../scene/colour";
import type { SceneMark, Scene } from "../../scene/scene";
import { short } from "../../scene/signs";
import type { Palette } from "../../theme";

export type Order = "index" | "size";

export function ordered(pair: ScoreDetail, order: Order): number[] {
  const all = pair.products.map((_, index) => index);
  return order === "index"
    ? all
    : all.sort((first, other) => Math.abs(pair.products[other]!) - Math.abs(pair.products[first]!));
}

/** What the score has beside the products: the position part and the bias, unless they are only rounding. */
export function apart(pair: ScoreDetail): [name: string, value: number][] {
  const parts: [string, number][] = [
    ["position", pair.position],
    ["bias", pair.bias],
  ];
  return parts.filter(([, value]) => Math.abs(value) > 1e-5 * Math.max(1, Math.abs(pair.content)));
}

export function productScene(
  pair: ScoreDetail,
  order: Order,
  width: number,
  colours: Palette,
  say: (line: string | null) => void,
): Scene {
  const dimensions = ordered(pair, order);
  const left = 80;
  const extra = apart(pair).length;
  const count = dimensions.length + (extra ? extra + 0.5 : 0);
  const step = Math.max(5, Math.min(26, (width - left - 16) / Math.max(1, count)));
  const values = [...pair.products, pair.position, pair.bias];
  const sums: number[] = [];
  let sum = 0;
  for (const dimension of dimensions) sums.push((sum += pair.products[dimension]!));
  const reach = Math.max(1e-9, ...values.map(Math.abs));
  const total = Math.max(1e-9, ...sums.map(Math.abs), Math.abs(pair.content + pair.position + pair.bias));
  const strip = 15;
  const big = Math.max(1e-9, ...pair.query.map(Math.abs), ...pair.key.map(Math.abs));
  const topBars = 58;
  const tall = 130;
  const y = scaleLinear([-reach, reach], [topBars + tall, topBars]);
  const low = topBars + tall + 34;
  const sumY = scaleLinear([-total, total], [low + 110, low]);
  const colour = (value: number, most: number) => css(difference(colours.theme, value / most));
  const marks: SceneMark[] = [
    { kind: "label", x: left - 8, y: 13, anchor: "end", text: "query", size: 12, fill: colours.faint },
    { kind: "label", x: left - 8, y: 13 + strip + 3, anchor: "end", text: "key", size: 12, fill: colours.faint },
    { kind: "label", x: left - 8, y: y(0) + 4, anchor: "end", text: "product", size: 12, fill: colours.faint },
    { kind: "label", x: left - 8, y: sumY(0) + 4, anchor: "end", text: "sum so far", size: 12, fill: colours.faint },
    { kind: "stroke", d: `M${left} ${y(0)}H${left + step * count}`, stroke: colours.line },
    { kind: "stroke", d: `M${left} ${sumY(0)}H${left + step * count}`, stroke: colours.line },
  ];
  let path = `M${left} ${sumY(0)}`;
  dimensions.forEach((dimension, index) => {
    const x = left + index * step;
    const product = pair.products[dimension]!;
    const query = pair.query[dimension]!;
    const key = pair.key[dimension]!;
    const line = `dimension ${dimension}: query ${short(query, 3)}, key ${short(key, 3)}, its part of the score ${short(product, 3)}; up to here ${short(sums[index]!, 3)}`;
    const touch = { enter: () => say(line), leave: () => say(null) };
    marks.push({ kind: "box", x, y: 2, width: step - 1, height: strip, fill: colour(query, big), title: line, touch });
    marks.push({
      kind: "box",
      x,
      y: 2 + strip + 2,
      width: step - 1,
      height: strip,
      fill: colour(key, big),
      title: line,
      touch,
    });
    marks.push({
      kind: "box",
      x,
      y: Math.min(y(0), y(product)),
      width: step - 1,
      height: Math.max(1, Math.abs(y(product) - y(0))),
      fill: colour(Math.sign(product) * 0.75, 1),
      title: line,
      touch,
      name: "product",
    });
    path += `H${x + step / 2}V${sumY(sums[index]!)}`;
  });
  let x = left + (dimensions.length + 0.5) * step;
  for (const [name, value] of apart(pair)) {
    sum += value;
    marks.push({
      kind: "box",
      x,
      y: Math.min(y(0), y(value)),
      width: step - 1,
      height: Math.max(1, Math.abs(y(value) - y(0))),
      fill: colours.faint,
      title: `${name}: ${short(value, 3)}`,
    });
    marks.push({
      kind: "label",
      x: x + step / 2 + 4,
      y: y(0) + (value > 0 ? 6 : -6),
      turn: -90,
      anchor: value > 0 ? "end" : "start",
      text: name,
      size: 11,
      fill: colours.faint,
    });
    path += `H${x + step / 2}V${sumY(sum)}`;
    x += step;
  }
  const end = left + step * count;
  marks.push({ kind: "stroke", d: `${path}H${end}`, stroke: colours.accent, thickness: 2 });
  marks.push({
    kind: "label",
    x: Math.min(width - 4, end),
    y: sumY(sum) - 6,
    anchor: "end",
    text: short(sum, 3),
    size: 13,
    bold: true,
    fill: colours.accent,
  });
  return { width: Math.max(end + 12, 300), height: low + 124, marks };
}
