/** Compare: what is shown beside something else, in any view: another head, another text, another model, or how it was
 * before an edit. Both follow the pointer, and their difference is a third picture. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { go, moreText, setMore, address } from "../address";
import { api } from "../api";
import type { Grid, LayerInfo, RunPayload } from "../payload";
import { python } from "../python";
import { commonHeadRoom, gridTable, largest, matrixScene, sideBySide } from "../scene/matrix";
import { legible, short, visible } from "../scene/signs";
import { columnText, rowOf, rowText, spotOfRow } from "../sides";
import { base, focus, head, hover, isFrozen, layer, models, otherRun, pointerText, run } from "../store";
import { measure } from "../scene/scene";
import { palette } from "../theme";
import { Figure } from "./figure";
import { DifferenceLegend } from "./legend";
import { SvgPicture } from "./picture";
import { useQuery } from "./query";
import { Failed, Waiting } from "./states";
import { useWidth } from "./width";

const LONGEST = 256; // tokens either way
const NAMED = 48; // tokens either way whose names there is room for
const LEAST = 12; // pixels of a square beside which a name can be read

interface Compared {
  run: RunPayload;
  layer: LayerInfo;
  head: number;
  says: string;
}

/** What stands beside the chosen head, as the address says. */
function otherSide(): Compared | string | null {
  const [shown, here, number] = [run.value!, layer.value!, head.value];
  const [kind = "", name = "", digits = ""] = moreText("compare").split(":");
  const sameIn = (other: RunPayload | null, says: string): Compared | string => {
    const there = other?.layers.find((entry) => entry.name === here.name);
    if (!other) return "Waiting for the other run …";
    if (!there || number >= there.heads) return `The other has no ${here.name}, head ${number}.`;
    return { run: other, layer: there, head: number, says };
  };
  switch (kind) {
    case "before":
      return shown.edit_effect
        ? sameIn(base.value, "before the edit")
        : "There is no edit yet: hide a word, or switch a head off.";
    case "text":
      return moreText("against")
        ? sameIn(otherRun.value, `“${legible(moreText("against")).slice(0, 60)}”`)
        : "Type the other text.";
    case "model":
      return moreText("rival") ? sameIn(otherRun.value, moreText("rival")) : "Choose the other model.";
    case "head": {
      const there = shown.layers.find((entry) => entry.name === name);
      const other = Number(digits);
      return there && other < there.heads
        ? { run: shown, layer: there, head: other, says: `${name}, head ${other}` }
        : "Choose the other head: a dot of the strip, with Shift.";
    }
  }
  return null;
}

export const isComparing = (): boolean => moreText("compare") !== "";

async function weightsOf({ run, layer, head }: Compared, signal: AbortSignal): Promise<Grid> {
  const { head: frame, numbers } = await api.tile(
    run.id,
    { layer: layer.name, head, level: 0, row: 0, column: 0, how: "mean" },
    signal,
  );
  const row = (index: number) => Array.from(numbers.subarray(index * frame.columns, (index + 1) * frame.columns));
  const named = Math.max(frame.rows, frame.columns) <= NAMED;
  return {
    name: "",
    kind: "weights",
    rows: named ? Array.from({ length: frame.rows }, (_, index) => visible(rowText(run, layer, index))) : [],
    columns: named ? Array.from({ length: frame.columns }, (_, index) => visible(columnText(run, layer, index))) : [],
    numbers: Array.from({ length: frame.rows }, (_, index) => row(index)),
    notes: [],
  };
}

function difference(one: Grid, other: Grid): Grid | null {
  const isSameSize = one.numbers.length === other.numbers.length && one.numbers[0]?.length === other.numbers[0]?.length;
  if (!isSameSize) return null;
  return {
    ...one,
    name: "the first less the second",
    kind: "numbers",
    numbers: one.numbers.map((row, at) => row.map((value, column) => value - other.numbers[at]![column]!)),
  };
}

/** With what: the choice, and what it needs to know. */
export function CompareChoice() {
  const shown = run.value;
  const kind = moreText("compare").split(":")[0] ?? "";
  if (!shown || !layer.value) return null;
  const choose = (value: string) => {
    const { compare: _, rival: __, against, ...more } = address.peek().more;
    const next = value === "head" ? `head:${layer.value!.name}:${(head.value + 1) % layer.value!.heads}` : value;
    go({ more: { ...more, ...(value === "text" && against ? { against } : {}), ...(next ? { compare: next } : {}) } });
  };
  return (
    <label class="colouring small faint">
      compare with
      <select aria-label="Compare with" value={kind} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">nothing</option>
        <option value="head">another head</option>
        {!isFrozen.value && (
          <>
            <option value="text">another text</option>
            <option value="model">another model</option>
          </>
        )}
        {shown.edit_effect && <option value="before">before the edit</option>}
      </select>
    </label>
  );
}

function OtherText() {
  const draft = useSignal(moreText("against") || run.value!.text);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        setMore({ against: draft.value.trim() });
      }}
    >
      <input
        type="text"
        class="wide"
        aria-label="The other text"
        value={draft.value}
        onInput={(event) => (draft.value = event.currentTarget.value)}
      />
      <button type="submit" class="plain">
        Compare
      </button>
    </form>
  );
}

function OtherModel() {
  const task = run.value!.task;
  const others = (models.value?.models ?? []).filter(
    (entry) => entry.name !== run.value!.model && entry.task === task && !entry.problem,
  );
  if (!others.length) return <p class="faint">No other model here does the same task.</p>;
  return (
    <label class="row">
      The same text in
      <select
        aria-label="The other model"
        value={moreText("rival")}
        onChange={(event) => setMore({ rival: event.currentTarget.value })}
      >
        <option value="" disabled>
          choose a model
        </option>
        {others.map((entry) => (
          <option key={entry.name} value={entry.name}>
            {entry.name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ComparePanel() {
  const [shown, here, number] = [run.value, layer.value, head.value];
  if (!shown || !here || !isComparing()) return null;
  const kind = moreText("compare").split(":")[0];
  const other = otherSide();
  const own: Compared = { run: shown, layer: here, head: number, says: `${here.name}, head ${number}` };
  return (
    <section class="card stack compare-panel" aria-label="Compared" data-compare={kind}>
      {kind === "text" && <OtherText key={shown.text} />}
      {kind === "model" && <OtherModel />}
      {typeof other === "string" && <p class="faint">{other}</p>}
      {other !== null && typeof other !== "string" && <Pictures own={own} other={other} />}
      {other === null && <p class="faint">This page does not know how to compare with “{moreText("compare")}”.</p>}
    </section>
  );
}

const withoutNames = (grid: Grid): Grid => ({ ...grid, rows: [], columns: [] });

/** Pixels of a square: of as many pictures beside each other as leave room to read their names. */
function cellSize(grids: Grid[], width: number): number {
  const columns = Math.max(1, ...grids.map((grid) => grid.numbers[0]?.length ?? 0));
  const names = Math.min(200, 40 + Math.max(0, ...grids.flatMap((grid) => grid.rows.map((name) => measure(name, 12)))));
  for (let across = Math.max(1, grids.length); across > 0; across--) {
    const cell = Math.floor((width - 40 - names * across) / (across * columns));
    if (cell >= LEAST) return Math.min(30, cell);
  }
  return Math.max(1, Math.min(LEAST - 1, Math.floor((width - 16) / columns)));
}

function Pictures({ own, other }: { own: Compared; other: Compared }) {
  const [box, width] = useWidth();
  const tooLong = [own, other].some(({ layer }) => Math.max(layer.queries, layer.keys) > LONGEST);
  const { answer, problem, late } = useQuery(
    tooLong ? null : (signal) => Promise.all([weightsOf(own, signal), weightsOf(other, signal)]),
    [own.run.id, own.layer.name, own.head, other.run.id, other.layer.name, other.head],
  );
  const colours = palette.value;
  const spot = focus.value;
  const grids = useMemo(() => {
    if (!answer) return [];
    const first = { ...answer[0], name: own.says };
    const second = { ...answer[1], name: other.says };
    const apart = difference(first, second);
    return [first, second, ...(apart ? [apart] : [])];
  }, [answer]);
  const row = spot && rowOf(own.run, own.layer, spot);
  const scene = useMemo(() => {
    const cell = cellSize(grids, width);
    const drawn = (cell < LEAST ? grids.map(withoutNames) : grids).map((grid) =>
      matrixScene(grid, colours, {
        cell,
        row,
        above: commonHeadRoom(grids, cell),
        numbers: cell >= 26,
        touch: (at, column) => ({
          enter: () => {
            hover.value = spotOfRow(own.run, own.layer, at);
            const values = grids.map((each) => short(each.numbers[at]?.[column] ?? Number.NaN));
            pointerText.value = `${grid.rows[at] ?? at} → ${grid.columns[column] ?? column}: ${values.join(" against ").replace(/ against ([^ ]*)$/, grids.length > 2 ? ", difference $1" : " against $1")}`;
          },
          leave: () => {
            hover.value = null;
            pointerText.value = null;
          },
        }),
      }),
    );
    return sideBySide(drawn, Math.max(260, width - 10));
  }, [grids, colours, width, row]);
  if (tooLong)
    return <p class="faint">Side by side are texts of at most {LONGEST} tokens; the map shows longer ones.</p>;
  if (problem) return <Failed line={problem} />;
  const title = `${own.says} beside ${other.says}`;
  const apart = grids[2];
  return (
    <div ref={box}>
      {!answer && <Waiting line="Waiting for the weights of both …" />}
      {answer && (
        <Figure
          title={title}
          of={[grids]}
          late={late}
          make={() => ({
            title,
            scene,
            table: gridTable(grids),
            python: python([`print(pattern[0, ${own.head}])  # and the same of the other`]),
          })}
          legend={
            apart ? (
              <div class="row legendary">
                <DifferenceLegend most={largest(apart)} />
                <span class="faint small">orange: the first looks there more, blue: the second</span>
              </div>
            ) : (
              <p class="faint small">The two have different tokens: there is no difference to take.</p>
            )
          }
        >
          <SvgPicture scene={scene} label={title} />
        </Figure>
      )}
    </div>
  );
}
