/** The one store: which models there are, the run that is shown, the one it is compared with, and where the pointer is. */
import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import {
  address,
  go,
  moreText,
  nameOf,
  part,
  read,
  type ListedEdit,
  type Edit,
  type WeightScale,
  type Spot,
} from "./address";
import { exampleOf } from "./examples";
import {
  api,
  startRun,
  RefusedRequest,
  type RunRequest,
  type ModelInfo,
  type ModelList,
  type LayerInfo,
  type RunStatus,
  type SoftmaxRow,
  type RunPayload,
} from "./api";

export interface Underway {
  status: RunStatus | null;
  /** What is being run: the plain answer, or the edited one that is compared with it. */
  edited: boolean;
}

export const models = signal<ModelList | null>(null);
export const unreachable = signal<string | null>(null);
/** What is shown. */
export const run = signal<RunPayload | null>(null);
/** The same without edits. */
export const base = signal<RunPayload | null>(null);
export const underway = signal<Underway | null>(null);
export const failure = signal<string | null>(null);
export const hover = signal<Spot | null>(null);
/** The row of the token that is spoken of, in the chosen layer and head. */
export const softmaxRow = signal<SoftmaxRow | null>(null);
/** What a view says about the mark under the pointer, before the line speaks of tokens. */
export const pointerText = signal<string | null>(null);
export const toast = signal<string | null>(null);

const text = part("text");
const chosenModel = part("model");
export const changes = part("changes");

export const modelName = computed(() => {
  const list = models.value;
  const usable = list?.models.find((model) => !model.problem)?.name;
  return chosenModel.value || list?.first || usable || "";
});
export const model = computed<ModelInfo | null>(
  () => models.value?.models.find((entry) => entry.name === modelName.value) ?? null,
);

/** The layer that is looked at: the chosen one, else the last that looks across, else the last. */
export const layer = computed<LayerInfo | null>(() => {
  const layers = run.value?.layers ?? [];
  const chosenName = address.value.layer;
  return (
    layers.find((entry) => entry.name === chosenName) ??
    layers.findLast((entry) => entry.rows !== entry.columns) ??
    layers.at(-1) ??
    null
  );
});
export const head = computed(() => Math.min(address.value.head, (layer.value?.heads ?? 1) - 1));
export const pins = part("pins");
/** Long texts spread their weights thin: there the logarithm shows them. */
export const scale = computed<WeightScale>(
  () => address.value.scale ?? ((layer.value?.keys ?? 0) > 64 ? "log" : "linear"),
);

/** A model of which the server does not know yet what it does. */
const isUnlisted = (entry: ModelInfo | null): boolean => entry !== null && !entry.task && !entry.problem;

const atMost = (value: number | null, most: number): number | null => (value === null ? null : Math.min(value, most));

const wholeNumber = (name: string, least = 1): number | null => {
  const value = Number(moreText(name) || NaN);
  return Number.isInteger(value) && value >= least ? value : null;
};

const LONG = 16_000; // letters

/** What the address asks the server for. */
const question = computed<Omit<RunRequest, "edits" | "base" | "page"> | null>(() => {
  const name = modelName.value;
  const task = model.value?.task ?? "";
  const bounds = models.value?.bounds;
  if (!bounds || !name || !text.value || isUnlisted(model.value)) return null;
  const heat = Number(moreText("temperature"));
  const writes = task === "generate" || task === "translate";
  const isLong = text.value.length >= LONG; // is only read, unless somebody asks
  const unasked = task !== "generate" ? null : isLong ? 0 : 32;
  const sample =
    writes && heat > 0
      ? { temperature: Math.min(heat, 100), top_k: 0, top_p: 1, seed: wholeNumber("seed") ?? 0 }
      : null;
  return {
    model: name,
    text: text.value,
    second: moreText("second") || null,
    sentence: task === "translate" ? (wholeNumber("sentence") ?? 0) : 0,
    beam: writes && !sample ? Math.min(wholeNumber("beam") ?? (task === "translate" ? 4 : 1), bounds.beam) : 1,
    max_new_tokens: writes ? atMost(wholeNumber("tokens", 0) ?? unasked, bounds.max_new_tokens) : null,
    sample,
  };
});
/** What is asked, in short: a long text is not written out again at every step on the map. */
const requestKey: ReadonlySignal<string> = computed(() => (question.value ? keyOf(question.value) : ""));
const keyOf = (request: Omit<RunRequest, "edits" | "base" | "page">): string =>
  JSON.stringify({ ...request, text: request.text.length < LONG ? request.text : nameOf(request.text) });
export const edits = computed<Edit[]>(() => changes.value.filter((change) => change.on).map((change) => change.record));
/** Tokens that the translation is made to begin with, by their numbers. */
export const forced = computed<number[]>(() => moreText("force").split(",").filter(Boolean).map(Number));
export const isEdited = computed(() => edits.value.length > 0 || forced.value.length > 0);
const editsKey = computed(() => JSON.stringify([edits.value, forced.value]));

const page = Math.random().toString(36).slice(2);
let stop: AbortController | null = null;
/** The question that `base` answers. */
let answeredKey = "";

function showRun(shown: RunPayload, edited: boolean): void {
  batch(() => {
    run.value = shown;
    if (!edited) base.value = shown;
  });
}

/** One run from its first line to its last; what can be shown is shown as soon as it is there. */
async function follow(runRequest: RunRequest, edited: boolean, signal: AbortSignal): Promise<RunPayload | null> {
  let shown: RunPayload | null = null;
  for await (const progress of startRun(runRequest, signal)) {
    if (signal.aborted) return null;
    underway.value = { status: progress, edited };
    if (progress.state === "failed") throw new Error(progress.error ?? "the run failed");
    if (progress.state === "cancelled") return null;
    if ((progress.state === "pooling" || progress.state === "done") && shown === null) {
      shown = await api.run(progress.run, signal);
      if (!signal.aborted) showRun(shown, edited);
    }
  }
  return shown;
}

/** Answer the address: the plain text first, then, where there are edits, the edited one beside it. */
export async function answer(): Promise<void> {
  const asking = question.peek();
  stop?.abort();
  stop = null;
  if (!asking) {
    batch(() => {
      run.value = base.value = underway.value = failure.value = null;
    });
    return;
  }
  const controller = new AbortController();
  stop = controller;
  const plain = answeredKey === requestKey.peek() ? base.peek() : null;
  batch(() => {
    underway.value = { status: null, edited: plain !== null };
    failure.value = null;
  });
  try {
    const before = plain ?? (await follow({ ...asking, edits: [], base: null, page }, false, controller.signal));
    if (!before || controller.signal.aborted) return;
    answeredKey = requestKey.peek();
    remember(requestKey.peek(), before);
    if (!isEdited.peek()) return showRun(before, false);
    const changed = { edits: edits.peek(), forced: forced.peek() };
    await follow({ ...asking, ...changed, base: before.id, page }, true, controller.signal);
  } catch (problem) {
    if (controller.signal.aborted) return;
    if (problem instanceof RefusedRequest && (problem.status === 410 || problem.status === 404) && plain) {
      answeredKey = ""; // the run that it was to be compared with is gone: begin again
      base.value = null;
      return answer();
    }
    failure.value = problem instanceof Error ? problem.message : String(problem);
  } finally {
    if (stop === controller) underway.value = null;
  }
}

/* Two texts: what is shown, and the one that it is compared with, as before a word was replaced. */
export const otherRun = signal<RunPayload | null>(null);
const recent = new Map<string, RunPayload>();

function remember(key: string, payload: RunPayload): void {
  recent.delete(key);
  recent.set(key, payload);
  for (const old of recent.keys()) if (recent.size > 8) recent.delete(old);
}

let stopOther: AbortController | null = null;

/** Run the text that is compared with, after the one that is shown. */
async function answerOther(text: string, rival: string): Promise<void> {
  const asking = question.peek();
  stopOther?.abort();
  if (!asking || (!rival && (!text || text === asking.text))) return void (otherRun.value = null);
  const other = { ...asking, text: text || asking.text, model: rival || asking.model, sentence: 0 };
  otherRun.value = null;
  const known = recent.get(keyOf(other));
  if (known) return void (otherRun.value = known);
  const controller = (stopOther = new AbortController());
  try {
    for await (const progress of startRun(
      { ...other, edits: [], base: null, page: `${page}-other` },
      controller.signal,
    )) {
      if (progress.state !== "done" || controller.signal.aborted) continue;
      const payload = await api.run(progress.run, controller.signal);
      remember(keyOf(other), payload);
      otherRun.value = payload;
    }
  } catch {
    if (!controller.signal.aborted) otherRun.value = null;
  }
}

let renewed = "";

/** A view met a run that the server has dropped for newer ones: ask again, once. */
export function renewIfDropped(problem: unknown): boolean {
  const gone = problem instanceof RefusedRequest && (problem.status === 410 || problem.status === 404);
  const name = run.peek()?.id ?? "";
  if (!gone || isFrozen.peek() || underway.peek() !== null || renewed === name) return false;
  renewed = name;
  answeredKey = "";
  void answer();
  return true;
}

export function cancel(): void {
  stop?.abort();
  stop = null;
  underway.value = null;
}

/* Edits: every change of the list can be taken back. */
const past = signal<ListedEdit[][]>([]);
const future = signal<ListedEdit[][]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

export function change(next: ListedEdit[]): void {
  batch(() => {
    past.value = [...past.value.slice(-99), changes.value];
    future.value = [];
    go({ changes: next });
  });
}

export function undo(): void {
  const before = past.value.at(-1);
  if (!before) return;
  batch(() => {
    past.value = past.value.slice(0, -1);
    future.value = [changes.value, ...future.value];
    go({ changes: before });
  });
}

export function redo(): void {
  const [next, ...rest] = future.value;
  if (!next) return;
  batch(() => {
    future.value = rest;
    past.value = [...past.value, changes.value];
    go({ changes: next });
  });
}

export const add = (record: Edit): void => change([...changes.value, { record, on: true }]);

/* Tokens. */
let anchor: Spot | null = null;

/** Click: pin or unpin. Shift-click: everything from the last click to here. */
export function pin(spots: Spot[], range: boolean): void {
  const first = spots[0];
  if (!first) return;
  if (range && anchor?.side === first.side) {
    const ends = [anchor.index, ...spots.map((spot) => spot.index)];
    const from = Math.min(...ends);
    const all = Array.from({ length: Math.min(512, Math.max(...ends) - from + 1) }, (_, step) => ({
      side: first.side,
      index: from + step,
    }));
    go({ pins: [...pins.value.filter((spot) => spot.side !== first.side), ...all] });
    return;
  }
  anchor = first;
  const has = (list: Spot[], spot: Spot) =>
    list.some((entry) => entry.side === spot.side && entry.index === spot.index);
  const fresh = spots.filter((spot) => !has(pins.value, spot));
  go({ pins: fresh.length ? [...pins.value, ...fresh] : pins.value.filter((spot) => !has(spots, spot)) });
}

export const isPinned = (spot: Spot): boolean =>
  pins.value.some((entry) => entry.side === spot.side && entry.index === spot.index);

/** The token that is spoken of: under the pointer, else the last that was pinned. */
export const focus = computed<Spot | null>(() => hover.value ?? pins.value.at(-1) ?? null);

/* The models, and the first run. */
let isBegun = false;

/** Nobody gave a text: the page begins with one by itself, once it is known what the model does. */
function beginWithExample(modelList: ModelList): void {
  const now = address.peek();
  const isTyping = document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value !== "";
  if (isBegun || now.text || now.view === "learn" || isTyping || !modelList.models.length) return;
  if (modelList.address) {
    isBegun = true;
    return go(read(modelList.address), false); // a file was opened: begin where it was saved
  }
  const example = modelList.text ? { text: modelList.text, second: "" } : exampleOf(model.peek());
  if (!example) return;
  isBegun = true;
  go({ text: example.text, more: example.second ? { ...now.more, second: example.second } : now.more }, false);
}

async function pollModels(): Promise<void> {
  for (;;) {
    try {
      const modelList = await api.models();
      batch(() => {
        models.value = modelList;
        unreachable.value = null;
      });
      beginWithExample(modelList);
      if (modelList.models.length && !modelList.models.some((entry) => entry.state === "loading" || isUnlisted(entry)))
        return;
    } catch (problem) {
      unreachable.value = problem instanceof Error ? problem.message : String(problem);
    }
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
}

/** Nothing can be asked: what is shown was kept before. */
export const isFrozen = signal(false);
/** It is a file: there is not even a kernel. What stands in it about its numbers. */
export const savedNote = signal("");

/** Show a run that is there already. */
export async function showStored(name: string, staysWhereItIs = false): Promise<void> {
  isFrozen.value = true;
  try {
    const stored = await api.run(name);
    if (staysWhereItIs) return showRun(stored, false);
    const [first, second] = stored.layers;
    const longest = Math.max(0, ...stored.sides.map((side) => side.texts.length));
    go(
      {
        view: stored.layers.length > 1 ? "heads" : longest > 64 ? "map" : "links",
        layer: (!second && first?.name) || "",
      },
      false,
    );
    showRun(stored, false);
  } catch (problem) {
    failure.value = problem instanceof Error ? problem.message : String(problem);
  }
}

export function begin(): void {
  void pollModels();
  let timer = 0;
  effect(() => {
    (void requestKey.value, editsKey.value);
    clearTimeout(timer);
    timer = window.setTimeout(() => void answer(), 30); // several changes in one step are one question
  });
  const otherKey = computed(() => JSON.stringify([moreText("against"), moreText("rival"), requestKey.value]));
  effect(() => {
    const [text, rival] = JSON.parse(otherKey.value) as [string, string];
    if (base.value) void answerOther(text, rival);
  });
}
