/** Draw a weight: pull a bar of one row; the others make room, so that the row still adds up to one. */
import { useEffect, useState } from "preact/hooks";
import { go, type Edit } from "../../address";
import { api, type LayerInfo } from "../../api";
import { useQuery } from "../../parts/query";
import { Frame } from "../../parts/frame";
import { Painting } from "../../parts/picture";
import { Failed } from "../../parts/states";
import { fitText, type SceneMark, type Scene } from "../../scene/scene";
import { short, visible } from "../../scene/signs";
import { columnText, rowOf, rowText, spotOfRow } from "../../sides";
import { change, changes, head, pins, layer, pointerText, run } from "../../store";
import { palette } from "../../theme";

const TALL = 120;
const MOST = 128;

/** One weight set, the rest scaled to what is left. */
export function redistribute(weights: number[], at: number, value: number): number[] {
  const rest = weights.reduce((sum, weight, index) => (index === at ? sum : sum + weight), 0);
  const left = 1 - value;
  return weights.map((weight, index) =>
    index === at ? value : rest > 0 ? (weight * left) / rest : left / (weights.length - 1),
  );
}

/** How many keys a row can look at: where a text is read from left to right, those up to its own token. */
const reach = (here: LayerInfo, row: number): number => (here.mask.includes("causal") ? row + 1 : here.keys);

export function WeightEditor() {
  const shown = run.value!;
  const here = layer.value!;
  const number = head.value;
  const row = pins.value.flatMap((spot) => rowOf(shown, here, spot) ?? []).at(-1) ?? Math.min(1, here.queries - 1);
  const { answer, problem, late } = useQuery(
    (signal) => api.row(shown.id, { layer: here.name, head: number, row, top: 1 }, signal),
    [shown.id, here.name, number, row],
  );
  const [draft, set] = useState<number[] | null>(null);
  useEffect(() => set(null), [answer]);
  if (problem) return <Failed line={problem} />;
  if (!answer || late) return null;
  const keys = answer.weights.length ? reach(here, row) : answer.keys;
  if (keys > MOST || keys < 2) {
    return (
      <p class="faint small">
        A row of {keys} weights is too {keys < 2 ? "short" : "long"} to be drawn by hand.
      </p>
    );
  }
  const weights = draft ?? answer.weights.slice(0, keys);
  const step = Math.max(26, Math.min(64, 760 / weights.length));
  const colours = palette.value;
  const marks: SceneMark[] = weights.flatMap((weight, index): SceneMark[] => {
    const x = 4 + index * step;
    const before = answer.weights[index]!;
    return [
      { kind: "box", x: x + 3, y: 10, width: step - 6, height: TALL, fill: colours.soft, opacity: 0.5, round: 3 },
      ...(draft
        ? [
            {
              kind: "box" as const,
              x: x + 3,
              y: 10 + TALL * (1 - before),
              width: step - 6,
              height: TALL * before,
              stroke: colours.faint,
              round: 2,
            },
          ]
        : []),
      {
        kind: "box",
        x: x + 3,
        y: 10 + TALL * (1 - weight),
        width: step - 6,
        height: Math.max(1, TALL * weight),
        fill: colours.accent,
        round: 3,
      },
      {
        kind: "label",
        x: x + step / 2,
        y: 24 + TALL,
        anchor: "middle",
        text: short(weight),
        size: 11,
        fill: colours.faint,
      },
      {
        kind: "label",
        x: x + step / 2 + 4,
        y: 32 + TALL,
        anchor: "end",
        turn: -90,
        text: fitText(visible(columnText(shown, here, index)), 60, 12),
        size: 12,
        mono: true,
        fill: colours.ink,
      },
    ];
  });
  const scene: Scene = { width: 8 + step * weights.length, height: TALL + 100, marks };
  const pull = ({ x, y }: { x: number; y: number }) => {
    const at = Math.floor((x - 4) / step);
    if (at < 0 || at >= weights.length) return;
    const value = Math.min(1, Math.max(0, 1 - (y - 10) / TALL));
    set(redistribute(weights, at, Math.round(value * 100) / 100));
    pointerText.value = `“${visible(rowText(shown, here, row))}” shall look at “${visible(columnText(shown, here, at))}” with ${short(value)}`;
  };
  const apply = (next: number[]) => {
    const record: Edit = {
      do: "set",
      layer: here.name,
      heads: [number],
      rows: [row],
      weights: [next.map((weight) => Number(weight.toFixed(4)))],
    };
    const others = changes.value.filter(
      ({ record: entry }) =>
        !(
          entry.do === "set" &&
          entry["layer"] === here.name &&
          String(entry["heads"]) === String([number]) &&
          String(entry["rows"]) === String([row])
        ),
    );
    change([...others, { record, on: true }]);
  };
  const sharpen = (at: number) => set(redistribute(weights, at, 1));
  return (
    <div class="stack tight">
      <div class="row">
        <h3>Draw what a token looks at</h3>
        <label>
          Token
          <select
            class="mono"
            aria-label="Token whose row is drawn"
            value={row}
            onChange={(event) => go({ pins: [spotOfRow(shown, here, Number(event.currentTarget.value))] })}
          >
            {Array.from({ length: Math.min(400, here.queries) }, (_, index) => (
              <option key={index} value={index}>
                {index} {visible(rowText(shown, here, index))}
              </option>
            ))}
          </select>
        </label>
        <label>
          All to
          <select
            class="mono"
            aria-label="All weight to"
            value=""
            onChange={(event) => sharpen(Number(event.currentTarget.value))}
          >
            <option value="" disabled>
              choose
            </option>
            {weights.map((_, index) => (
              <option key={index} value={index}>
                {index} {visible(columnText(shown, here, index))}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="plain" data-do="set" disabled={!draft} onClick={() => draft && apply(draft)}>
          Use these weights
        </button>
        <button type="button" class="plain" disabled={!draft} onClick={() => set(null)}>
          Put back
        </button>
      </div>
      <Frame label="Weights to draw">
        <Painting
          scene={scene}
          label={`weights of ${visible(rowText(shown, here, row))}; drag a bar to change it`}
          press={(at) => pull(at)}
          drag={pull}
        />
      </Frame>
      <table class="unseen">
        <caption>weights of {visible(rowText(shown, here, row))}</caption>
        <tbody>
          {weights.map((weight, index) => (
            <tr key={index}>
              <th scope="row">{visible(columnText(shown, here, index))}</th>
              <td>{short(weight, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
