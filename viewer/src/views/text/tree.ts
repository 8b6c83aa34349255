/** A beam search as a tree: a column a step, the winner straight along the top. */
import { linkHorizontal } from "d3-shape";
import { fitText, measure, type SceneMark, type Scene } from "../../scene/scene";
import { short, visible } from "../../scene/signs";
import type { DataTable } from "../../scene/table";
import type { BeamTreePayload } from "../../payload";
import type { Palette } from "../../theme";

const LINE = 26;
const SIZE = 13;

interface TreeNode {
  depth: number;
  lane: number;
  children: number[];
}

/** Depth and lane of every node; the winner's branch comes first among its sisters, then the likelier. */
function arrangeTree(tree: BeamTreePayload): TreeNode[] {
  const nodes: TreeNode[] = tree.nodes.map(() => ({ depth: 0, lane: 0, children: [] }));
  const roots: number[] = [];
  tree.nodes.forEach(({ parent }, index) => {
    if (parent < 0) roots.push(index);
    else {
      nodes[index]!.depth = nodes[parent]!.depth + 1;
      nodes[parent]!.children.push(index);
    }
  });
  const wins = new Set(tree.winner);
  const order = (treeNode: number, other: number) =>
    Number(wins.has(other)) - Number(wins.has(treeNode)) || tree.nodes[other]!.score - tree.nodes[treeNode]!.score;
  let lanes = 0;
  const todo = roots.sort(order).reverse();
  while (todo.length) {
    const index = todo.pop()!;
    const node = nodes[index]!;
    const parent = tree.nodes[index]!.parent;
    const eldest = parent < 0 ? lanes === 0 : nodes[parent]!.children[0] === index;
    node.lane = eldest && parent >= 0 ? nodes[parent]!.lane : lanes++;
    node.children.sort(order);
    todo.push(...[...node.children].reverse());
  }
  return nodes;
}

export function treeScene(tree: BeamTreePayload, colours: Palette, point: (line: string | null) => void): Scene {
  const nodes = arrangeTree(tree);
  const depths = Math.max(0, ...nodes.map((node) => node.depth)) + 1;
  const room = Array.from({ length: depths }, () => 24);
  tree.nodes.forEach(({ text }, index) => {
    const depth = nodes[index]!.depth;
    room[depth] = Math.max(room[depth]!, Math.min(140, measure(visible(text), SIZE) + 10));
  });
  const start = room.map((_, depth) => 30 + room.slice(0, depth).reduce((sum, width) => sum + width + 34, 0));
  const wins = new Set(tree.winner);
  const ends = new Map(tree.leaves.map((leaf, rank) => [leaf, rank]));
  const y = (lane: number) => 22 + lane * LINE;
  const draw = linkHorizontal<unknown, [number, number]>();
  const marks: SceneMark[] = [{ kind: "box", x: 8, y: y(0) - 4, width: 8, height: 8, round: 4, fill: colours.accent }];
  const lines: SceneMark[] = [];
  tree.nodes.forEach(({ text, parent, score }, index) => {
    const node = nodes[index]!;
    const won = wins.has(index);
    const from: [number, number] =
      parent < 0
        ? [16, y(0)]
        : [
            start[nodes[parent]!.depth]! +
              Math.min(room[nodes[parent]!.depth]!, measure(visible(tree.nodes[parent]!.text), SIZE) + 10),
            y(nodes[parent]!.lane),
          ];
    const d = draw({ source: from, target: [start[node.depth]!, y(node.lane)] });
    if (d) lines.push({ kind: "stroke", d, stroke: won ? colours.accent : colours.line, thickness: won ? 2.5 : 1.2 });
    const rank = ends.get(index);
    const ended = rank === undefined ? "" : `, ${won ? "the winner" : `finished, number ${rank + 1}`}`;
    marks.push({
      kind: "box",
      x: start[node.depth]!,
      y: y(node.lane) - 11,
      height: 22,
      round: 5,
      name: won ? "node won" : "node",
      width: Math.min(room[node.depth]!, measure(visible(text), SIZE) + 10),
      fill: won ? colours.soft : colours.paper,
      stroke: won ? colours.accent : rank === undefined ? colours.line : colours.faint,
      title: `${visible(text)}: log-probability up to here ${short(score)}${ended}`,
      touch: {
        enter: () => point(`“${visible(text)}” · log-probability up to here ${short(score, 3)}${ended}`),
        leave: () => point(null),
      },
    });
    marks.push({
      kind: "label",
      x: start[node.depth]! + 5,
      y: y(node.lane) + 4.5,
      text: fitText(visible(text), room[node.depth]! - 8, SIZE),
      size: SIZE,
      mono: true,
      bold: won,
      fill: won || rank !== undefined ? colours.ink : colours.faint,
      name: "unclickable",
    });
    if (rank !== undefined) {
      const right = start[node.depth]! + Math.min(room[node.depth]!, measure(visible(text), SIZE) + 10);
      marks.push({
        kind: "label",
        x: right + 6,
        y: y(node.lane) + 4.5,
        size: 12,
        fill: won ? colours.accent : colours.faint,
        bold: won,
        text: won ? `${short(score)} ★` : short(score),
      });
    }
  });
  const lanes = Math.max(0, ...nodes.map((node) => node.lane)) + 1;
  return {
    width: (start.at(-1) ?? 0) + (room.at(-1) ?? 0) + 70,
    height: y(lanes - 1) + 22,
    marks: [...lines, ...marks],
  };
}

export function treeTable(tree: BeamTreePayload): DataTable {
  const wins = new Set(tree.winner);
  return {
    caption: "every token that the beam search kept, with the log-probability of the text up to it",
    columns: ["number", "token", "after", "score", "winner"],
    rows: tree.nodes.map(({ text, parent, score }, index) => [
      index,
      visible(text),
      parent,
      score,
      wins.has(index) ? "yes" : "",
    ]),
  };
}
