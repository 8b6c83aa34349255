import { Choice } from "../../../parts/choice";
import { barScene } from "../../../scene/bars";
import { css, readable, strength } from "../../../scene/colour";
import { gridTable } from "../../../scene/matrix";
import { short, visible } from "../../../scene/signs";
import { palette, theme } from "../../../theme";
import { fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { Shown } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const weights = grid(lesson, "weights");
  const ranking = grid(lesson, "ranking");
  const row = weights.numbers[0] ?? [];
  const most = Math.max(1e-9, ...row.map((value) => value ?? 0));
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
      <p class="prose" aria-label="what “it” looks at">
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
      <p class="faint small">
        What “it” looks at in {String(fact(lesson, "layer"))}, head {String(fact(lesson, "head"))}. The rule that ranks
        the heads: {String(fact(lesson, "rule"))}
      </p>
      <Shown
        title="What “it” gives to the animal (filled) and to the road (framed), head by head"
        scene={scene}
        table={gridTable([ranking, weights])}
        lesson={lesson}
        first
      />
    </div>
  );
}

export const animal: LessonPage = {
  topic: "animal",
  title: "What does “it” mean?",
  text:
    "The animal didn't cross the road because it was too tired: “it” is the animal. Too wide: “it” is the road. One word at the end decides. " +
    "A model that reads both ways can let “it” look at the right noun. Swap the word, and see which heads of a real model care; most do not.",
  Body,
  equation(lesson) {
    const ranking = grid(lesson, "ranking");
    const [animalWeight, road, gap] = ranking.numbers[0] ?? [];
    return `${ranking.rows[0]}: it → animal ${short(animalWeight ?? 0)}, it → road ${short(road ?? 0)}, difference ${short(gap ?? 0)}`;
  },
};
