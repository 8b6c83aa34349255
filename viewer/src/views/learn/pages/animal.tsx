import { Choice } from "../../../parts/choice";
import type { Grid } from "../../../api";
import { barScene } from "../../../scene/bars";
import { css, readable, strength } from "../../../scene/colour";
import { gridTable } from "../../../scene/matrix";
import { short, visible } from "../../../scene/signs";
import { palette, theme } from "../../../theme";
import { fact, grid, number, type LessonPage, type LessonProps } from "../lesson";
import { Equation, value, words } from "../mathml";
import { Matrices, Shown } from "../pieces";

/** A sentence, each word the stronger the more “it” looks at it. */
function Looked({ weights, label }: { weights: Grid; label: string }) {
  const row = weights.numbers[0] ?? [];
  const most = Math.max(1e-9, ...row.map((value) => value ?? 0));
  return (
    <p class="prose" aria-label={label}>
      {weights.columns.map((word, index) => {
        const colour = strength(theme.value, (row[index] ?? 0) / most);
        return (
          <span
            key={index}
            class="word static"
            style={{ backgroundColor: css(colour), color: readable(colour) }}
            title={short(row[index] ?? 0, 3)}
          >
            {visible(word)}
          </span>
        );
      })}
    </p>
  );
}

function Small({ lesson }: Pick<LessonProps, "lesson">) {
  const small = grid(lesson, "small");
  const bars = small.rows.flatMap((word, row) =>
    small.columns.map((noun, column) => ({
      name: `too ${word}: ${noun}`,
      value: small.numbers[row]?.[column] ?? 0,
      strong: row === 0,
    })),
  );
  return (
    <>
      <Looked weights={grid(lesson, "small weights")} label="what “it” looks at in the small model" />
      <p class="faint small">
        What “it” looks at in a small encoder that learned to tag it with the noun it means (
        {String(fact(lesson, "small head"))}). Here its tag is <b data-means>{String(fact(lesson, "means"))}</b>. No
        loss was put on attention, and it never met these nouns with “tired” or “wide”.
      </p>
      <Shown
        title="The small model: “it” on the animal and on the road, both readings"
        scene={barScene(bars, palette.value, { width: 460 })}
        table={gridTable([small, grid(lesson, "small weights")])}
        lesson={lesson}
        first
      />
      <Matrices
        lesson={lesson}
        names={["two heads"]}
        title="Two heads a layer: what each of them looks at from “it”"
        first={false}
      />
      <p class="faint small">
        The same recipe with two heads a layer; its tag is {String(fact(lesson, "two heads mean"))}. By the valid split
        the noun is found by {String(fact(lesson, "two heads chosen"))}.
      </p>
    </>
  );
}

function Chosen({ lesson }: Pick<LessonProps, "lesson">) {
  const weights = grid(lesson, "weights");
  const ranking = grid(lesson, "ranking");
  const bars = ranking.numbers.slice(0, 12).map((line, index) => ({
    name: ranking.rows[index] ?? "",
    value: line[0] ?? 0,
    before: line[1] ?? 0,
    strong: index === 0,
  }));
  const scene = barScene(bars, palette.value, {
    width: 460,
    most: Math.max(0.1, ...bars.map((bar) => Math.max(bar.value, bar.before ?? 0))),
  });
  return (
    <>
      <Looked weights={weights} label={`what “it” looks at in ${String(fact(lesson, "model"))}`} />
      <p class="faint small">
        The same sentence in {String(fact(lesson, "model"))}, which nobody asked what “it” means:{" "}
        {String(fact(lesson, "layer"))}, head {String(fact(lesson, "head"))}. The rule that ranks the heads:{" "}
        {String(fact(lesson, "rule"))}
      </p>
      <Shown
        title={`What “it” gives to the animal (filled) and to the road (framed) in ${String(fact(lesson, "model"))}, head by head`}
        scene={scene}
        table={gridTable([ranking, weights])}
        lesson={lesson}
      />
    </>
  );
}

function Body({ lesson, give }: LessonProps) {
  const problem = fact(lesson, "problem");
  return (
    <div class="stack">
      <Choice
        label="The last word"
        value={String(lesson.inputs["word"])}
        choose={(word) => give({ word })}
        options={[
          ["tired", "tired"],
          ["wide", "wide"],
        ]}
      />
      <Small lesson={lesson} />
      {problem === undefined ? <Chosen lesson={lesson} /> : <p class="faint small">{String(problem)}.</p>}
    </div>
  );
}

export const animal: LessonPage = {
  topic: "animal",
  title: "What does “it” mean?",
  text:
    "The animal didn't cross the road because it was too tired: “it” is the animal. Too wide: “it” is the road. One word at the end decides. " +
    "A model that reads both ways can let “it” look at the right noun. Swap the word: a small model that was asked what “it” means looks at the other noun, " +
    "and below it stands what the heads of a real model do, which was never asked.",
  Body,
  equation(lesson) {
    const small = grid(lesson, "small");
    return (
      <Equation>
        <mtable>
          {small.rows.map((word, row) => (
            <mtr key={word}>
              <mtd>{words(`too ${word}: it → animal `)}</mtd>
              <mtd>{value(number(lesson, "small", row, 0))}</mtd>
              <mtd>{words(", it → road ")}</mtd>
              <mtd>{value(number(lesson, "small", row, 1))}</mtd>
            </mtr>
          ))}
        </mtable>
      </Equation>
    );
  },
  experiment: {
    ask: "Make “it” mean the road.",
    isDone: (lesson) => String(fact(lesson, "means")) === "road",
    answer:
      "One word at the end moved the look of another in the middle: what a word looks at depends on the whole sentence.",
  },
  elsewhere: { view: "text", says: "Replace a word and watch the look move" },
};
