import { moreNumber, setMore } from "../../../address";
import { short } from "../../../scene/signs";
import { grid, number, type LessonPage, type LessonProps } from "../lesson";
import { Matrices, Stepper, Typed } from "../pieces";

const STEPS: { name: string; grids: string[]; says: string }[] = [
  { name: "The words are rows of numbers", grids: ["x"], says: "X" },
  {
    name: "Three matrices turn each word into a query, a key and a value",
    grids: ["x", "query weights", "key weights", "value weights", "queries", "keys", "values"],
    says: "Q = X W_Q,  K = X W_K,  V = X W_V",
  },
  { name: "Every query meets every key", grids: ["queries", "keys", "scores"], says: "Q Kᵀ" },
  { name: "Scores are divided by the root of the width", grids: ["scores", "scaled"], says: "Q Kᵀ / √d" },
  { name: "Softmax makes each row add up to one", grids: ["scaled", "weights"], says: "softmax(Q Kᵀ / √d)" },
  {
    name: "Each row of weights mixes the values",
    grids: ["weights", "values", "output"],
    says: "softmax(Q Kᵀ / √d) V",
  },
];

const at = () => moreNumber("step", 0, 0, STEPS.length - 1);

function Body({ lesson, give }: LessonProps) {
  const step = at();
  const x = grid(lesson, "x");
  return (
    <>
      <Stepper
        step={step}
        steps={STEPS.length}
        names={STEPS.map((entry) => entry.name)}
        set={(next) => setMore({ step: next ? String(next) : "" })}
      />
      <Matrices lesson={lesson} names={STEPS[step]!.grids} title={STEPS[step]!.says} looks={{}} />
      {step === 0 && (
        <Typed
          name="X, to change"
          rows={x.rows}
          columns={x.columns}
          numbers={lesson.inputs["x"] as number[][]}
          set={(next) => give({ x: next })}
        />
      )}
    </>
  );
}

export const matrix: LessonPage = {
  topic: "matrix",
  title: "The whole of it as matrices",
  text:
    "All queries at once are a matrix, and so are the keys and the values. Two products and a softmax are all of attention. " +
    "Walk through the steps: every coloured square is a number that you can point at; change X and walk again.",
  Body,
  equation(lesson) {
    const width = grid(lesson, "queries").numbers[0]?.length ?? 2;
    return `first square of ${STEPS[at()]!.says}: score ${short(number(lesson, "scores", 0, 0))} / √${width} = ${short(number(lesson, "scaled", 0, 0))}, weight ${short(number(lesson, "weights", 0, 0))}`;
  },
};
