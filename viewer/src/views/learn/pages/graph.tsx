import { useState } from "preact/hooks";
import { useWidth } from "../../../parts/width";
import { sideBySide, gridTable, matrixScene } from "../../../scene/matrix";
import type { SceneMark, Scene } from "../../../scene/scene";
import { count } from "../../../scene/signs";
import { palette } from "../../../theme";
import { number, grid, type LessonPage, type LessonProps } from "../lesson";
import { Equation, words } from "../mathml";
import { Shown, Slider } from "../pieces";

const SIZE = 280;

function ring(nodes: string[], edges: [number, number][], held: number | null, press: (node: number) => void): Scene {
  const colours = palette.value;
  const at = (index: number) => {
    const turn = (2 * Math.PI * index) / nodes.length - Math.PI / 2;
    return [SIZE / 2 + (SIZE / 2 - 44) * Math.cos(turn), SIZE / 2 + (SIZE / 2 - 44) * Math.sin(turn)] as const;
  };
  const marks: SceneMark[] = edges
    .filter(([who, whom]) => who !== whom && at(who) && at(whom))
    .map(([who, whom]) => {
      const [[x, y], [u, v]] = [at(who), at(whom)];
      const long = Math.hypot(u - x, v - y) || 1;
      const [dx, dy] = [(u - x) / long, (v - y) / long];
      const [tx, ty] = [u - 20 * dx, v - 20 * dy];
      return {
        kind: "stroke",
        d: `M${x + 18 * dx} ${y + 18 * dy}L${tx} ${ty}M${tx - 8 * dx + 5 * dy} ${ty - 8 * dy - 5 * dx}L${tx} ${ty}L${tx - 8 * dx - 5 * dy} ${ty - 8 * dy + 5 * dx}`,
        stroke: colours.accent,
        thickness: 1.6,
        title: `${nodes[who]} may look at ${nodes[whom]}`,
      };
    });
  nodes.forEach((name, index) => {
    const [x, y] = at(index);
    marks.push({
      kind: "box",
      x: x - 17,
      y: y - 17,
      width: 34,
      height: 34,
      round: 17,
      fill: held === index ? colours.accent : colours.soft,
      stroke: colours.accent,
      title: `${name}: click, then click whom it may look at`,
      touch: { press: () => press(index) },
      name: "node",
    });
    marks.push({
      kind: "label",
      x,
      y: y + 4,
      anchor: "middle",
      text: name,
      size: 12,
      fill: held === index ? colours.paper : colours.ink,
      name: "unclickable",
    });
  });
  return { width: SIZE, height: SIZE, marks };
}

function Body({ lesson, give }: LessonProps) {
  const [box, width] = useWidth(700);
  const [held, hold] = useState<number | null>(null);
  const nodes = lesson.inputs["nodes"] as string[];
  const edges = lesson.inputs["edges"] as [number, number][];
  const press = (node: number) => {
    if (held === null) return hold(node);
    hold(null);
    const there = edges.some(([who, whom]) => who === held && whom === node);
    give({ edges: there ? edges.filter(([who, whom]) => who !== held || whom !== node) : [...edges, [held, node]] });
  };
  const colours = palette.value;
  const grids = ["mask", "weights", "reach"].map((name) => grid(lesson, name)).filter((entry) => entry.numbers.length);
  const scene = sideBySide(
    [ring(nodes, edges, held, press), ...grids.map((entry) => matrixScene(entry, colours, { cell: 28 }))],
    Math.max(280, width),
  );
  return (
    <div ref={box} class="stack">
      <Slider
        label="Layers on top of each other"
        value={lesson.inputs["steps"] as number}
        least={1}
        most={6}
        set={(steps) => give({ steps })}
      />
      <p class="faint small">
        {held === null
          ? "Click a node, then the one it shall look at; again to take the arrow away."
          : `${nodes[held]} shall look at …`}
      </p>
      <Shown title="A graph, as the mask that it is" scene={scene} table={gridTable(grids)} lesson={lesson} first />
    </div>
  );
}

export const graph: LessonPage = {
  topic: "graph",
  title: "A graph is a mask",
  text:
    "If nodes may look only at their neighbours, attention becomes a network on a graph: the mask is the table of edges. " +
    "One layer reaches the neighbours, two reach their neighbours. Draw an edge, add a layer, and see how far a node hears.",
  Body,
  equation: (lesson) => (
    <Equation>
      <mn>{count((lesson.inputs["edges"] as unknown[]).length)}</mn> {words(" edges, ")}
      <mn>{String(lesson.inputs["steps"])}</mn>{" "}
      {words(` layers: whatever is reached in ${lesson.inputs["steps"]} steps can change a node`)}
    </Equation>
  ),
  experiment: {
    ask: "Let “c” hear “a”: by an arrow, or by more layers.",
    isDone: (lesson) => number(lesson, "reach", 3, 1) > 0,
    answer: "Three layers carry it from a over the hub and b to c, without a new arrow. That is what depth is for.",
  },
  elsewhere: { view: "map", says: "See the mask of a model" },
};
