/** Made by viewer/typescript.py from regard.viewer.payload; not written by hand. */

/** How tokens are drawn by lot. */
export interface Drawing {
  temperature?: number;
  top_k?: number;
  top_p?: number;
  seed?: number;
}

/** A text for a model, and how to answer it. `base` is the run that this one is to be compared with. */
export interface Ask {
  model: string;
  text: string;
  second?: string | null;
  sentence?: number;
  beam?: number;
  max_tokens?: number | null;
  sample?: Drawing | null;
  edits?: Record<string, unknown>[];
  base?: string | null;
  page?: string;
}

/** How far a run is; one line of the stream. */
export interface Progress {
  run: string;
  state: "waiting" | "loading" | "reading" | "writing" | "looking" | "pooling" | "done" | "failed" | "cancelled";
  fraction: number;
  text: string;
  tokens: string[];
  error: string | null;
}

/** Tokens that look or are looked at, column by column. The first `given` of them were not written by the model. */
export interface Side {
  name: string;
  texts: string[];
  ids: number[];
  words: (number | null)[];
  special: boolean[];
  segments: number[];
  given: number;
  scores: (number | null)[];
  next: (string | null)[];
}

/** A layer that looks: tokens of the side `rows` look at those of `columns`. */
export interface Place {
  name: string;
  heads: number;
  queries: number;
  keys: number;
  rows: string;
  columns: string;
  mask: string;
  score: string;
  levels: number;
  base: number | null;
}

/** A word or label that was in question. */
export interface Option {
  text: string;
  id: number | null;
  probability: number;
}

/** What came out. `options` are labels or answers with their probabilities, `gaps` the words for each mask. */
export interface Answer {
  text: string;
  score: number | null;
  ranked: number | null;
  is_finished: boolean | null;
  options: Option[];
  gaps: Option[][];
  vector: number[];
}

/** A token in the tree of a beam search; its score is that of the whole text up to it. */
export interface Node {
  text: string;
  id: number;
  parent: number;
  score: number;
}

/** Every text that a beam search kept. `leaves` end the finished ones, the best first. */
export interface Tree {
  nodes: Node[];
  leaves: number[];
  winner: number[];
}

/** Which source tokens each target token came from, under the look that the task reads; pairs of words. */
export interface Aligned {
  look: string;
  weights: number[][];
  words: [number, number][];
}

/** The likeliest tokens after one token of the written side; `chosen` is which of them was written, if it is one. */
export interface Candidates {
  row: number;
  chosen: number | null;
  options: Option[];
}

/** A word or label before and after an edit. */
export interface Shift {
  text: string;
  id: number | null;
  before: number;
  after: number;
}

/** The words that competed after one token of the base's text, under both. */
export interface Contest {
  row: number;
  text: string;
  options: Shift[];
}

/** Words that stayed, went, came, or came for others. */
export interface Change {
  do: "same" | "removed" | "added" | "replaced";
  before: string[];
  after: string[];
}

/** What the edits did. `given_up` is the log-probability that the base's text lost. */
export interface Difference {
  base: string;
  before: string;
  after: string;
  score_before: number | null;
  score_after: number | null;
  given_up: number | null;
  words: Change[];
  contests: Contest[];
  options: Shift[];
  similarity: number | null;
}

/** A text, its answer and where one may look. */
export interface Run {
  id: string;
  model: string;
  task: string;
  text: string;
  second: string | null;
  sentences: string[];
  sentence: number;
  answer: Answer;
  sides: Side[];
  places: Place[];
  tree: Tree | null;
  alignment: Aligned | null;
  candidates: Candidates[];
  edits: Record<string, unknown>[];
  difference: Difference | null;
  seconds: number;
}

/** A key that was looked at. */
export interface Looked {
  column: number;
  weight: number;
}

/** One row of the softmax. `weights` are all of it, or none where they are too many to send. */
export interface Row {
  place: string;
  head: number;
  row: number;
  keys: number;
  weights: number[];
  top: Looked[];
  entropy: number;
  logsumexp: number | null;
}

/** How the score of one query and one key comes about. */
export interface Pair {
  place: string;
  head: number;
  row: number;
  column: number;
  kind: string;
  query: number[];
  key: number[];
  products: number[];
  scale: number | null;
  content: number;
  position: number;
  bias: number;
  sharpness: number;
  score: number | null;
  allowed: boolean;
  logsumexp: number | null;
  weight: number;
}

/** The keys that each query looks at most: [head, row, column, weight]. */
export interface Links {
  place: string;
  links: [number, number, number, number][];
}

/** A model that may be asked for. */
export interface Model {
  name: string;
  where: "built in" | "cached" | "folder";
  task: string;
  architecture: string;
  parameters: number;
  size: number;
  licence: string;
  problem: string;
  state: "idle" | "loading" | "ready" | "failed";
  fraction: number;
}

/** What the server allows. */
export interface Bounds {
  letters: number;
  tokens: number;
  written: number;
  beam: number;
  edits: number;
  runs: number;
}

/** The models there are, which one the page begins with, and on what text. */
export interface Models {
  models: Model[];
  first: string | null;
  text: string;
  version: string;
  bounds: Bounds;
}

/** That the server is there, and what it is busy with. */
export interface Health {
  status: "ok";
  version: string;
  running: number;
  waiting: number;
  stored: number;
}

/** What was wrong, in one line. */
export interface Fault {
  error: string;
}

/** A matrix with names for its rows and columns; `notes`, where there are any, are what each cell has to say. */
export interface Grid {
  name: string;
  kind: "weights" | "numbers" | "mask";
  rows: string[];
  columns: string[];
  numbers: number[][];
  notes: string[][];
}

/** One number or sentence about a lesson. */
export interface Fact {
  name: string;
  value: boolean | number | string;
}

/** One of the Inside views of a run. */
export interface Inside {
  view: string;
  grids: Grid[];
  facts: Fact[];
}

/** The numbers of one Learn page. `made` says whose weights they are: "by hand", "random" or a model's name. */
export interface Lesson {
  topic: string;
  made: string;
  given: Record<string, unknown>;
  grids: Grid[];
  facts: Fact[];
  code: string;
}

/** A Learn page, and what it begins with. */
export interface Topic {
  topic: string;
  given: Record<string, unknown>;
}

/** What a page is sent. */
export interface Topics {
  topics: Topic[];
}

/** A region of one head as a picture: rows and columns are [first, stop]. */
export interface Export {
  run: string;
  place: string;
  head: number;
  rows?: [number, number] | null;
  columns?: [number, number] | null;
  kind?: "svg" | "html";
}
