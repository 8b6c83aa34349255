/** Edit: change what heads look at, and see at once what that did to the answer. */
import { add, canRedo, canUndo, change, changes, edits, underway, redo, run, undo } from "../../store";
import { doing, NoRun } from "../../parts/states";
import { say, save } from "../../parts/download";
import { Icon } from "../../parts/icon";
import { Chooser } from "../../parts/chooser";
import type { ListedEdit, Edit } from "../../address";
import { EditComparison } from "./comparison";
import { HeadTools, Switchboard } from "./heads";
import { WeightEditor } from "./weight_editor";
import { HideTokens } from "./hide_tokens";
import { label } from "./records";

async function load(file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    const read: unknown = JSON.parse(await file.text());
    const records = Array.isArray(read)
      ? read.filter(
          (listedEdit): listedEdit is Edit =>
            typeof listedEdit === "object" && listedEdit !== null && typeof listedEdit.do === "string",
        )
      : [];
    if (!records.length) return say("No edits in this file");
    change(records.map((record): ListedEdit => ({ record, on: true })));
  } catch {
    say("This file is not JSON");
  }
}

function List() {
  const all = changes.value;
  const now = doing();
  return (
    <section class="card stack" aria-label="Edits">
      <div class="row">
        <h2>Edits</h2>
        <button type="button" class="plain" disabled={!canUndo.value} onClick={undo}>
          Undo
        </button>
        <button type="button" class="plain" disabled={!canRedo.value} onClick={redo}>
          Redo
        </button>
        <button type="button" class="plain" disabled={!all.length} onClick={() => change([])}>
          Reset
        </button>
        <button
          type="button"
          class="plain"
          disabled={!edits.value.length}
          title="The file that regard translate --edit and regard.edit read"
          onClick={() => save(JSON.stringify(edits.value, null, 1) + "\n", "edits.json", "application/json")}
        >
          Save JSON
        </button>
        <label class="button file">
          Load JSON
          <input
            type="file"
            accept="application/json,.json"
            class="unseen"
            onChange={(event) => void load(event.currentTarget.files?.[0])}
          />
        </label>
        {underway.value && (
          <span class="faint small" role="status">
            {now?.line}
          </span>
        )}
      </div>
      {all.length === 0 ? (
        <p class="faint">
          Nothing is changed yet. Switch a head off, hide a token, or draw a weight: the text is run again at once.
        </p>
      ) : (
        <ul class="edits">
          {all.map((listedEdit, index) => (
            <li key={index}>
              <label>
                <input
                  type="checkbox"
                  checked={listedEdit.on}
                  onChange={() => change(all.map((each, at) => (at === index ? { ...each, on: !each.on } : each)))}
                />{" "}
                <span class="mono">{label(listedEdit.record, run.value)}</span>
              </label>
              <button
                type="button"
                class="icon"
                aria-label={`Remove: ${label(listedEdit.record, run.value)}`}
                onClick={() => change(all.filter((_, at) => at !== index))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function EditView() {
  if (!run.value)
    return <NoRun>Run a text: then switch heads off, hide tokens or draw weights, and see what changes.</NoRun>;
  return (
    <div class="editing">
      <div class="stack">
        <HideTokens />
        <section class="card stack" aria-label="Heads">
          <Switchboard />
        </section>
        <section class="card stack" aria-label="The chosen head">
          <div class="row">
            <h2>The chosen head</h2>
            <Chooser />
          </div>
          <HeadTools add={add} />
          <WeightEditor />
        </section>
      </div>
      <div class="stack outcome">
        <List />
        <EditComparison />
      </div>
    </div>
  );
}
