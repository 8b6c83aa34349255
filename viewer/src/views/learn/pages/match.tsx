import { grid, type LessonPage, type LessonProps } from "../lesson";
import { chain, Equation, group, product, sign, value, words } from "../mathml";
import { Matrices, Typed } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const [tastes, contents] = [grid(lesson, "tastes"), grid(lesson, "contents")];
  return (
    <>
      <div class="row top-aligned">
        <Typed
          name="What each viewer likes"
          rows={tastes.rows}
          columns={tastes.columns}
          numbers={lesson.inputs["tastes"] as number[][]}
          set={(next) => give({ tastes: next })}
        />
        <Typed
          name="What each film has"
          rows={contents.rows}
          columns={contents.columns}
          numbers={lesson.inputs["contents"] as number[][]}
          set={(next) => give({ contents: next })}
        />
      </div>
      <Matrices lesson={lesson} names={["scores", "weights"]} title="How well each film matches each viewer" />
    </>
  );
}

/** A number as one types it; after another sign a minus stands in brackets. */
function typed(number: number) {
  const shown = value(number, Number.isInteger(number) ? 0 : 2);
  return number < 0 ? group(sign("("), shown, sign(")")) : shown;
}

export const match: LessonPage = {
  topic: "match",
  title: "A dot product is a match",
  text:
    "A viewer is a list of likings, a film a list of what it has. Multiply them number by number and add up: a large sum says that they fit. " +
    "That sum is the score of attention; the viewer is the query, the film the key. Change a liking and watch the row move.",
  Body,
  equation(lesson) {
    const [tastes, contents, scores] = [grid(lesson, "tastes"), grid(lesson, "contents"), grid(lesson, "scores")];
    const terms = (tastes.numbers[0] ?? []).map((liking, index) =>
      product(typed(liking ?? 0), typed(contents.numbers[0]?.[index] ?? 0)),
    );
    return (
      <Equation>
        {words(tastes.rows[0] ?? "")} {sign("·")} {words(contents.rows[0] ?? "")} {sign("=")} {chain("+", terms)}{" "}
        {sign("=")} {typed(scores.numbers[0]?.[0] ?? 0)}
      </Equation>
    );
  },
  experiment: {
    ask: "Change the grump's likings until the farce is what he wants most.",
    isDone: (lesson) => {
      const row = grid(lesson, "scores").numbers[2] ?? [];
      return row.every((score, film) => film === 2 || (score ?? 0) < (row[2] ?? 0));
    },
    answer:
      "Any row that points the same way as the film's does it: a match is a direction, and the softmax favours the largest.",
  },
  elsewhere: { view: "pair", says: "See a query meet its keys" },
};
