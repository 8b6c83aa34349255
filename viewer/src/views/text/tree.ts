/** A beam search as a tree: a column a step, the winner straight along the top. */
import { linkHorizontal } from "d3-shape";
import { fitText, measure, type SceneMark, type Scene } from "../../scene/scene";
import { short, visible } from "../../scene/signs";
import type { DataTable } from "../../scene/table";
import type { BeamTreePayload } from "../../payload";
import type { Palette } from "../../theme";

const LINE = 26;
const SIZE = 13;
/** Pixels between two columns: as many as there is room for. */
const [NARROW, WIDE] = [14, 34];

interface TreeNode {
  depth: number;
  lane: number;
  children: number[];
}

/** Depth and lane of every node; the winner's branch comes first among its sisters, then the likelier. A branch stands in
 * the first lane below its parent's that has room for it, so that a long search is no taller than it has to be. */
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
  for (const node of nodes) node.children.sort(order);
  const ends = new Set(tree.leaves);
  const taken: [number, number][][] = []; // of each lane the columns from the one before a branch to its end
  const todo = roots.sort(order).reverse();
  while (todo.length) {
    const index = todo.pop()!;
    const node = nodes[index]!;
    const parent = nodes[tree.nodes[index]!.parent];
    if (parent?.children[0] === index) node.lane = parent.lane;
    else {
      let last = index;
      while (nodes[last]!.children.length) last = nodes[last]!.children[0]!;
      const [from, to] = [node.depth - 1, nodes[last]!.depth + (ends.has(last) ? 1 : 0)]; // the end has its score beside it
      let lane = parent ? parent.lane + 1 : 0;
      while (taken[lane]?.some(([first, final]) => first <= to && from <= final)) lane++;
      (taken[lane] ??= []).push([from, to]);
      node.lane = lane;
    }
    todo.push(...[...node.children].reverse());
  }
  return nodes;
}

export function treeScene(
  tree: BeamTreePayload,
  colours: Palette,
  point: (line: string | null) => void,
  width: number,
): Scene {
  const nodes = arrangeTree(tree);
  const depths = Math.max(0, ...nodes.map((node) => node.depth)) + 1;
  const room = Array.from({ length: depths }, () => 24);
  tree.nodes.forEach(({ text }, index) => {
    const depth = nodes[index]!.depth;
    room[depth] = Math.max(room[depth]!, Math.min(140, measure(visible(text), SIZE) + 10));
  });
  const free = width - 90 - room.reduce((sum, column) => sum + column, 0);
  const gap = Math.max(NARROW, Math.min(WIDE, Math.floor(free / Math.max(1, depths - 1))));
  const start = room.map((_, depth) => 30 + room.slice(0, depth).reduce((sum, column) => sum + column + gap, 0));
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
    const turn = start[node.depth]! - gap; // beside the words of its column, and not through them
    const curve = draw({ source: [Math.max(turn, from[0]), from[1]], target: [start[node.depth]!, y(node.lane)] });
    const d = curve && (turn > from[0] ? `M${from[0]},${from[1]}H${turn}${curve.replace(/^M/, "L")}` : curve);
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
    width: (start.at(-1) ?? 0) + (room.at(-1) ?? 0) + 60,
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
