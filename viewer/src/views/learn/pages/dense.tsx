import { fact, type Page, type Taught } from "../lesson";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: Taught) {
  return (
    <>
      <Slider
        label="Other random numbers"
        value={lesson.given["seed"] as number}
        least={0}
        most={20}
        set={(seed) => give({ seed })}
      />
      <Matrices
        lesson={lesson}
        names={["x", "mask", "gathered", "weights", "by attention", "by layer"]}
        title="The same numbers by attention and by a fully connected layer"
      />
    </>
  );
}

export const dense: Page = {
  topic: "dense",
  title: "A fully connected layer is attention",
  text:
    "In a fully connected layer every output sees every input, with weights that never change. Attention can do the same: " +
    "let each head look at exactly one place, and the output projection hold the layer's weights. Both give the same numbers.",
  Body,
  equation: (lesson) =>
    `largest difference between the two: ${Number(fact(lesson, "largest difference")).toExponential(1)}`,
};
