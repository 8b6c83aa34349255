import { plainNumber } from "../../../scene/signs";
import { fact, type LessonPage, type LessonProps } from "../lesson";
import { Equation, words } from "../mathml";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  return (
    <>
      <Slider
        label="Other random numbers"
        value={lesson.inputs["seed"] as number}
        least={0}
        most={20}
        set={(seed) => give({ seed })}
      />
      <Matrices
        lesson={lesson}
        names={["x", "mask", "head outputs", "weights", "by attention", "by layer"]}
        title="The same numbers by attention and by a fully connected layer"
      />
    </>
  );
}

export const dense: LessonPage = {
  topic: "dense",
  title: "A fully connected layer is attention",
  text:
    "In a fully connected layer every output sees every input, with weights that never change. Attention can do the same: " +
    "let each head attend to exactly one position, and the output projection hold the layer's weights. Both give the same numbers.",
  Body,
  equation: (lesson) => (
    <Equation>
      {words("largest difference between the two: ")}
      <mn>{plainNumber(Number(fact(lesson, "largest difference")))}</mn>
    </Equation>
  ),
  experiment: {
    ask: "Take other random weights. Do the two ever differ?",
    isDone: (lesson) => lesson.inputs["seed"] !== 0 && Number(fact(lesson, "largest difference")) < 1e-4,
    answer: "Never by more than rounding: a dense layer is attention whose looks are fixed, one head for each input.",
  },
  elsewhere: { view: "heads", says: "See looks that are not fixed" },
};
