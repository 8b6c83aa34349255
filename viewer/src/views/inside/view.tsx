/** Inside: looks that go beyond one head, each a matrix that the server computed. */
import { useMemo } from "preact/hooks";
import { go, note, noted } from "../../address";
import { api, type Grid } from "../../api";
import { useAsked } from "../../parts/asked";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { Drawing } from "../../parts/picture";
import { Empty, Failed, NoRun, Waiting } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { beside, gridTable, matrixScene } from "../../scene/matrix";
import { short, visible } from "../../scene/signs";
import { pointed, run } from "../../store";
import { palette } from "../../theme";
import { LOOKS } from "./looks";

const NAMES: Record<string, string> = { own: "of its own side", source: "of the source", chances: "likeliest word" };

/** Tokens as they can be shown; a name that says what the matrix is. */
function named(grid: Grid): Grid {
  return {
    ...grid,
    name: NAMES[grid.name] ?? grid.name,
    rows: grid.rows.map(visible),
    columns: grid.columns.map(visible),
  };
}

export function InsideView() {
  const shown = run.value;
  const [box, width] = useWidth();
  const looks = shown ? LOOKS.filter((one) => one.applies(shown)) : [];
  const look = looks.find((one) => one.view === noted("look")) ?? looks[0];
  const other = look?.view === "diff" ? (shown?.difference?.base ?? null) : null;
  const asked = useAsked(shown && look ? (signal) => api.inside(shown.id, look.view, other, signal) : null, [
    shown?.id,
    look?.view,
  ]);
  const answer = asked.answer?.view === look?.view ? asked.answer : null;
  const colours = palette.value;
  const grids = useMemo(
    () => (answer && look ? answer.grids.filter((grid) => look.grids.includes(grid.name)).map(named) : []),
    [answer],
  );
  const scene = useMemo(() => {
    const opens = (grid: Grid, row: number) => shown?.places.some((place) => place.name === grid.rows[row]) ?? false;
    const drawn = grids.map((grid) =>
      matrixScene(grid, colours, {
        texts: grid.notes.length ? grid.notes : null,
        touch: (row, column) => ({
          enter: () => {
            const note = grid.notes[row]?.[column];
            const value = short(grid.numbers[row]?.[column] ?? 0, 4);
            pointed.value = `${grid.rows[row]} → ${grid.columns[column]}: ${note === undefined ? "" : `“${visible(note)}” `}${value}`;
          },
          leave: () => (pointed.value = null),
          press: opens(grid, row) ? () => go({ place: grid.rows[row]!, head: column, view: "links" }) : undefined,
        }),
      }),
    );
    return beside(drawn, Math.max(260, width - 40));
  }, [grids, colours, width]);
  if (!shown) return <NoRun>Run a text: this view then measures what the heads do together.</NoRun>;
  if (!look) return <Empty>Nothing can be measured of this run beyond its heads.</Empty>;
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <Choice
          label="Look"
          value={look.view}
          choose={(value) => note({ look: value })}
          options={looks.map((one) => [one.view, one.title] as const)}
        />
      </div>
      <p class="faint small">{look.says}</p>
      {asked.problem && <Failed line={asked.problem} />}
      {!answer && !asked.problem && <Waiting line={`Computing: ${look.title} …`} />}
      {answer && (
        <div class="card">
          <Figure
            title={look.title}
            of={[grids]}
            first
            make={() => ({ title: look.title, scene, table: gridTable(grids), python: python(look.python) })}
            legend={
              <p class="faint small">
                {answer.facts
                  .map(
                    (fact) =>
                      `${fact.name}: ${typeof fact.value === "number" ? short(fact.value, 3) : String(fact.value)}`,
                  )
                  .join(" · ")}
              </p>
            }
          >
            <Drawing scene={scene} label={look.title} />
          </Figure>
        </div>
      )}
    </div>
  );
}
