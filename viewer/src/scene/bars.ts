/** Rows of bars with names and numbers: options, probabilities before and after, a softmax row. */
import { fitText, measure, type SceneMark, type Scene, type Touch } from "./scene";
import type { Palette } from "../theme";
import { short } from "./signs";

export interface Bar {
  name: string;
  value: number;
  /** Drawn faintly behind: what it was before. */
  before?: number;
  strong?: boolean;
  touch?: Touch;
  title?: string;
}

const LINE = 24;

/** Values from 0 to `most`, one bar below the other. */
export function barScene(bars: Bar[], colours: Palette, { width = 420, most = 1, digits = 2 } = {}): Scene {
  const names = Math.min(170, Math.max(40, ...bars.map((bar) => measure(bar.name, 13)))) + 10;
  const numbers = bars.some((bar) => bar.before !== undefined) ? 96 : 20 + 8 * (digits + 2);
  const room = Math.max(60, width - names - numbers);
  const marks = bars.flatMap((bar, index): SceneMark[] => {
    const y = index * LINE + 4;
    const length = (value: number) => (room * Math.min(1, Math.max(0, value))) / most;
    const shown =
      bar.before === undefined
        ? short(bar.value, digits)
        : `${short(bar.before, digits)} → ${short(bar.value, digits)}`;
    return [
      {
        kind: "label",
        x: names - 8,
        y: y + 13,
        anchor: "end",
        text: fitText(bar.name, names - 8),
        size: 13,
        mono: true,
        bold: bar.strong,
        fill: colours.ink,
      },
      ...(bar.before === undefined
        ? []
        : [
            {
              kind: "box" as const,
              x: names,
              y: y + 1,
              width: length(bar.before),
              height: 15,
              round: 2,
              stroke: colours.faint,
              thickness: 1,
            },
          ]),
      {
        kind: "box",
        x: names,
        y: y + (bar.before === undefined ? 2 : 4),
        width: Math.max(1, length(bar.value)),
        height: bar.before === undefined ? 13 : 9,
        round: 2,
        fill: colours.accent,
        opacity: bar.strong === false ? 0.45 : 1,
        title: bar.title ?? `${bar.name}: ${bar.value}`,
        touch: bar.touch,
      },
      {
        kind: "label",
        x: names + Math.max(length(bar.value), length(bar.before ?? 0)) + 6,
        y: y + 13,
        text: shown,
        size: 12,
        fill: colours.faint,
      },
    ];
  });
  return { width, height: bars.length * LINE + 8, marks };
}
