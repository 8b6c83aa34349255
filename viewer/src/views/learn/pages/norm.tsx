import { number, type LessonPage, type LessonProps } from "../lesson";
import { Equation, group, over, sign, value } from "../mathml";
import { Matrices, Slider } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const power = Math.round(Math.log10(lesson.inputs["epsilon"] as number));
  return (
    <>
      <div class="sliders">
        <Slider
          label="Gain"
          value={lesson.inputs["gain"] as number}
          least={-3}
          most={3}
          step={0.1}
          set={(gain) => give({ gain })}
        />
        <Slider
          label="Bias"
          value={lesson.inputs["bias"] as number}
          least={-6}
          most={6}
          step={0.1}
          set={(bias) => give({ bias })}
        />
        <Slider
          label="Epsilon"
          value={power}
          least={-12}
          most={1}
          shown={`1e${power}`}
          set={(next) => give({ epsilon: Number(`1e${next}`) })}
        />
      </div>
      <Matrices
        lesson={lesson}
        names={["x", "mean and deviation", "less the mean", "over the deviation", "layer norm", "batch norm"]}
        title="From three vectors to their norms; the last is batch norm, which averages down the columns"
      />
    </>
  );
}

export const norm: LessonPage = {
  topic: "norm",
  title: "LayerNorm: one vector, its mean and its deviation",
  text:
    "Each position is taken alone: less its mean, over its deviation. The second vector is ten times the first, and comes out the same; " +
    "the third is flat, and epsilon keeps it from a division by zero. Gain and bias are learned and give back what a layer wants. " +
    "Batch norm averages over the other positions instead: what comes out depends on who else is there.",
  Body,
  equation(lesson) {
    const [x, mean, deviation] = [
      number(lesson, "x", 0, 0),
      number(lesson, "mean and deviation", 0, 0),
      number(lesson, "mean and deviation", 0, 1),
    ];
    const [gain, bias] = [lesson.inputs["gain"] as number, lesson.inputs["bias"] as number];
    return (
      <Equation>
        {value(gain, 1)} {sign("·")} {over(group(value(x, 1), sign("−"), value(mean)), value(deviation))} {sign("+")}{" "}
        {value(bias, 1)} {sign("=")} {value(number(lesson, "layer norm", 0, 0))}
      </Equation>
    );
  },
  experiment: {
    ask: "Set gain and bias so that the layer norm gives the first vector back: 2, 4, 4, 4, 5, 5, 7, 9.",
    isDone: (lesson) =>
      Math.abs((lesson.inputs["gain"] as number) - 2) < 0.06 && Math.abs((lesson.inputs["bias"] as number) - 5) < 0.06,
    answer: "The deviation was 2 and the mean 5: gain and bias can undo the norm, if that is what a layer wants.",
  },
  elsewhere: { view: "inside", says: "See the vectors of a model, block by block" },
};
