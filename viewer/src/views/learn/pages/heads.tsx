import { useEffect, useMemo, useState } from "preact/hooks";
import { Choice } from "../../../parts/choice";
import { Figure } from "../../../parts/figure";
import { useWidth } from "../../../parts/width";
import type { LessonNumbers } from "../../../api";
import { css, difference, headColour, strength } from "../../../scene/colour";
import { gridTable } from "../../../scene/matrix";
import type { SceneMark, Scene } from "../../../scene/scene";
import { short, visible } from "../../../scene/signs";
import { duration, palette } from "../../../theme";
import { setStep, stepOf, grid, number, type LessonPage, type LessonProps } from "../lesson";
import { Equation, sign, value, words } from "../mathml";
import { Stepper } from "../pieces";

const STEPS = [
  "Every word is a row of numbers",
  "Queries, keys and values of all heads at once",
  "Each head takes its own columns",
  "Each head compares its queries with its keys",
  "Each head gathers values with its weights",
  "The heads stand side by side again",
  "W_O mixes what they found",
];

/** One square: which number it is, where it stands now, and how visible it is. */
interface Square {
  key: string;
  x: number;
  y: number;
  value: number;
  size: number;
  kind: "numbers" | "weights";
  head: number | null;
  seen: boolean;
  title: string;
}

interface Stage {
  squares: Square[];
  labels: { x: number; y: number; text: string; head: number | null }[];
  width: number;
  height: number;
}

/** Where every number of every matrix stands in a step; the same square keeps its key, so that it is seen to move. */
function stage(lesson: LessonNumbers, step: number): Stage {
  const words = grid(lesson, "x").numbers.length;
  const width = grid(lesson, "x").numbers[0]?.length ?? 0;
  const heads = lesson.inputs["heads"] as number;
  const part = width / heads;
  const size = 16;
  const gap = 20;
  const block = words * size + 34;
  const squares: Square[] = [];
  const labels: Stage["labels"] = [];
  const spread = (head: number) => head * (3 * part * size + words * size + 5 * gap);
  const lay = (
    name: string,
    x: (row: number, column: number) => number,
    y: (row: number, column: number) => number,
    seen: boolean,
    headOf: (column: number) => number | null,
    kind: Square["kind"] = "numbers",
    key = name,
  ) => {
    const from = grid(lesson, name);
    from.numbers.forEach((line, row) =>
      line.forEach((value, column) =>
        squares.push({
          key: `${key}/${row}/${column}`,
          x: x(row, column),
          y: y(row, column),
          value: value ?? 0,
          size,
          kind,
          head: headOf(column),
          seen,
          title: `${name}, ${visible(from.rows[row] ?? String(row))}: ${short(value ?? 0, 3)}`,
        }),
      ),
    );
  };
  const top = 30;
  const own = (column: number) => Math.floor(column / part);
  const plain = step < 1;
  const split = step >= 2;
  const across = heads * part * size + gap;
  lay(
    "x",
    (_, column) => column * size,
    (row) => top + row * size,
    step <= 1,
    () => null,
  );
  if (step <= 1) labels.push({ x: 0, y: top - 8, text: "X", head: null });
  (["queries", "keys", "values"] as const).forEach((name, order) => {
    const whole = (column: number) => (1 + order) * across + column * size;
    const apart = (column: number) => spread(own(column)) + order * (part * size + gap) + (column % part) * size;
    lay(
      name,
      (_, column) => (split ? apart(column) : plain ? column * size : whole(column)),
      (row) => top + row * size,
      step >= 1 && step <= 4,
      (column) => (step >= 1 ? own(column) : null),
    );
    if (step === 1) labels.push({ x: whole(0), y: top - 8, text: name, head: null });
    if (split && step <= 4)
      for (let head = 0; head < heads; head++)
        labels.push({ x: spread(head) + order * (part * size + gap), y: top - 8, text: name[0]!.toUpperCase(), head });
  });
  for (let head = 0; head < heads; head++) {
    const left = spread(head) + 3 * (part * size + gap);
    const from = spread(head);
    lay(
      `weights ${head}`,
      (_, column) => (step < 3 ? from + column * 2 : left + column * size),
      (row) => top + row * size,
      step === 3 || step === 4,
      () => head,
      "weights",
    );
    if (step === 3 || step === 4) labels.push({ x: left, y: top - 8, text: "weights", head });
    const valuesX = spread(head) + 2 * (part * size + gap);
    const outputX = spread(head) + part * size;
    const concatenatedX = head * part * size;
    lay(
      `head output ${head}`,
      (_, column) =>
        step < 4 ? valuesX + column * size : step === 4 ? outputX + column * size : concatenatedX + column * size,
      (row) => (step < 4 ? top : step === 4 ? top + block : top) + row * size,
      step >= 4,
      () => head,
    );
    if (step === 4) labels.push({ x: outputX, y: top + block - 8, text: "head output", head });
  }
  if (step >= 5) labels.push({ x: 0, y: top - 8, text: "concatenated", head: null });
  lay(
    "output weights",
    (_, column) => heads * part * size + 2 * gap + column * size,
    (row) => top + row * size,
    step === 6,
    () => null,
  );
  lay(
    "output",
    (_, column) => (step === 6 ? 2 * heads * part * size + 4 * gap + column * size : column * size),
    (row) => top + row * size,
    step === 6,
    () => null,
  );
  if (step === 6) {
    labels.push({ x: heads * part * size + 2 * gap, y: top - 8, text: "× W_O", head: null });
    labels.push({ x: 2 * heads * part * size + 4 * gap, y: top - 8, text: "= output", head: null });
  }
  const seen = squares.filter((square) => square.seen);
  return {
    squares,
    labels,
    width: Math.max(120, ...seen.map((square) => square.x + square.size)) + 8,
    height: Math.max(80, ...seen.map((square) => square.y + square.size)) + 12,
  };
}

function painter(lesson: LessonNumbers) {
  const most = Math.max(
    1e-9,
    ...lesson.grids
      .filter((square) => square.kind === "numbers")
      .flatMap((square) => square.numbers.flat().map((value) => Math.abs(value ?? 0))),
  );
  const theme = palette.value.theme;
  return (square: Square) =>
    css(square.kind === "weights" ? strength(theme, square.value) : difference(theme, square.value / most));
}

function still(lesson: LessonNumbers, now: Stage): Scene {
  const colour = painter(lesson);
  const marks: SceneMark[] = now.squares
    .filter((square) => square.seen)
    .map((square) => ({
      kind: "box",
      x: square.x,
      y: square.y,
      width: square.size - 1,
      height: square.size - 1,
      fill: colour(square),
      stroke: square.head === null ? palette.value.line : headColour(square.head),
      thickness: 0.8,
      title: square.title,
    }));
  for (const label of now.labels)
    marks.push({
      kind: "label",
      x: label.x,
      y: label.y,
      text: label.text,
      size: 12,
      bold: true,
      fill: label.head === null ? palette.value.ink : headColour(label.head),
    });
  return { width: now.width, height: now.height, marks };
}

function Body({ lesson, give }: LessonProps) {
  const [box, width] = useWidth(700);
  const step = stepOf("heads", STEPS.length - 1);
  const [plays, play] = useState(false);
  const go = (next: number) => setStep("heads", next);
  useEffect(() => {
    if (!plays) return;
    const timer = setTimeout(() => (step < STEPS.length - 1 ? go(step + 1) : play(false)), 1500);
    return () => clearTimeout(timer);
  }, [plays, step]);
  const now = useMemo(() => stage(lesson, step), [lesson, step]);
  const colour = painter(lesson);
  const colours = palette.value;
  const pace = duration(250);
  const title = STEPS[step]!;
  const scale = Math.min(1.6, Math.max(0.5, (width - 4) / now.width));
  return (
    <div class="stack" ref={box}>
      <div class="row">
        <Choice
          label="Heads"
          value={String(lesson.inputs["heads"])}
          choose={(heads) => give({ heads: Number(heads) })}
          options={[
            ["1", "1 head"],
            ["2", "2 heads"],
            ["4", "4 heads"],
          ]}
        />
        <button
          type="button"
          class="main"
          onClick={() => {
            if (step === STEPS.length - 1) go(0);
            play(!plays);
          }}
        >
          {plays ? "Pause" : "Play"}
        </button>
      </div>
      <Stepper
        step={step}
        steps={STEPS.length}
        names={STEPS}
        isNamed={false}
        set={(next) => {
          play(false);
          go(next);
        }}
      />
      <Figure
        title={title}
        of={[lesson]}
        first
        make={() => ({ title, scene: still(lesson, now), table: gridTable(lesson.grids), python: lesson.code })}
      >
        <svg
          class="drawing"
          role="img"
          aria-label={title}
          width={now.width * scale}
          height={now.height * scale}
          viewBox={`0 0 ${now.width} ${now.height}`}
        >
          {now.squares.map((square) => (
            <rect
              key={square.key}
              width={square.size - 1}
              height={square.size - 1}
              fill={colour(square)}
              stroke={square.head === null ? colours.line : headColour(square.head)}
              stroke-width={0.8}
              style={{
                transform: `translate(${square.x}px, ${square.y}px)`,
                opacity: square.seen ? 1 : 0,
                transition: pace ? `transform ${pace * 2.4}ms ease, opacity ${pace}ms` : "none",
                pointerEvents: square.seen ? "auto" : "none",
              }}
            >
              <title>{square.title}</title>
            </rect>
          ))}
          {now.labels.map((label, index) => (
            <text
              key={index}
              x={label.x}
              y={label.y}
              font-size={12}
              font-weight={600}
              fill={label.head === null ? colours.ink : headColour(label.head)}
            >
              {label.text}
            </text>
          ))}
        </svg>
      </Figure>
    </div>
  );
}

export const heads: LessonPage = {
  topic: "heads",
  title: "Several heads at once",
  text:
    "One softmax can stress one thing at a time. So the width is split: each head takes some of the columns as its own queries, keys and values, " +
    "attends by itself, and its findings are put side by side; a last matrix, W_O, mixes them. Play it: these are the real numbers.",
  Body,
  equation(lesson) {
    const width = grid(lesson, "x").numbers[0]?.length ?? 0;
    const heads = lesson.inputs["heads"] as number;
    return (
      <Equation>
        <mn>{width}</mn> {words(" columns ")} {sign("=")} <mn>{heads}</mn> {words(heads === 1 ? " head " : " heads ")}{" "}
        {sign("×")} <mn>{width / heads}</mn>
        {words("; its first weight: ")} {value(number(lesson, "weights 0", 0, 0))}
      </Equation>
    );
  },
  experiment: {
    ask: "Take four heads, and walk to the step in which each compares its own queries with its own keys.",
    isDone: (lesson) => lesson.inputs["heads"] === 4 && stepOf("heads", 6) === 3,
    answer:
      "Four softmaxes where there was one: four things can be looked at from the same word at the same time, for the same number of multiplications.",
  },
  elsewhere: { view: "heads", says: "See the heads of a model, by what they do" },
};
