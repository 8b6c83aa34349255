import { Choice } from "../../../parts/choice";
import { number, grid, type LessonPage, type LessonProps } from "../lesson";
import { chain, Equation, sign, value, words } from "../mathml";
import { Matrices, Slider } from "../pieces";

const MASKS = ["none", "causal", "padding", "causal and padding", "window"] as const;

function Body({ lesson, give }: LessonProps) {
  const words = lesson.inputs["words"] as string[];
  const mask = String(lesson.inputs["mask"]) as (typeof MASKS)[number];
  return (
    <>
      <Choice
        label="Mask"
        value={mask}
        choose={(next) => give({ mask: next })}
        options={MASKS.map((name) => [name, name] as const)}
      />
      {mask.includes("padding") && (
        <Slider
          label="How many words are not padding"
          value={lesson.inputs["length"] as number}
          least={1}
          most={words.length}
          set={(length) => give({ length })}
        />
      )}
      {mask === "window" && (
        <Slider
          label="How far a word may look"
          value={lesson.inputs["window"] as number}
          least={0}
          most={words.length - 1}
          set={(window) => give({ window })}
        />
      )}
      <Matrices
        lesson={lesson}
        names={["mask", "scores", "weights"]}
        title="What may be looked at, the scores, the weights"
      />
    </>
  );
}

export const masks: LessonPage = {
  topic: "masks",
  title: "Masks: what may not be seen",
  text:
    "A mask says which pairs are forbidden; their weights are exactly zero, and the others share the row. " +
    "Causal: a word that is being written may not look ahead. Padding: positions that only fill up a batch are nobody's business. Choose one.",
  Body,
  equation(lesson) {
    const weights = grid(lesson, "weights");
    const row = weights.numbers[1] ?? weights.numbers[0] ?? [];
    return (
      <Equation>
        {words(`“${weights.rows[1] ?? weights.rows[0] ?? ""}”: `)}
        {chain(
          "+",
          row.map((weight) => value(weight ?? 0)),
        )}{" "}
        {sign("=")} <mn>1</mn>
      </Equation>
    );
  },
  experiment: {
    ask: "Choose a mask under which the first word may look at the second, but not at the last.",
    isDone: (lesson) => number(lesson, "mask", 0, 1) > 0 && !(number(lesson, "mask", 0, 5) > 0),
    answer:
      "A window, or padding at the end: what is forbidden gets exactly zero, and the rest of the row still adds up to one.",
  },
  elsewhere: { view: "map", says: "See the mask of a model, hatched" },
};
