import { plainNumber } from "../../../scene/signs";
import { useMemo } from "preact/hooks";
import { useWidth } from "../../../parts/width";
import { sideBySide, gridTable, matrixScene } from "../../../scene/matrix";
import { palette } from "../../../theme";
import { numbersOf, fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { Equation, words } from "../mathml";
import { Shown, Typed } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const [box, width] = useWidth(700);
  const image = lesson.inputs["image"] as number[][];
  const kernel = lesson.inputs["kernel"] as number[][];
  const colours = palette.value;
  const grids = ["image", "kernel", "mask of the middle pixel", "by attention", "by convolution"]
    .map((name) => grid(lesson, name))
    .filter((entry) => entry.numbers.length);
  const scene = useMemo(
    () =>
      sideBySide(
        grids.map((entry) =>
          matrixScene(entry, colours, {
            cell: 26,
            touch:
              entry.name === "image"
                ? (row, column) => ({
                    press: () =>
                      give({
                        image: image.map((line, at) =>
                          at === row ? line.map((old, index) => (index === column ? (old ? 0 : 1) : old)) : line,
                        ),
                      }),
                  })
                : undefined,
          }),
        ),
        Math.max(280, width),
      ),
    [lesson, colours, width],
  );
  return (
    <div ref={box} class="stack">
      <p class="faint small">Click a pixel of the image to paint it; type another kernel.</p>
      <Typed
        name="Kernel"
        rows={["↑", "·", "↓"]}
        columns={["←", "·", "→"]}
        numbers={kernel}
        step={0.25}
        set={(next) => give({ kernel: next })}
      />
      <Shown
        title="An image, by attention and by convolution"
        scene={scene}
        table={gridTable(grids)}
        lesson={lesson}
        first
      />
    </div>
  );
}

export const convolution: LessonPage = {
  topic: "convolution",
  title: "A convolution is attention",
  text:
    "A kernel of 3 × 3 looks at nine neighbours, each with a fixed weight. Nine heads can do that: each looks at one neighbour, " +
    "chosen by position alone, and the output projection weighs them. Paint the image: both pictures change alike.",
  Body,
  equation: (lesson) => (
    <Equation>
      {words("largest difference between the two: ")}
      <mn>{plainNumber(Number(fact(lesson, "largest difference")))}</mn>
    </Equation>
  ),
  experiment: {
    ask: "Paint the picture full of ones. What does this kernel leave of it in the middle?",
    isDone: (lesson) => numbersOf(lesson, "image").every((pixel) => pixel > 0),
    answer:
      "Nothing: the kernel finds edges, and there is none. Attention that looks at its eight neighbours does the same.",
  },
  elsewhere: { view: "map", says: "See heads that look at neighbours" },
};
