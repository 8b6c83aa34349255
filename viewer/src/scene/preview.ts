/** A picture for link previews, 1200 × 630: a title, the sentence, the picture as large as there is room, the model. */
import type { Palette } from "../theme";
import { canvasOf } from "./paint";
import { fitText, measure, type Scene, type SceneMark } from "./scene";
import { legible } from "./signs";

const [WIDTH, HEIGHT] = [1200, 630];
const MARGIN = 48;
const ROOM = WIDTH - 2 * MARGIN;

/** A text in at most so many lines, the last one cut. */
function wrapped(text: string, size: number, most: number): string[] {
  const lines: string[] = [];
  let rest = legible(text).split(" ");
  while (rest.length && lines.length < most) {
    let count = 1;
    while (count < rest.length && measure(rest.slice(0, count + 1).join(" "), size, false) <= ROOM) count++;
    const isLast = lines.length === most - 1;
    lines.push(fitText((isLast ? rest : rest.slice(0, count)).join(" "), ROOM, size, false));
    rest = isLast ? [] : rest.slice(count);
  }
  return lines;
}

export function previewScene(picture: Scene, title: string, text: string, about: string, colours: Palette): Scene {
  const marks: SceneMark[] = [];
  let y = MARGIN;
  const write = (line: string, size: number, fill: string, bold = false) => {
    y += size;
    marks.push({ kind: "label", x: MARGIN, y, text: line, size, fill, bold });
    y += size * 0.4;
  };
  for (const line of wrapped(text || title, 34, 2)) write(line, 34, colours.ink, true);
  if (text) write(fitText(title, ROOM, 20, false), 20, colours.faint);
  const top = y + 12;
  const bottom = HEIGHT - MARGIN - 14;
  const scale = Math.min(ROOM / picture.width, (bottom - top) / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const pixels = canvasOf(picture, colours.paper, Math.max(1, scale) * 2);
  const [x, from] = [(WIDTH - width) / 2, top + (bottom - top - height) / 2];
  marks.push({ kind: "raster", x, y: from, width, height, pixels, smooth: true });
  marks.push({
    kind: "label",
    x: MARGIN,
    y: HEIGHT - 24,
    text: fitText(about, ROOM, 18, false),
    size: 18,
    fill: colours.faint,
  });
  return { width: WIDTH, height: HEIGHT, marks };
}
