/** Heads: every head of every layer at once. Point at one to compare it with the chosen one, click to open it. */
import { useMemo, useState } from "preact/hooks";
import { go, setMore, moreText } from "../../address";
import { api, type CellPooling } from "../../api";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { Legend } from "../../parts/legend";
import { Painting } from "../../parts/picture";
import { Failed, NoRun, Waiting } from "../../parts/states";
import { useQuery } from "../../parts/query";
import { useWidth } from "../../parts/width";
import { pixels } from "../../scene/shade";
import { short } from "../../scene/signs";
import type { Scene } from "../../scene/scene";
import { head, layer, pointerText, run, scale } from "../../store";
import { palette, theme } from "../../theme";
import { python } from "../../python";
import { gridScene, gridTable, inkTop, thumbs, type Thumb } from "./grid";

function Large({ thumb, top, name }: { thumb: Thumb; top: number; name: string }) {
  const size = 200;
  const ratio = Math.min(2, Math.max(0.5, thumb.rows / thumb.columns));
  const height = Math.round(size * Math.min(1, ratio));
  const width = Math.round(size * Math.min(1, 1 / ratio));
  const scene: Scene = {
    width: width + 2,
    height: height + 2,
    marks: [
      {
        kind: "raster",
        x: 1,
        y: 1,
        width,
        height,
        pixels: pixels(
          thumb.numbers,
          thumb.rows,
          thumb.columns,
          { scale: scale.value, top, theme: theme.value },
          thumb.leftOut,
        ),
      },
      { kind: "box", x: 0.5, y: 0.5, width: width + 1, height: height + 1, stroke: palette.value.line },
    ],
  };
  return (
    <div class="large">
      <span class="small">
        <b>{name}</b> {thumb.layer} · head {thumb.head}
      </span>
      <Painting scene={scene} label={`${thumb.layer}, head ${thumb.head}`} />
      <span class="faint small">largest {short(thumb.largest)}</span>
    </div>
  );
}

export function HeadsView() {
  const shown = run.value;
  const [box, width] = useWidth();
  const [under, set] = useState<Thumb | null>(null);
  const how: CellPooling = moreText("how") === "max" ? "max" : "mean";
  const { answer, problem, late } = useQuery(shown && ((signal) => api.overview(shown.id, { how, size: 64 }, signal)), [
    shown?.id,
    how,
  ]);
  const room = Math.max(260, width - (width > 980 ? 280 : 34));
  const all = useMemo(
    () => (answer && shown ? thumbs(answer, shown, room, scale.value) : []),
    [answer, shown, room, scale.value],
  );
  const top = useMemo(() => inkTop(all), [all]);
  const here = layer.value;
  const now = theme.value;
  const colours = palette.value;
  const chosen = all.find((candidate) => candidate.layer === here?.name && candidate.head === head.value) ?? null;
  const scene = useMemo(() => {
    const off = (candidate: Thumb) =>
      shown?.edits.some(
        (edit) =>
          edit["do"] === "scale" &&
          edit["factor"] === 0 &&
          edit["layer"] === candidate.layer &&
          (edit["heads"] as number[]).includes(candidate.head),
      ) ?? false;
    return gridScene(all, { scale: scale.value, top, theme: now }, colours, (candidate) => candidate === chosen, off);
  }, [all, top, now, chosen, shown, scale.value]);
  if (!shown) return <NoRun>Run a text: this view then shows all heads of all layers, each as a small picture.</NoRun>;
  const at = ({ x, y }: { x: number; y: number }) =>
    all.find(
      (candidate) =>
        x >= candidate.x &&
        x <= candidate.x + candidate.width &&
        y >= candidate.y &&
        y <= candidate.y + candidate.height,
    ) ?? null;
  const over = (spot: { x: number; y: number } | null) => {
    const pointedThumb = spot && at(spot);
    set(pointedThumb);
    pointerText.value =
      pointedThumb &&
      `${pointedThumb.layer} · head ${pointedThumb.head} · largest weight ${short(pointedThumb.largest)} · click to open`;
  };
  const open = (candidate: Thumb) => {
    const where = shown.layers.find((each) => each.name === candidate.layer);
    go({
      layer: candidate.layer,
      head: candidate.head,
      view: Math.max(where?.queries ?? 0, where?.keys ?? 0) > 64 ? "map" : "links",
    });
  };
  const keys = (event: KeyboardEvent) => {
    const now = chosen ?? all[0];
    if (!now) return;
    const layerNames = [...new Set(all.map((candidate) => candidate.layer))];
    const row = layerNames.indexOf(now.layer);
    const to: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = to[event.key];
    if (event.key === "Enter") return open(now);
    if (!move) return;
    event.preventDefault();
    const name = layerNames[row + move[0]] ?? now.layer;
    const next = all.find((candidate) => candidate.layer === name && candidate.head === now.head + move[1]);
    if (next) go({ layer: next.layer, head: next.head });
  };
  const title = `Heads of ${shown.model}`;
  const cells =
    answer &&
    answer.head.layers.some((candidate) => {
      const whole = shown.layers.find((each) => each.name === candidate.name);
      return whole && whole.keys > candidate.columns;
    });
  return (
    <div class="stack" ref={box}>
      {!answer && !problem && <Waiting line="Waiting for the overview of all heads …" />}
      {problem && <Failed line={problem} />}
      {answer && (
        <div class="card">
          <Figure
            title={title}
            of={[all]}
            first
            late={late}
            make={() => ({
              title,
              scene,
              table: gridTable(all, how),
              python: python([
                `print(pattern.pool(${chosen?.rows ?? 32}, ${chosen?.columns ?? 32}, "${how}")[0, ${head.value}])`,
              ]),
            })}
            legend={
              <div class="stack tight">
                <Legend top={top} />
                {cells && (
                  <div class="row">
                    <Choice<CellPooling>
                      label="What a cell is"
                      value={how}
                      choose={(value) => setMore({ how: value === "max" ? "max" : "" })}
                      options={[
                        ["mean", "mean of a cell"],
                        ["max", "largest of a cell"],
                      ]}
                    />
                    <span class="faint small">a cell stands for several tokens</span>
                  </div>
                )}
              </div>
            }
          >
            <div class="beside">
              <Painting
                scene={scene}
                label={`${all.length} heads as thumbnails; arrow keys choose, Enter opens`}
                over={over}
                keys={keys}
                press={(spot) => {
                  const pointedThumb = at(spot);
                  if (pointedThumb) open(pointedThumb);
                }}
              />
              <div class="compare">
                {chosen && <Large thumb={chosen} top={top} name="chosen" />}
                {under && under !== chosen && <Large thumb={under} top={top} name="under the pointer" />}
              </div>
            </div>
          </Figure>
        </div>
      )}
    </div>
  );
}
