import { visible } from "../../../scene/signs";
import { fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { Equation, value, words } from "../mathml";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const step = lesson.inputs["step"] as number;
  const steps = grid(lesson, "weights").rows.length;
  return (
    <>
      <Slider
        label="Step"
        value={step}
        least={0}
        most={Math.max(1, steps - 1)}
        set={(next) => give({ step: next })}
        shown={`${step} “${visible(grid(lesson, "weights").rows[step] ?? "")}”`}
      />
      <Slider
        label="Scale of the scores"
        value={lesson.inputs["scale"] as number}
        least={0.5}
        most={8}
        step={0.1}
        set={(scale) => give({ scale })}
      />
      <Matrices
        lesson={lesson}
        names={["weights", "scores", "step weights", "context"]}
        title="The alignment so far, and this step"
        looks={{ weights: { row: step } }}
      />
    </>
  );
}

export const alignment: LessonPage = {
  topic: "alignment",
  title: "The first attention: a soft alignment",
  text:
    "A recurrent translator once had to squeeze a sentence into one vector. In 2014 it got an aligner: before each word it compares its state " +
    "with every source word, v · tanh(W s + U h), and reads the mixture. Walk through the steps: the strong squares are the alignment.",
  Body,
  equation(lesson) {
    const weights = grid(lesson, "step weights");
    const row = weights.numbers[0] ?? [];
    const best = row.indexOf(Math.max(...row.map((weight) => weight ?? 0)));
    return (
      <Equation>
        {words("context = Σ weight · state; the largest: ")} {value(row[best] ?? 0)}{" "}
        {words(` on “${visible(weights.columns[best] ?? String(fact(lesson, "source word") ?? ""))}”`)}
      </Equation>
    );
  },
  experiment: {
    ask: "Walk to a step at which it looks farther right than the step after it: the order of the words turns there.",
    isDone: (lesson) => {
      const looks = grid(lesson, "weights").numbers.map((row) =>
        row.indexOf(Math.max(...row.map((weight) => weight ?? 0))),
      );
      const step = lesson.inputs["step"] as number;
      return (looks[step] ?? 0) > (looks[step + 1] ?? 99);
    },
    answer:
      "“zone économique européenne”: French turns the three words around, and the alignment runs backwards there.",
  },
  elsewhere: { view: "text", says: "See the ribbons of a translation" },
};
