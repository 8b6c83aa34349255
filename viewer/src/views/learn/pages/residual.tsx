import { plainNumber } from "../../../scene/signs";
import { fact, type LessonPage, type LessonProps } from "../lesson";
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
  equation: (lesson) =>
    `after ${lesson.inputs["blocks"]} blocks: ${plainNumber(Number(fact(lesson, "with")))} with, ${plainNumber(Number(fact(lesson, "without")))} without`,
};
