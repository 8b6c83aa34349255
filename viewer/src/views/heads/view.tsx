/** Heads: every head of every layer at once. Point at one to compare it with the chosen one, click to open it. */
import { useMemo, useState } from "preact/hooks";
import { go, setMore, moreText } from "../../address";
import { api, type CellPooling } from "../../api";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { Legend } from "../../parts/legend";
import { Painting } from "../../parts/picture";
import { layerWords } from "../../parts/names";
import { headScores, roleOf, ROLES, scoresOf } from "../../parts/roles";
import { Empty, Failed, NoRun, Waiting } from "../../parts/states";
import { useQuery } from "../../parts/query";
import { roomBelow } from "../../parts/room";
import { useWidth } from "../../parts/width";
import { pixels } from "../../scene/shade";
import { short } from "../../scene/signs";
import type { Scene } from "../../scene/scene";
import { focus, head, layer, pins, pointerText, run, scale } from "../../store";
import { sameSpot } from "../../sides";
import { palette, theme } from "../../theme";
import { python } from "../../python";
import type { RunPayload } from "../../payload";
import { gridScene, gridTable, inkTop, isDense, thumbs, tokenBands, type HeadName, type Thumb } from "./grid";

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

const ABOVE = 226; // pixels of what stands between the top of the view and the pictures, ...
const FILTER = 58; // ... and of the roles, where there are any

/** What a head does, and how clearly. */
function roleText(layer: string, head: number): string {
  const role = roleOf(layer, head);
  return role ? `${ROLES[role.kind]?.name ?? role.kind} ${short(role.score)}` : "";
}

/** The heads that are asked for by a word, in another order; null where all stand by layers. */
function chosenHeads(shown: RunPayload, wanted: string, sort: string): HeadName[] | null {
  if (!wanted && sort !== "role") return null;
  const word = wanted.toLowerCase();
  const kind = Object.keys(ROLES).find((key) => ROLES[key]!.name === wanted);
  const score = ({ layer, head }: HeadName) =>
    (kind ? scoresOf(layer, head).find((role) => role.kind === kind) : scoresOf(layer, head)[0])?.score ?? -1;
  const heads = shown.layers.flatMap((layer) =>
    Array.from({ length: layer.heads }, (_, head) => ({ layer: layer.name, head })),
  );
  const matching = heads.filter(({ layer, head }) =>
    kind
      ? roleOf(layer, head)?.kind === kind
      : `${layer}:${head} head ${head} ${layerWords(layer, shown.layers)} ${roleText(layer, head)}`
          .toLowerCase()
          .includes(word),
  );
  return sort === "role" || kind ? matching.sort((one, other) => score(other) - score(one)) : matching;
}

/** Roles that there are, each a way to see its heads alone; a word to look for; by layers or by how clear they are. */
function RoleFilter({ shown, wanted, sort }: { shown: RunPayload; wanted: string; sort: string }) {
  const counts = new Map<string, number>();
  for (const layer of shown.layers)
    for (let head = 0; head < layer.heads; head++) {
      const kind = roleOf(layer.name, head)?.kind;
      if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return (
    <div class="row controls">
      {counts.size > 0 && (
        <div class="row chips" role="group" aria-label="Roles">
          {Object.entries(ROLES)
            .filter(([kind]) => counts.has(kind))
            .map(([kind, role]) => (
              <button
                key={kind}
                type="button"
                class="chip"
                data-role={kind}
                title={role.says}
                aria-pressed={wanted === role.name}
                onClick={() => setMore({ find: wanted === role.name ? "" : role.name })}
              >
                <i class="swatch" style={{ backgroundColor: role.colour }} />
                {role.name} {counts.get(kind)}
              </button>
            ))}
        </div>
      )}
      <input
        type="text"
        aria-label="Search heads"
        placeholder="Search: cross, head 2 …"
        value={wanted}
        onInput={(event) => setMore({ find: event.currentTarget.value })}
      />
      <Choice
        label="Order"
        value={sort === "role" ? "role" : "layer"}
        choose={(value) => setMore({ sort: value === "role" ? "role" : "" })}
        options={[
          ["layer", "by layer"],
          ["role", "clearest first"],
        ]}
      />
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
  const wanted = moreText("find");
  const sort = moreText("sort");
  const roles = headScores.value;
  const order = useMemo(() => (shown ? chosenHeads(shown, wanted, sort) : null), [shown, wanted, sort, roles]);
  const named = roles.size > 0;
  const tall = roomBelow(ABOVE + (named ? FILTER : 0), 320);
  const captioned = named && !isDense(shown?.layers.length ?? 0, { width: room, order });
  const all = useMemo(
    () => (answer && shown ? thumbs(answer, shown, scale.value, { width: room, order, named, height: tall }) : []),
    [answer, shown, room, scale.value, order, named, tall],
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
    return gridScene(
      all,
      { scale: scale.value, top, theme: now },
      colours,
      (candidate) => candidate === chosen,
      off,
      (thumb) => [
        ...(captioned ? [roleText(thumb.layer, thumb.head)] : []),
        ...(order ? [`${thumb.layer}:${thumb.head}`] : []),
      ],
    );
  }, [all, top, now, chosen, shown, scale.value, roles]);
  const spoken = focus.value;
  const held = pins.value;
  const banded = useMemo(() => {
    const spots = [...held, ...(spoken && !held.some((spot) => sameSpot(spot, spoken)) ? [spoken] : [])];
    return shown ? { ...scene, marks: [...scene.marks, ...tokenBands(all, shown, spots, colours)] } : scene;
  }, [scene, spoken, held]);
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
      `${layerWords(pointedThumb.layer, shown.layers)}, head ${pointedThumb.head} · ${roleText(pointedThumb.layer, pointedThumb.head) || "no clear role"} · largest weight ${short(pointedThumb.largest)} · click to open`;
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
    if (order) {
      const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      const next = step && all[all.indexOf(now) + step];
      if (next) {
        event.preventDefault();
        return go({ layer: next.layer, head: next.head });
      }
    }
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
      {answer && named && <RoleFilter shown={shown} wanted={wanted} sort={sort} />}
      {answer && order?.length === 0 && <Empty>No head is called “{wanted}” on this text.</Empty>}
      {answer && order?.length !== 0 && (
        <div class="card">
          <Figure
            title={title}
            of={[all]}
            first
            late={late}
            make={() => ({
              title,
              scene: banded,
              table: gridTable(all, how, (thumb) => roleText(thumb.layer, thumb.head)),
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
                scene={banded}
                label={`${all.length} heads as thumbnails; arrow keys choose, Enter opens`}
                data={`${all[0]?.x ?? 0},${all[0]?.y ?? 0},${(all[1]?.x ?? 0) - (all[0]?.x ?? 0)}`}
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
