/** Links: who looks at whom, as lines. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { setMore, moreText, moreNumber } from "../../address";
import { api } from "../../api";
import { useQuery } from "../../parts/query";
import { Figure } from "../../parts/figure";
import { SvgPicture } from "../../parts/picture";
import { Empty, Failed, NoRun, Waiting } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { headColour, headInk } from "../../scene/colour";
import { count as grouped, visible } from "../../scene/signs";
import { columnText, rowOf, rowText } from "../../sides";
import { head, hover, pin, pins, layer, pointerText, run } from "../../store";
import { palette } from "../../theme";
import { python } from "../../python";
import { linkScene } from "./scene";

const ROWS = 60;
const TOGETHER = 32; // heads of a short text that are asked for at once: the next one is there before its key

/** The heads that are drawn: the chosen one, or several by their numbers. */
function drawnHeads(all: number): number[] {
  const heads = moreText("heads")
    .split(",")
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
    .filter((number) => number < all);
  return heads.length ? [...new Set(heads)].sort((number, other) => number - other) : [Math.max(0, head.value)];
}

function HeadChips({ all, drawn }: { all: number; drawn: number[] }) {
  const toggle = (number: number) => {
    const next = drawn.includes(number) ? drawn.filter((each) => each !== number) : [...drawn, number];
    setMore({ heads: (next.length ? next : [number]).join(",") });
  };
  if (all === 1) return null;
  return (
    <div class="row chips" role="group" aria-label="Heads that are drawn">
      {Array.from({ length: all }, (_, number) => (
        <button
          key={number}
          type="button"
          class="chip"
          aria-pressed={drawn.includes(number)}
          data-head={number}
          style={
            drawn.includes(number)
              ? {
                  backgroundColor: headColour(number),
                  borderColor: "transparent",
                  color: headInk(number),
                }
              : { borderColor: headColour(number) }
          }
          onClick={() => toggle(number)}
        >
          head {number}
        </button>
      ))}
      <button
        type="button"
        class="quiet"
        onClick={() =>
          setMore({ heads: drawn.length === all ? "" : Array.from({ length: all }, (_, number) => number).join(",") })
        }
      >
        {drawn.length === all ? "only one" : "all"}
      </button>
    </div>
  );
}

export function LinksView() {
  const shown = run.value;
  const here = layer.value;
  const [box, width] = useWidth();
  const top = moreNumber("top", 3, 1, 16);
  const many = (here?.queries ?? 0) > ROWS + 20;
  const first = many ? moreNumber("first", 0, 0, Math.max(0, (here?.queries ?? 1) - 1)) : 0;
  const count = many ? ROWS : (here?.queries ?? 0);
  const all = here?.heads ?? 1;
  const heads = drawnHeads(all);
  const wanted = many || all > TOGETHER ? heads.join(",") : [...Array(all).keys()].join(",");
  const { answer, problem, late } = useQuery(
    shown &&
      here &&
      ((signal) =>
        api.links(shown.id, { layer: here.name, heads: wanted, top, first, count: Math.max(1, count) }, signal)),
    [shown?.id, here?.name, wanted, top, first, count],
  );
  const links = useMemo(
    () => answer?.links.filter(([number]) => heads.includes(number)) ?? [],
    [answer, heads.join(",")],
  );
  const last = pins.value.at(-1);
  useEffect(() => {
    // a token that was pinned elsewhere comes into sight
    const row = shown && here && last ? rowOf(shown, here, last) : null;
    if (many && row !== null && (row < first || row >= first + count))
      setMore({ first: String(Math.max(0, row - 10)) });
  }, [last, here]);
  const colours = palette.value;
  const spoken = hover.value;
  const [receives, receive] = useState(false);
  const scene = useMemo(() => {
    if (!shown || !here || !answer || answer.layer !== here.name) return null;
    return linkScene(
      {
        run: shown,
        layer: here,
        links,
        first,
        count,
        width: width - 40,
        spoken,
        receives,
        pins: pins.value,
      },
      colours,
      {
        point: (spot, side) => {
          hover.value = spot;
          receive(side);
        },
        pin: (spot, shift) => pin([spot], shift),
        say: (line) => (pointerText.value = line),
      },
    );
  }, [shown, here, answer, links, first, count, width, spoken, receives, pins.value, colours]);
  if (!shown || !here)
    return <NoRun>Run a text: this view then draws a line from every token to those it looks at.</NoRun>;
  const title = `Links of ${here.name}, ${heads.length > 1 ? `heads ${heads.join(", ")}` : `head ${heads[0]}`}`;
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <label>
          Lines a token
          <input
            type="range"
            min={1}
            max={16}
            value={top}
            aria-label="Lines a token"
            onInput={(event) => setMore({ top: event.currentTarget.value })}
          />
          <output>{top}</output>
        </label>
        {many && (
          <span class="row">
            <button
              type="button"
              class="plain"
              disabled={first === 0}
              onClick={() => setMore({ first: String(Math.max(0, first - count)) })}
            >
              ↑ before
            </button>
            <span class="faint small">
              tokens {grouped(first)} to {grouped(Math.min(here.queries, first + count) - 1)} of {grouped(here.queries)}
            </span>
            <button
              type="button"
              class="plain"
              disabled={first + count >= here.queries}
              onClick={() => setMore({ first: String(first + count) })}
            >
              ↓ after
            </button>
          </span>
        )}
      </div>
      <HeadChips all={here.heads} drawn={heads} />
      {problem && <Failed line={problem} />}
      {!scene && !problem && <Waiting line="Waiting for the links …" />}
      {scene &&
        answer &&
        (links.length === 0 ? (
          <Empty>Nothing is looked at here: the mask or an edit forbids it.</Empty>
        ) : (
          <div class="card">
            <Figure
              title={title}
              of={[links]}
              first
              late={late}
              make={() => ({
                title,
                scene,
                python: python([`print(pattern.top(${top}))  # .weights and .positions`]),
                table: {
                  caption: `${title}: the ${top} keys that each token looks at most`,
                  columns: ["head", "row", "token", "column", "looks at", "weight"],
                  rows: links.map(([number, row, column, weight]) => [
                    number,
                    row,
                    visible(rowText(shown, here, row)),
                    column,
                    visible(columnText(shown, here, column)),
                    weight,
                  ]),
                },
              })}
            >
              <SvgPicture scene={scene} label={title} />
            </Figure>
          </div>
        ))}
    </div>
  );
}
