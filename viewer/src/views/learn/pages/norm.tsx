import { short } from "../../../scene/signs";
import { number, type LessonPage, type LessonProps } from "../lesson";
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
          least={-3}
          most={3}
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
    return `${short(gain, 1)} · (${short(x, 1)} − ${short(mean, 2)}) ÷ ${short(deviation, 2)} + ${short(bias, 1)} = ${short(number(lesson, "layer norm", 0, 0), 2)}`;
  },
};
