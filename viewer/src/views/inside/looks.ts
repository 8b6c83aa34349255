/** What can be asked of a run beyond its weights: when it applies, what it says, and the Python for it. */
import type { Run } from "../../api";

export interface Look {
  view: string;
  title: string;
  says: string;
  applies: (run: Run) => boolean;
  /** Grids that are shown; the server may send more. */
  grids: string[];
  python: string[];
}

const writes = (run: Run): boolean => run.task === "translate" || run.task === "generate";
const reads = (run: Run): boolean => run.places.some((place) => place.rows === place.columns);

export const LOOKS: Look[] = [
  {
    view: "alignment",
    title: "Alignment",
    says: "which source token each written token came from",
    applies: (run) => run.alignment !== null,
    grids: ["alignment"],
    python: ["print(answer.alignment)"],
  },
  {
    view: "importance",
    title: "Importance",
    says: "how fast the answer's loss changes as a head is turned down (Michel et al. 2019); click a head to open it",
    applies: (run) => writes(run) || run.task === "classify" || run.task === "answer",
    grids: ["importance"],
    python: ["from regard.looking import Exam, importance  # docs/heads.md shows how an exam is made"],
  },
  {
    view: "rollout",
    title: "Rollout",
    says: "how much of each word reaches a token through all layers (Abnar and Zuidema 2020)",
    applies: reads,
    grids: ["own", "source"],
    python: ["from regard.looking import rollout", "print(rollout(seen).own[0])"],
  },
  {
    view: "lens",
    title: "Logit lens",
    says: "what the model would write if it stopped after each layer",
    applies: writes,
    grids: ["chances"],
    python: ["from regard.looking.lens import lens  # lens(model.model, ids), as docs/flow.md shows"],
  },
  {
    view: "diff",
    title: "Difference",
    says: "how far the edits moved each head: Jensen-Shannon divergence from the run before them, in bits",
    applies: (run) => run.difference !== null,
    grids: ["divergence"],
    python: ["from regard.looking import differences  # of what two watches saw, docs/differences.md"],
  },
];
