import { useRef } from "preact/hooks";
import { Figure } from "../../../parts/figure";
import { css } from "../../../scene/colour";
import { gridTable } from "../../../scene/matrix";
import { measure, type SceneMark, type Scene } from "../../../scene/scene";
import { legible as visible, short } from "../../../scene/signs";
import { useWidth } from "../../../parts/width";
import { palette } from "../../../theme";
import { SvgPicture } from "../../../parts/picture";
import { numbersOf, grid, type LessonPage, type LessonProps } from "../lesson";
import { chain, Equation, product, sign, value, words } from "../mathml";
import { Slider, zoomFor } from "../pieces";

const SIZE = 340;
const REACH = 1.5;

const pointAt = ([x, y]: readonly number[]) =>
  [SIZE / 2 + ((x ?? 0) / REACH) * (SIZE / 2 - 24), SIZE / 2 - ((y ?? 0) / REACH) * (SIZE / 2 - 24)] as const;

/** A value of three numbers as a colour: the output is a mixture of them. */
const paintOf = (value: readonly (number | null)[]) =>
  css(
    [0, 1, 2].map((axis) => Math.round(255 * Math.min(1, Math.max(0, value[axis] ?? 0)))) as [number, number, number],
  );

function plane(lesson: LessonProps["lesson"]): Scene {
  const colours = palette.value;
  const [keys, values, weights, output] = [
    grid(lesson, "keys"),
    grid(lesson, "values"),
    grid(lesson, "weights"),
    grid(lesson, "output"),
  ];
  const query = pointAt(lesson.inputs["query"] as number[]);
  const marks: SceneMark[] = [
    {
      kind: "box",
      x: 0.5,
      y: 0.5,
      width: SIZE - 1,
      height: SIZE - 1,
      stroke: colours.line,
      round: 10,
      fill: colours.paper,
    },
    { kind: "stroke", d: `M${SIZE / 2} 10V${SIZE - 10}M10 ${SIZE / 2}H${SIZE - 10}`, stroke: colours.line },
  ];
  keys.numbers.forEach((key, index) => {
    const [x, y] = pointAt(key as number[]);
    const weight = weights.numbers[0]?.[index] ?? 0;
    marks.push({
      kind: "stroke",
      d: `M${query[0]} ${query[1]}L${x} ${y}`,
      stroke: colours.accent,
      thickness: 1 + 10 * weight,
      opacity: 0.15 + 0.6 * weight,
    });
    marks.push({
      kind: "box",
      x: x - 10,
      y: y - 10,
      width: 20,
      height: 20,
      round: 5,
      fill: paintOf(values.numbers[index] ?? []),
      stroke: colours.ink,
      title: `${keys.rows[index]}: weight ${short(weight, 3)}`,
    });
    const text = `${visible(keys.rows[index] ?? String(index))} ${short(weight)}`;
    const beside = x + 15 + measure(text, 12, false) < SIZE;
    marks.push({
      kind: "label",
      x: beside ? x + 15 : x,
      y: beside ? y + 4 : y + 26,
      anchor: beside ? "start" : "middle",
      text,
      size: 12,
      fill: colours.ink,
    });
  });
  marks.push({
    kind: "box",
    x: query[0] - 9,
    y: query[1] - 9,
    width: 18,
    height: 18,
    round: 9,
    fill: paintOf(output.numbers[0] ?? []),
    stroke: colours.accent,
    thickness: 3,
    name: "query",
  });
  marks.push({
    kind: "label",
    x: query[0],
    y: query[1] + 24,
    anchor: "middle",
    text: "the query",
    size: 12,
    bold: true,
    fill: colours.accent,
  });
  return { width: SIZE, height: SIZE, marks };
}

function Body({ lesson, give }: LessonProps) {
  const box = useRef<HTMLDivElement>(null);
  const [card, width] = useWidth(SIZE);
  const scene = plane(lesson);
  const query = lesson.inputs["query"] as number[];
  const drag = (event: PointerEvent) => {
    if (!(event.buttons & 1)) return;
    const frame = box.current!.querySelector("svg")!.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width - 0.5) * (SIZE / (SIZE / 2 - 24)) * REACH;
    const y = (0.5 - (event.clientY - frame.top) / frame.height) * (SIZE / (SIZE / 2 - 24)) * REACH;
    const within = (value: number) => Number(Math.max(-REACH, Math.min(REACH, value)).toFixed(2));
    give({ query: [within(x), within(y)] });
  };
  const keys = (event: KeyboardEvent) => {
    const push = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!push) return;
    event.preventDefault();
    give({ query: query.map((value, axis) => Number((value + push[axis]!).toFixed(2))) });
  };
  const title = "A query among the keys; the colour is what it finds";
  return (
    <div class="stack" ref={card}>
      <Slider
        label="How strict the match is"
        value={lesson.inputs["scale"] as number}
        least={0}
        most={8}
        step={0.1}
        set={(scale) => give({ scale })}
      />
      <Figure
        title={title}
        of={[lesson]}
        first
        make={() => ({ title, scene, table: gridTable(lesson.grids), python: lesson.code })}
      >
        <div
          ref={box}
          class="plane"
          tabIndex={0}
          role="application"
          aria-label="Drag the query, or use the arrow keys"
          onPointerDown={drag}
          onPointerMove={drag}
          onKeyDown={keys}
        >
          <SvgPicture scene={scene} label={title} zoom={zoomFor(scene, width)} />
        </div>
      </Figure>
    </div>
  );
}

export const dictionary: LessonPage = {
  topic: "dictionary",
  title: "A dictionary that answers softly",
  text:
    "A file cabinet: every folder has a label (the key) and holds something (the value). An ordinary dictionary opens one folder. " +
    "Attention opens all of them, each as far as its label matches what you ask for (the query), and hands you the mixture. Drag the query.",
  Body,
  equation(lesson) {
    const [weights, values, output] = [grid(lesson, "weights"), grid(lesson, "values"), grid(lesson, "output")];
    const terms = (weights.numbers[0] ?? []).map((weight, index) =>
      product(value(weight ?? 0), words(values.rows[index] ?? "")),
    );
    return (
      <Equation>
        {words("output")} {sign("=")} {chain("+", terms)} {sign("=")} {sign("(")}
        {chain(
          ",",
          (output.numbers[0] ?? []).map((entry) => value(entry ?? 0)),
        )}
        {sign(")")}
      </Equation>
    );
  },
  experiment: {
    ask: "Drag the query, and set how strict the match is, until more than nine tenths come out of one drawer.",
    isDone: (lesson) => Math.max(...numbersOf(lesson, "weights")) > 0.9,
    answer: "Near one key and strict, it is an ordinary dictionary. Everywhere else it answers with a mixture.",
  },
  elsewhere: { view: "links", says: "See what each word takes from where" },
};
