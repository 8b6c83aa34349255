/** A picture as it is taken along: with its title above, and the model and the text that it is of below. */
import type { Palette } from "../theme";
import { fitText, measure, type Scene, type SceneMark } from "./scene";
import { legible } from "./signs";

const MARGIN = 16;
const HEAD = 34;
const FOOT = 26;

/** All marks some way down and to the right. */
function moved(mark: SceneMark): SceneMark {
  const [x, y] = [MARGIN, MARGIN + HEAD];
  return mark.kind === "stroke" ? { ...mark, shift: [x, y] } : { ...mark, x: mark.x + x, y: mark.y + y };
}

export function titled(scene: Scene, title: string, about: string, colours: Palette): Scene {
  const width = Math.max(scene.width, 1.1 * measure(title, 17, false), 360) + 2 * MARGIN;
  const label = { kind: "label" as const, x: MARGIN };
  return {
    width,
    height: scene.height + 2 * MARGIN + HEAD + FOOT,
    marks: [
      { ...label, y: MARGIN + 16, text: title, size: 17, bold: true, fill: colours.ink },
      ...scene.marks.map(moved),
      {
        ...label,
        y: scene.height + 2 * MARGIN + HEAD + 8,
        text: fitText(legible(about), width - 2 * MARGIN, 12, false),
        size: 12,
        fill: colours.faint,
      },
    ],
  };
}
