/** Which block wrote what meets here: the score by the writers of the query and of the key. */
import { useSignal } from "@preact/signals";
import { api, type LayerInfo, type RunPayload } from "../../api";
import { GridPictures } from "../inside/grid_pictures";
import { useQuery } from "../../parts/query";
import { DifferenceLegend } from "../../parts/legend";
import { Failed, Waiting } from "../../parts/states";
import { literal } from "../../python";
import { largest } from "../../scene/matrix";
import { short } from "../../scene/signs";

interface WritersProps {
  shown: RunPayload;
  here: LayerInfo;
  head: number;
  row: number;
  column: number;
  width: number;
}

/** Asked for by a button: the model has to read the text again for it. */
export function Writers(props: WritersProps) {
  const open = useSignal(false);
  if (props.here.rows !== props.here.columns) return null;
  return (
    <>
      <div>
        <button
          type="button"
          class="plain"
          data-writers
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          {open.value ? "Hide who wrote it" : "Which block wrote it?"}
        </button>
      </div>
      {open.value && <WriterGrid {...props} />}
    </>
  );
}

function WriterGrid({ shown, here, head, row, column, width }: WritersProps) {
  const { answer, problem, late } = useQuery(
    (signal) => api.writers(shown.id, { layer: here.name, head, row, column }, signal),
    [shown.id, here.name, head, row, column],
  );
  if (problem) return <Failed line={problem} />;
  const grid = answer?.grids[0];
  if (!answer || !grid) return <Waiting line="Reading the text again, block by block …" />;
  const value = (name: string) => Number(answer.facts.find((fact) => fact.name === name)?.value ?? 0);
  const parts = answer.facts.filter((fact) => fact.name.startsWith("part ")).map((fact) => String(fact.value));
  return (
    <>
      <p data-parts>
        The score is {short(value("score"))}
        {value("bias") !== 0 && `, of it ${short(value("bias"))} for the distance`}
        {value("rotation") !== 0 && `, of it ${short(value("rotation"))} for the positions`}. The largest parts, by who
        wrote the query and who wrote the key: {parts.join("; ")}.
      </p>
      <GridPictures
        title="Writers of the query (rows) and of the key (columns)"
        grids={answer.grids}
        width={width}
        late={late}
        lines={[
          "from regard.tasks.replay import model_inputs  # the tokens that the model read, as it takes them",
          `# regard.pair_score(model.model, inputs, ${literal(here.name)}, ${head}, ${row}, ${column})`,
        ]}
        legend={
          <div class="row legendary">
            <DifferenceLegend most={largest(grid)} />
            <span class="faint small">orange makes the score larger, blue smaller</span>
          </div>
        }
      />
    </>
  );
}
