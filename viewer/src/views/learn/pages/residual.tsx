import { plainNumber } from "../../../scene/signs";
import { grid, fact, type LessonPage, type LessonProps } from "../lesson";
import { Equation, name, sign, words } from "../mathml";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  return (
    <>
      <div class="sliders">
        <Slider
          label="Blocks"
          value={lesson.inputs["blocks"] as number}
          least={1}
          most={40}
          set={(blocks) => give({ blocks })}
        />
        <Slider
          label="Other random numbers"
          value={lesson.inputs["seed"] as number}
          least={0}
          most={20}
          set={(seed) => give({ seed })}
        />
      </div>
      <Matrices
        lesson={lesson}
        names={["powers of ten"]}
        title="How much of the gradient arrives after so many blocks, as a power of ten"
      />
    </>
  );
}

export const residual: LessonPage = {
  topic: "residual",
  title: "Residual connections: a way on which nothing happens",
  text:
    "A block adds to what is there, y = x + F(x), instead of saying everything again. What a gradient loses in a block it keeps on the way around it. " +
    "Without that way a dozen blocks leave almost nothing of it. Move the number of blocks.",
  Body,
  equation: (lesson) => (
    <Equation>
      {name("y")} {sign("=")} {name("x")} {sign("+")} {name("F")} {sign("(")} {name("x")} {sign(")")}
      {words(`, after ${lesson.inputs["blocks"]} blocks: `)}
      <mn>{plainNumber(Number(fact(lesson, "with")))}</mn> {words(" with, ")}
      <mn>{plainNumber(Number(fact(lesson, "without")))}</mn> {words(" without")}
    </Equation>
  ),
  experiment: {
    ask: "Without the way around, how many blocks does it take until less than a thousandth of the gradient arrives? Set the slider to just that many.",
    isDone: (lesson) => {
      const row = grid(lesson, "powers of ten").numbers[1] ?? [];
      const blocks = lesson.inputs["blocks"] as number;
      return (row[blocks - 1] ?? 0) < -3 && !((row[blocks - 2] ?? 0) < -3);
    },
    answer: "A handful. With the way around there is no such number: that is why stacks can be deep.",
  },
  elsewhere: { view: "inside", says: "See what is known after each block" },
};
