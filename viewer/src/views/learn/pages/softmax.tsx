import { useWidth } from "../../../parts/width";
import { barScene } from "../../../scene/bars";
import { short } from "../../../scene/signs";
import { palette } from "../../../theme";
import { numbersOf, fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { chain, Equation, exp, group, over, sign, value } from "../mathml";
import { Shown, Slider } from "../pieces";
import { gridTable } from "../../../scene/matrix";

function Body({ lesson, give }: LessonProps) {
  const [box, width] = useWidth(560);
  const scores = lesson.inputs["scores"] as number[];
  const heat = lesson.inputs["temperature"] as number;
  const weights = grid(lesson, "weights");
  const scene = barScene(
    (weights.numbers[0] ?? []).map((value, index) => ({
      name: weights.columns[index] ?? "",
      value: value ?? 0,
      strong: weights.columns[index] === fact(lesson, "largest"),
    })),
    palette.value,
    { width: Math.min(640, Math.max(280, width)), digits: 3 },
  );
  return (
    <div ref={box} class="stack">
      <Slider
        label="Temperature"
        value={Math.round(Math.log2(heat) * 10) / 10}
        least={-3}
        most={4}
        step={0.1}
        shown={short(heat)}
        set={(value) => give({ temperature: Number((2 ** value).toFixed(3)) })}
      />
      <div class="sliders">
        {scores.map((score, index) => (
          <Slider
            key={index}
            label={`score of ${weights.columns[index]}`}
            value={score}
            least={-5}
            most={5}
            step={0.1}
            set={(value) => give({ scores: scores.map((old, at) => (at === index ? value : old)) })}
          />
        ))}
      </div>
      <Shown
        title="The weights: positive, and together one"
        scene={scene}
        table={gridTable([weights])}
        lesson={lesson}
        first
      />
    </div>
  );
}

export const softmax: LessonPage = {
  topic: "softmax",
  title: "Softmax, and its temperature",
  text:
    "Scores may be any numbers; weights must be positive and add up to one. Softmax raises e to each score and divides by the sum. " +
    "A temperature divides the scores first: cold, and the largest takes all; hot, and all become equal. Move the slider.",
  Body,
  equation(lesson) {
    const scores = lesson.inputs["scores"] as number[];
    const heat = lesson.inputs["temperature"] as number;
    const weights = grid(lesson, "weights").numbers[0] ?? [];
    const best = weights.indexOf(Math.max(...weights.map((weight) => weight ?? 0)));
    const power = (score: number) => exp(group(value(score, 1), sign("/"), value(heat)));
    return (
      <Equation>
        {over(power(scores[best] ?? 0), chain("+", scores.map(power)))} {sign("=")} {value(weights[best] ?? 0, 3)}
      </Equation>
    );
  },
  experiment: {
    ask: "Leave the scores alone, and make the largest weight more than .99.",
    isDone: (lesson) =>
      JSON.stringify(lesson.inputs["scores"]) === "[1,2,3,0]" && Math.max(...numbersOf(lesson, "weights")) > 0.99,
    answer: "A temperature near zero turns a soft choice into a hard one. A hot one forgets the scores.",
  },
  elsewhere: { view: "edit", says: "Heat or cool a head" },
};
