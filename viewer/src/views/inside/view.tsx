/** Inside: looks that go beyond one head: the alignment of a translation, and what else the library can measure. */
import { useMemo } from "preact/hooks";
import { go, note, noted } from "../../address";
import { api, type Grid, type Lesson } from "../../api";
import { useAsked } from "../../parts/asked";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { Drawing } from "../../parts/picture";
import { Empty, Failed, NoRun, Waiting } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { beside, gridTable, matrixScene } from "../../scene/matrix";
import { visible } from "../../scene/signs";
import { hover, pointed, run } from "../../store";
import { palette } from "../../theme";

/** The alignment of the run, in the shape of every other look. */
function alignment(): Lesson | null {
  const shown = run.value;
  const found = shown?.alignment;
  if (!shown || !found) return null;
  const [source, target] = [shown.sides[0]!, shown.sides[1]!];
  const grid: Grid = {
    name: "alignment", kind: "weights", columns: source.texts.map(visible), numbers: found.weights, texts: null,
    rows: found.weights.map((_, row) => visible(target.next[row] ?? "")),
  };
  return { topic: "alignment", made: shown.model, given: {}, grids: [grid], facts: [{ name: "layer", value: `${found.place}, the mean of its heads` }], code: python(["print(answer.alignment)"]) };
}

export function InsideView() {
  const shown = run.value;
  const [box, width] = useWidth();
  const listed = useAsked(shown && ((signal) => api.looks(shown.id, signal)), [shown?.id]);
  const own = useMemo(alignment, [shown]);
  const looks = [...(own ? [{ look: "alignment", title: "Alignment", says: "which source token each written token came from" }] : []), ...(listed.answer?.looks ?? []).filter((one) => one.look !== "alignment")];
  const wanted = noted("look");
  const look = looks.find((one) => one.look === wanted) ?? looks[0];
  const asked = useAsked(shown && look && look.look !== "alignment" ? (signal) => api.look(shown.id, look.look, signal) : null, [shown?.id, look?.look]);
  const lesson = look?.look === "alignment" ? own : asked.answer?.topic === look?.look ? asked.answer : null;
  const colours = palette.value;
  const scene = useMemo(() => {
    if (!lesson) return null;
    const several = lesson.grids.length > 1;
    return beside(lesson.grids.map((grid) => matrixScene(grid, colours, {
      texts: grid.texts, cell: several ? 30 : undefined,
      touch: (row, column) => ({
        enter: () => {
          const value = grid.numbers[row]?.[column];
          pointed.value = `${grid.name} · ${grid.rows[row] ?? row} → ${grid.columns[column] ?? column}: ${value ?? "forbidden"}`;
          if (look?.look === "alignment") hover.value = { side: 1, index: row + 1 };
        },
        leave: () => { pointed.value = null; hover.value = null; },
        press: /^\w+\.\d+/.test(grid.rows[row] ?? "") && shown?.places.some((place) => place.name === grid.rows[row]) ? () => go({ place: grid.rows[row]!, head: column, view: "links" }) : undefined,
      }),
    })), Math.max(260, width - 40));
  }, [lesson, colours, width]);
  if (!shown) return <NoRun>Run a text: this view then measures what the heads do together.</NoRun>;
  if (!looks.length) return listed.busy ? <Waiting line="Asking which looks there are …" /> : <Empty>This run has no look beyond its heads: {shown.task === "translate" ? "nothing was written" : "it is too long, or its model keeps none"}.</Empty>;
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <Choice label="Look" value={look!.look} choose={(value) => note({ look: value })} options={looks.map((one) => [one.look, one.title] as const)} />
        <span class="faint small">{look!.says}</span>
      </div>
      {asked.problem && look!.look !== "alignment" && <Failed line={asked.problem} />}
      {!lesson && !asked.problem && <Waiting line={`Computing: ${look!.title} …`} />}
      {lesson && scene && (
        <div class="card"><Figure title={look!.title} of={[lesson]} first make={() => ({ title: look!.title, scene, table: gridTable(lesson.grids), python: lesson.code })}
          legend={<p class="faint small">{lesson.facts.map((fact) => `${fact.name}: ${fact.value}`).join(" · ")}</p>}>
          <Drawing scene={scene} label={look!.title} />
        </Figure></div>
      )}
    </div>
  );
}
