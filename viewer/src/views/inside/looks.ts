/** What can be asked of a run beyond its weights: when it applies, what it says, and the Python for it. */
import type { ModelInfo, Query, RunPayload } from "../../api";
import { literal } from "../../python";
import { models } from "../../store";

export interface InsideLook {
  view: string;
  title: string;
  says: string;
  applies: (run: RunPayload) => boolean;
  /** Grids that are shown; the server may send more. */
  grids: string[];
  python: (run: RunPayload, other: string) => string[];
  /** Where two are compared: with what, and what the colours of one head's difference mean. */
  apart?: { query: (run: RunPayload, other: string) => Query; signs: (run: RunPayload, other: string) => string };
}

/** Tokens of a text that these are measured on, as `inside.py` has it. */
export const MOST_TOKENS = 1024;

const READERS = ["fill", "classify", "embed"];

/** The models that may have heads to pair with those of a run: of the same task, or readers like itself. */
export function comparableModels(run: RunPayload): ModelInfo[] {
  const alike = READERS.includes(run.task) ? READERS : run.task === "answer" ? [] : [run.task];
  return (models.value?.models ?? []).filter(
    (listed) => listed.name !== run.model && !listed.problem && alike.includes(listed.task),
  );
}

const writes = (run: RunPayload): boolean => run.task === "translate" || run.task === "generate";
const reads = (run: RunPayload): boolean => run.layers.some((layer) => layer.rows === layer.columns);

/** Both models read the tokens of the run, the written ones too. */
function pairedLayers(run: RunPayload, other: string): string[] {
  const pair = run.second !== null ? `, segments=torch.tensor([${literal(run.sides[0]?.segments)}])` : "";
  const edited = (name: string) => (run.edits.length ? `, regard.edit(${name}.model, edits)` : "");
  const watched = (name: string, seen: string) => [
    `with torch.no_grad()${edited(name)}, regard.watch(${name}.model) as ${seen}:`,
    `    ${name}.model(*tokens${pair})`,
  ];
  return [
    "import torch",
    "from regard.looking import differences",
    `tokens = [torch.tensor([ids]) for ids in ${literal(run.sides.map((side) => side.ids))}]`,
    `other = regard.load(${literal(other)})`,
    ...watched("model", "seen"),
    ...watched("other", "again"),
    "between = differences(seen, again)",
    "print({layer: difference.divergence()[0] for layer, difference in between.items()})",
  ];
}

export const LOOKS: InsideLook[] = [
  {
    view: "alignment",
    title: "Alignment",
    says: "which source token each written token came from, as the translator itself reads its heads",
    applies: (run) => run.alignment !== null,
    grids: ["alignment"],
    python: () => ["print(answer.alignment)"],
  },
  {
    view: "importance",
    title: "Importance",
    says: "how fast the answer's loss changes as a head is turned down (Michel et al. 2019); click a head to open it",
    applies: (run) => writes(run) || run.task === "classify", // an answer is chosen among words that have no loss here
    grids: ["importance"],
    python: () => ["from regard.looking import EvaluationSet, importance  # docs/heads.md shows how one is made"],
  },
  {
    view: "rollout",
    title: "Rollout",
    says: "how much of each word reaches a token through all layers (Abnar and Zuidema 2020)",
    applies: reads,
    grids: ["own", "source"],
    python: () => ["from regard.looking import rollout", "print(rollout(seen).own[0])"],
  },
  {
    view: "lens",
    title: "Logit lens",
    says: "what the model would say if it stopped after each layer: the word that comes next or, where it fills gaps, the word at each position",
    applies: (run) => reads(run) && (writes(run) || run.task === "fill"),
    grids: ["chances"],
    python: () => ["from regard.looking.lens import lens  # lens(model.model, ids), as docs/memories.md shows"],
  },
  {
    view: "diff",
    title: "Difference",
    says: "how far the edits moved each head: Jensen-Shannon divergence from the run before them, in bits; click a head for the difference of its weights",
    applies: (run) => run.edit_effect !== null,
    grids: ["divergence"],
    python: () => ["from regard.looking import differences  # of what two watches saw, docs/differences.md"],
    apart: {
      query: (run) => ({ other: run.edit_effect?.base ?? "" }),
      signs: () => "orange: more with the edits, blue: less",
    },
  },
  {
    view: "models",
    title: "Two models",
    says: "how far each head is from that of another model, which is given the same tokens: Jensen-Shannon divergence in bits; click a head for the difference of its weights",
    applies: (run) => comparableModels(run).length > 0,
    grids: ["divergence"],
    python: pairedLayers,
    apart: {
      query: (_, other) => ({ model: other }),
      signs: (run, other) => `orange: ${other} looks there more than ${run.model}, blue: less`,
    },
  },
];
