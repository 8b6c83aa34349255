import { setStep, stepOf, grid, number, type LessonPage, type LessonProps } from "../lesson";
import { above, Equation, group, name, over, root, sign, value, words } from "../mathml";
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

const at = () => stepOf("matrix", STEPS.length - 1);

function Body({ lesson, give }: LessonProps) {
  const step = at();
  const x = grid(lesson, "x");
  return (
    <>
      <Stepper
        step={step}
        steps={STEPS.length}
        names={STEPS.map((entry) => entry.name)}
        set={(next) => setStep("matrix", next)}
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
    return (
      <Equation>
        {words("softmax")} {sign("(")}
        {over(group(name("Q"), above(name("K"), name("T"))), root(<mn>{width}</mn>))}
        {sign(")")} {name("V")} {words(", first square: ")}
        {over(value(number(lesson, "scores", 0, 0)), root(<mn>{width}</mn>))} {sign("=")}{" "}
        {value(number(lesson, "scaled", 0, 0))} {sign("→")} {value(number(lesson, "weights", 0, 0))}
      </Equation>
    );
  },
  experiment: {
    ask: "“bank” looks at river and money alike. Change X so that it looks more at river than at money.",
    isDone: (lesson) => number(lesson, "weights", 1, 0) > number(lesson, "weights", 1, 2) + 0.05,
    answer:
      "You moved the vector of a word, and its query, its key and its value moved with it: they are three readings of one row.",
  },
  elsewhere: { view: "heads", says: "See all the matrices of a model" },
};
