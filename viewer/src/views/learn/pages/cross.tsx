import { number, grid, type LessonPage, type LessonProps } from "../lesson";
import { chain, Equation, product, value, words } from "../mathml";
import { Matrices, Slider, Typed } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const [queries, keys] = [grid(lesson, "queries"), grid(lesson, "keys and values")];
  return (
    <>
      <div class="row">
        <Typed
          name="Queries, of what was written"
          rows={queries.rows}
          columns={queries.columns}
          numbers={lesson.inputs["query"] as number[][]}
          set={(query) => give({ query })}
        />
        <Typed
          name="Keys, of what was read"
          rows={keys.rows}
          columns={keys.columns}
          numbers={lesson.inputs["key"] as number[][]}
          set={(key) => give({ key })}
        />
      </div>
      <Slider
        label="Scale of the scores"
        value={lesson.inputs["scale"] as number}
        least={0}
        most={5}
        step={0.1}
        set={(scale) => give({ scale })}
      />
      <Matrices
        lesson={lesson}
        names={["scores", "weights", "output"]}
        title="Three positions ask, four answer: scores, weights, and what each one gets"
      />
    </>
  );
}

export const cross: LessonPage = {
  topic: "cross",
  title: "Attention to another text",
  text:
    "Queries come from what was written, keys and values from what was read. So there are as many rows as words that ask and as many columns as words that answer, " +
    "and the two texts need not be equally long. Change what a word asks for, or what another one answers to.",
  Body,
  equation(lesson) {
    const weights = grid(lesson, "weights");
    const row = weights.numbers[0] ?? [];
    return (
      <Equation>
        {words(`“${weights.rows[0] ?? ""}” takes `)}
        {chain(
          "+",
          row.map((weight, index) => product(value(weight ?? 0), words(weights.columns[index] ?? ""))),
        )}
      </Equation>
    );
  },
  experiment: {
    ask: "Make “Mann” take more from “reads” than from “man”.",
    isDone: (lesson) => number(lesson, "weights", 2, 3) > number(lesson, "weights", 2, 2),
    answer: "What is written asks, what was read answers: change either side, and the look moves.",
  },
  elsewhere: { view: "links", says: "See which words a translation was made from" },
};
