/** What the pages are made of: sliders, matrices to type into, words to move, pictures of matrices. */
import { useMemo, useState } from "preact/hooks";
import { Figure } from "../../parts/figure";
import { SvgPicture } from "../../parts/picture";
import { useWidth } from "../../parts/width";
import { sideBySide, gridTable, matrixScene, type MatrixStyle } from "../../scene/matrix";
import type { Scene } from "../../scene/scene";
import type { DataTable } from "../../scene/table";
import { pointerText } from "../../store";
import { palette } from "../../theme";
import { grid, type LessonProps } from "./lesson";

/** Without the digits that only binary numbers have. */
const round = (value: number): number => Number(value.toPrecision(4));

interface SliderProps {
  label: string;
  value: number;
  least: number;
  most: number;
  step?: number;
  set: (value: number) => void;
  shown?: string;
}

export function Slider({ label, value, least, most, step = 1, set, shown }: SliderProps) {
  return (
    <label class="slider">
      <span>{label}</span>
      <input
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        aria-label={label}
        onInput={(event) => set(Number(event.currentTarget.value))}
      />
      <output>{shown ?? round(value)}</output>
    </label>
  );
}

/** A matrix whose numbers can be typed or stepped. */
export function Typed({
  name,
  rows,
  columns,
  numbers,
  step = 0.5,
  set,
}: {
  name: string;
  rows: string[];
  columns: string[];
  numbers: number[][];
  step?: number;
  set: (next: number[][]) => void;
}) {
  return (
    <table class="typed">
      <caption>{name}</caption>
      <thead>
        <tr>
          <td />
          {columns.map((column, index) => (
            <th key={index} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numbers.map((line, row) => (
          <tr key={row}>
            <th scope="row">{rows[row]}</th>
            {line.map((value, column) => (
              <td key={column}>
                <input
                  type="number"
                  step={step}
                  value={round(value)}
                  aria-label={`${name}: ${rows[row]}, ${columns[column]}`}
                  onInput={(event) => {
                    const next = event.currentTarget.valueAsNumber;
                    if (Number.isFinite(next))
                      set(
                        numbers.map((each, at) =>
                          at === row ? each.map((old, index) => (index === column ? next : old)) : each,
                        ),
                      );
                  }}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Words that can be dragged, or moved with the arrow keys. */
export function Movable({ words, set }: { words: string[]; set: (words: string[]) => void }) {
  const [held, hold] = useState<number | null>(null);
  const move = (from: number, to: number) => {
    if (to < 0 || to >= words.length || from === to) return;
    const next = [...words];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };
  return (
    <ol class="movable" aria-label="Words; drag them, or use the arrow keys">
      {words.map((word, index) => (
        <li
          key={`${index}${word}`}
          draggable
          tabIndex={0}
          class={held === index ? "held" : undefined}
          data-word={index}
          onDragStart={(event) => {
            hold(index);
            event.dataTransfer?.setData("text/plain", word);
          }}
          onDragOver={(event) => event.preventDefault()}
          onDragEnd={() => hold(null)}
          onDrop={(event) => {
            event.preventDefault();
            if (held !== null) move(held, index);
            hold(null);
          }}
          onKeyDown={(event) => {
            if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
            event.preventDefault();
            event.stopPropagation();
            const to = index + (event.key === "ArrowLeft" ? -1 : 1);
            const list = event.currentTarget.parentElement;
            move(index, to);
            requestAnimationFrame(() => list?.querySelector<HTMLElement>(`[data-word="${to}"]`)?.focus());
          }}
        >
          {word}
        </li>
      ))}
    </ol>
  );
}

const LARGEST_ZOOM = 1.7;

/** How much larger a small picture is drawn, so that it fills its card. */
export const zoomFor = (scene: Scene, width: number): number =>
  Math.max(1, Math.min(LARGEST_ZOOM, (width - 8) / Math.max(1, scene.width)));

/** A scene of a lesson, with its table and all that can be taken along. */
export function Shown({
  title,
  scene,
  table,
  lesson,
  first,
}: {
  title: string;
  scene: Scene;
  table: DataTable;
  lesson: LessonProps["lesson"];
  first?: boolean;
}) {
  const [box, width] = useWidth(scene.width);
  return (
    <div ref={box}>
      <Figure title={title} of={[table]} first={first} make={() => ({ title, scene, table, python: lesson.code })}>
        <SvgPicture scene={scene} label={title} zoom={zoomFor(scene, width)} />
      </Figure>
    </div>
  );
}

/** Some matrices of a lesson side by side; those that are missing are left out. */
export function Matrices({
  lesson,
  names,
  title,
  looks = {},
  first = true,
}: {
  lesson: LessonProps["lesson"];
  names: string[];
  title: string;
  looks?: Record<string, MatrixStyle>;
  first?: boolean;
}) {
  const [box, width] = useWidth(700);
  const colours = palette.value;
  const grids = useMemo(
    () => names.map((name) => grid(lesson, name)).filter((entry) => entry.numbers.length > 0),
    [lesson, names.join()],
  );
  const scene = useMemo(
    () =>
      sideBySide(
        grids.map((entry) =>
          matrixScene(entry, colours, {
            touch: (row, column) => ({
              enter: () =>
                (pointerText.value = `${entry.name} · ${entry.rows[row] ?? row} → ${entry.columns[column] ?? column}: ${entry.numbers[row]?.[column] ?? "forbidden"}`),
              leave: () => (pointerText.value = null),
            }),
            ...looks[entry.name],
          }),
        ),
        Math.max(280, width),
      ),
    [grids, colours, width, looks],
  );
  return (
    <div ref={box}>
      <Shown title={title} scene={scene} table={gridTable(grids)} lesson={lesson} first={first} />
    </div>
  );
}

/** Steps that are walked through one by one. */
export function Stepper({
  step,
  steps,
  names,
  set,
  isNamed = true,
}: {
  step: number;
  steps: number;
  names: string[];
  set: (step: number) => void;
  /** Whether the step's name is written beside: not where the picture is called so. */
  isNamed?: boolean;
}) {
  return (
    <div class="row stepper">
      <button type="button" class="plain" disabled={step === 0} onClick={() => set(step - 1)}>
        ← Step back
      </button>
      <span class="dots" role="group" aria-label="Steps">
        {Array.from({ length: steps }, (_, index) => (
          <button
            key={index}
            type="button"
            class="dot"
            aria-pressed={index === step}
            aria-label={names[index]}
            title={names[index]}
            onClick={() => set(index)}
          />
        ))}
      </span>
      <button type="button" class="plain" disabled={step === steps - 1} onClick={() => set(step + 1)}>
        Next step →
      </button>
      {isNamed && <b>{names[step]}</b>}
    </div>
  );
}
