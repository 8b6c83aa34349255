import { Choice } from "../../../parts/choice";
import { fact, type LessonPage, type LessonProps } from "../lesson";
import { Equation, sign, words } from "../mathml";
import { Matrices, Movable } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const words = lesson.inputs["words"] as string[];
  const other = lesson.inputs["other"] as string[];
  const positions = String(fact(lesson, "positions")).split(" ");
  return (
    <>
      <div class="row">
        <span class="faint">{words.join(" ")}</span>
      </div>
      <Movable words={other} set={(next) => give({ other: next })} />
      <Choice
        label="Position"
        value={String(lesson.inputs["position"])}
        choose={(position) => give({ position })}
        options={positions.map((name) => [name, name] as const)}
      />
      <p class={fact(lesson, "same") ? "verdict same" : "verdict"} data-same={String(fact(lesson, "same"))}>
        {fact(lesson, "same")
          ? "Every word gets the same output in both sentences: the model cannot tell who gave roses to whom."
          : "The outputs differ: the model can tell the two sentences apart."}
      </p>
      <Matrices
        lesson={lesson}
        names={["weights", "other weights", "output", "other output"]}
        title="Weights and outputs, before and after the words moved"
      />
    </>
  );
}

export const order: LessonPage = {
  topic: "order",
  title: "Who gave roses to whom?",
  text:
    "Susan gave roses to Mary, Mary gave roses to Susan. Attention by itself sees a bag of words: move them, and each word still gets the same output. " +
    "Only positions, added to the words or to the scores, make the order count. Drag the words, then choose a position.",
  Body,
  equation: (lesson) => (
    <Equation>
      {words("attention(moved words)")} {sign(fact(lesson, "same") ? "=" : "≠")} {words("moved attention(words)")}
      {words(` with position “${lesson.inputs["position"]}”`)}
    </Equation>
  ),
  experiment: {
    ask: "Find a position with which the model can tell the two sentences apart.",
    isDone: (lesson) => lesson.inputs["position"] !== "none" && fact(lesson, "same") === false,
    answer:
      "Added to the words, turned into queries and keys, or added to the scores: any of them breaks the symmetry.",
  },
  elsewhere: { view: "heads", says: "Find the head that looks at the word before" },
};
