/** Inside: looks that go beyond one head, each a matrix that the server computed. */
import { useMemo } from "preact/hooks";
import { go, setMore, moreText } from "../../address";
import { api, type Fact, type Query, type RunPayload } from "../../api";
import { alignmentWords } from "../../parts/names";
import { useQuery } from "../../parts/query";
import { Choice } from "../../parts/choice";
import { DifferenceLegend } from "../../parts/legend";
import { Empty, Failed, NoRun, Waiting } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { literal } from "../../python";
import { largest } from "../../scene/matrix";
import { count, short } from "../../scene/signs";
import { head, layer, run } from "../../store";
import { comparableModels, LOOKS, MOST_TOKENS, type InsideLook } from "./looks";
import { GridPictures } from "./grid_pictures";

const factText = ({ name, value }: Fact, shown: RunPayload): string =>
  name === "heads"
    ? alignmentWords(String(value), shown.layers)
    : name === "loss" && typeof value === "number"
      ? `The answer's mean loss is ${short(value)} now (0 would be certain).`
      : `${name}: ${typeof value === "number" ? short(value, 3) : String(value)}`;

const NARROW = 720; // pixels of a window, as in page.css

interface LookProps {
  shown: RunPayload;
  look: InsideLook;
  /** The other model, where two are compared. */
  other: string;
  width: number;
}

/** All heads, or all tokens, under one look. */
function LookPicture({ shown, look, other, width }: LookProps) {
  const query: Query = look.apart?.query(shown, other) ?? {};
  const { answer, problem, late } = useQuery((signal) => api.inside(shown.id, look.view, query, signal), [shown.id]);
  const grids = useMemo(() => answer?.grids.filter((grid) => look.grids.includes(grid.name)) ?? [], [answer]);
  const half = innerWidth > NARROW ? width / 2 : width; // there the two stand one below the other
  if (problem && look.view === "models")
    return (
      <Empty>
        {shown.model} and {other} cannot be compared head by head: {problem}.
      </Empty>
    );
  if (problem) return <Failed line={problem} />;
  if (!answer) return <Waiting line={`Computing: ${look.title} …`} />;
  const open = (row: string, column: number) =>
    shown.layers.some((entry) => entry.name === row)
      ? () => go({ layer: row, head: column, ...(look.apart ? {} : { view: "links" }) })
      : undefined;
  return (
    <div class={look.apart ? "two" : "stack"}>
      <GridPictures
        title={look.title}
        grids={grids}
        width={look.apart ? half : width}
        lines={look.python(shown, other)}
        legend={<p class="faint small">{answer.facts.map((entry) => factText(entry, shown)).join(" · ")}</p>}
        first
        late={late}
        press={open}
        chosen={look.apart && layer.value ? [layer.value.name, head.value] : undefined}
      />
      {look.apart && <OneHead shown={shown} look={look} other={other} width={half} query={query} />}
    </div>
  );
}

/** What changed in the weights of the chosen head. */
function OneHead({ shown, look, other, width, query }: LookProps & { query: Query }) {
  const where = layer.value?.name ?? "";
  const number = head.value;
  const { answer, problem, late } = useQuery(
    (signal) => api.inside(shown.id, look.view, { ...query, layer: where, head: number }, signal),
    [shown.id, where, number],
  );
  if (problem) return <Failed line={problem} />;
  const grid = answer?.grids[0];
  if (!answer || !grid) return <Waiting line={`Computing: the difference of ${where}, head ${number} …`} />;
  return (
    <GridPictures
      title={`Difference of ${where}, head ${number}`}
      grids={answer.grids}
      late={late}
      width={width}
      lines={[...look.python(shown, other), `print(between[${literal(where)}][0, ${number}])`]}
      legend={
        <div class="row legendary">
          <DifferenceLegend most={largest(grid)} />
          <span class="faint small">{look.apart?.signs(shown, other)}</span>
        </div>
      }
    />
  );
}

export function InsideView() {
  const shown = run.value;
  const [box, width] = useWidth();
  if (!shown) return <NoRun>Run a text: this view then measures what the heads do together.</NoRun>;
  const longest = Math.max(...shown.sides.map((side) => side.texts.length));
  if (longest > MOST_TOKENS)
    return (
      <Empty>
        This view measures texts of up to {count(MOST_TOKENS)} tokens; this one has {count(longest)}. Heads, Links, Map
        and Why show it whole.
      </Empty>
    );
  const looks = LOOKS.filter((entry) => entry.applies(shown));
  const look = looks.find((entry) => entry.view === moreText("look")) ?? looks[0];
  if (!look) return <Empty>Nothing can be measured of this run beyond its heads.</Empty>;
  const others = look.view === "models" ? comparableModels(shown).map((entry) => entry.name) : [];
  const other = others.find((name) => name === moreText("with")) ?? others[0] ?? "";
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <Choice
          label="Look"
          value={look.view}
          choose={(value) => setMore({ look: value })}
          options={looks.map((entry) => [entry.view, entry.title] as const)}
        />
        {other && (
          <label>
            {shown.model} and
            <select
              aria-label="Other model"
              value={other}
              onChange={(event) => setMore({ with: event.currentTarget.value })}
            >
              {others.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p class="faint small">{look.says}</p>
      <LookPicture key={`${look.view} ${other}`} shown={shown} look={look} other={other} width={width} />
    </div>
  );
}
