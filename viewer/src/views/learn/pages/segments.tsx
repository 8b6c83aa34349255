import { fact, type LessonPage, type LessonProps } from "../lesson";
import { Equation, words } from "../mathml";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const cell = Math.max(9, Math.min(22, Math.floor(300 / (lesson.inputs["length"] as number))));
  return (
    <>
      <div class="sliders">
        <Slider
          label="Words"
          value={lesson.inputs["length"] as number}
          least={4}
          most={32}
          set={(length) => give({ length })}
        />
        <Slider
          label="Words in a segment"
          value={lesson.inputs["segment"] as number}
          least={1}
          most={16}
          set={(segment) => give({ segment })}
        />
        <Slider
          label="Words remembered"
          value={lesson.inputs["memory"] as number}
          least={0}
          most={32}
          set={(memory) => give({ memory })}
        />
      </div>
      <Matrices
        lesson={lesson}
        names={["mask", "weights", "reached"]}
        title="What each word may look at, looks at, and is reached by"
        looks={{ mask: { cell }, weights: { cell, numbers: false }, reached: { cell, numbers: false } }}
      />
    </>
  );
}

export const segments: LessonPage = {
  topic: "segments",
  title: "Segments with a memory",
  text:
    "A long text is read in segments; without more, a word at the border of one sees nothing before it. Transformer-XL keeps the states of the last segment " +
    "as a memory to look at, and counts distance instead of positions. Layer upon layer, a word then hears from far beyond its segment.",
  Body,
  equation: (lesson) => (
    <Equation>
      {words("the farthest word that reaches the last one: ")} <mn>{String(fact(lesson, "farthest"))}</mn>{" "}
      {words(" words back")}
    </Equation>
  ),
  experiment: {
    ask: "Let the last word hear from at least ten words back.",
    isDone: (lesson) => Number(fact(lesson, "farthest")) >= 10,
    answer: "A longer memory, or longer segments: each layer carries a segment farther.",
  },
  elsewhere: { view: "map", says: "See a long text" },
};
