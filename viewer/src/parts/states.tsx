/** What a view shows while there is nothing to show: what to do, what it waits for, or what happened. */
import type { ComponentChildren } from "preact";
import { failure, underway, model, modelName, models, run, unreachable } from "../store";
import { address } from "../address";
import { count } from "../scene/signs";

export function Empty({ children }: { children: ComponentChildren }) {
  return (
    <div class="state" data-state="empty">
      {children}
    </div>
  );
}

export function Failed({ line }: { line: string }) {
  return (
    <div class="state bad" role="alert" data-state="failed">
      {line}
    </div>
  );
}

export function Waiting({ line, fraction }: { line: string; fraction?: number | null }) {
  return (
    <div class="state" role="status" data-state="waiting">
      <span>{line}</span>
      {fraction ? <progress value={fraction} aria-label={line} /> : <progress aria-label={line} />}
    </div>
  );
}

const DOING: Record<string, string> = {
  waiting: "Waiting for others to finish",
  loading: "Loading the model",
  reading: "Reading the text",
  writing: "Writing",
  looking: "Keeping queries and keys",
  pooling: "Drawing the overview",
  done: "Done",
};

/** One line about the run that is under way. */
export function doing(): { line: string; fraction: number | null } | null {
  const now = underway.value;
  if (!now) return null;
  const { status: progress, edited } = now;
  const line = progress ? (DOING[progress.state] ?? progress.state) : "Asking the server";
  const parameters = model.value?.parameters ?? 0;
  const size =
    progress?.state === "loading" && parameters ? ` ${modelName.value}: ${count(parameters)} parameters` : "";
  return { line: `${line}${size}${edited ? ", with the edits" : ""} …`, fraction: progress?.fraction ?? null };
}

/** The state of a view that needs a run, or null where there is one. */
export function NoRun({ children }: { children: ComponentChildren }) {
  if (unreachable.value && !models.value) return <Failed line={`The server cannot be reached: ${unreachable.value}`} />;
  if (!run.value && failure.value) return <Failed line={failure.value} />;
  const now = doing();
  if (!run.value && now) return <Waiting {...now} />;
  if (!models.value?.models.length) return <Waiting line="Asking which models there are …" />;
  if (model.value?.problem) return <Failed line={`${modelName.value}: ${model.value.problem}`} />;
  if (address.value.text && model.value?.state === "loading")
    return <Waiting line={`Loading ${modelName.value} …`} fraction={model.value.fraction} />;
  return <Empty>{children}</Empty>;
}
