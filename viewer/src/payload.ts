/** Made by viewer/typescript.py from regard.viewer.payload; not written by hand. */

export const API_VERSION = 2;

/** A whole answer, or one line of a stream, and the version of the API that it is told in. */
export interface VersionedResponse {
  version: number;
}

/** How tokens are drawn by lot. */
export interface SamplingOptions {
  temperature?: number;
  top_k?: number;
  top_p?: number;
  seed?: number;
}

/** A text for a model, and how to answer it. `base` is the run that this one is to be compared with. */
export interface RunRequest {
  model: string;
  text: string;
  second?: string | null;
  sentence?: number;
  beam?: number;
  max_new_tokens?: number | null;
  sample?: SamplingOptions | null;
  edits?: Record<string, unknown>[];
  forced?: number[];
  base?: string | null;
  page?: string;
}

/** How far a run is; one line of the stream. */
export interface RunStatus {
  version: number;
  run: string;
  state: "waiting" | "loading" | "reading" | "writing" | "looking" | "pooling" | "done" | "failed" | "cancelled";
  fraction: number;
  text: string;
  tokens: string[];
  error: string | null;
}

/** Tokens that attend or are attended to, column by column. The model did not write the first `prefix_length`. */
export interface TokenColumn {
  name: string;
  texts: string[];
  ids: number[];
  words: (number | null)[];
  special: boolean[];
  segments: number[];
  prefix_length: number;
  scores: (number | null)[];
  next: (string | null)[];
}

/** A layer with attention: tokens of the side `rows` attend to those of `columns`. */
export interface LayerInfo {
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
  width: number;
}

/** A word or label that was in question. */
export interface Option {
  text: string;
  id: number | null;
  probability: number;
}

/** What came out. `options` are labels or answers with their probabilities, `gaps` the words for each mask. */
export interface AnswerPayload {
  text: string;
  score: number | null;
  rank_score: number | null;
  is_finished: boolean | null;
  options: Option[];
  gaps: Option[][];
  vector: number[];
}

/** A token in the tree of a beam search; its score is that of the whole text up to it. */
export interface BeamNode {
  text: string;
  id: number;
  parent: number;
  score: number;
}

/** Every text that a beam search kept. `leaves` end the finished ones, the best first. */
export interface BeamTreePayload {
  nodes: BeamNode[];
  leaves: number[];
  winner: number[];
}

/** Which source tokens each target token came from, in the heads that the task reads; pairs of words. */
export interface AlignmentPayload {
  heads: string;
  weights: number[][];
  words: [number, number][];
}

/** The likeliest tokens after one token of the written side; `choice` is which of them was written, if it is one. */
export interface CandidateTokens {
  row: number;
  choice: number | null;
  options: Option[];
}

/** A word or label before and after an edit. */
export interface ProbabilityShift {
  text: string;
  id: number | null;
  before: number;
  after: number;
}

/** The words that competed after one token of the base's text, under both. */
export interface CompetingTokens {
  row: number;
  text: string;
  options: ProbabilityShift[];
}

/** Words that stayed, went, came, or came for others. */
export interface TextChange {
  kind: "same" | "removed" | "added" | "replaced";
  before: string[];
  after: string[];
}

/** What the edits did. `log_probability_drop` is what the base's text lost. */
export interface EditEffect {
  base: string;
  before: string;
  after: string;
  score_before: number | null;
  score_after: number | null;
  log_probability_drop: number | null;
  text_changes: TextChange[];
  competing_tokens: CompetingTokens[];
  options: ProbabilityShift[];
  similarity: number | null;
}

/** A text, its answer and the layers that attended to something. */
export interface RunPayload {
  version: number;
  id: string;
  model: string;
  task: string;
  text: string;
  second: string | null;
  sentences: string[];
  sentence: number;
  answer: AnswerPayload;
  sides: TokenColumn[];
  layers: LayerInfo[];
  beam_tree: BeamTreePayload | null;
  alignment: AlignmentPayload | null;
  candidates: CandidateTokens[];
  edits: Record<string, unknown>[];
  edit_effect: EditEffect | null;
  seconds: number;
}

/** A key that a query attends to, and its weight. */
export interface AttendedKey {
  column: number;
  weight: number;
}

/** One row of the softmax. `weights` are all of it, or none where they are too many to send. */
export interface SoftmaxRow {
  version: number;
  layer: string;
  head: number;
  row: number;
  keys: number;
  weights: number[];
  top: AttendedKey[];
  entropy: number;
  logsumexp: number | null;
}

/** How the score of one query and one key comes about. */
export interface ScoreDetail {
  version: number;
  layer: string;
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
  inverse_temperature: number;
  score: number | null;
  is_allowed: boolean;
  logsumexp: number | null;
  weight: number;
}

/** The keys that each query attends to most: [head, row, column, weight]. */
export interface TopLinks {
  version: number;
  layer: string;
  links: [number, number, number, number][];
}

/** How much a head is of one kind: 1 where it looks nowhere else, about 0 where chance would do. */
export interface HeadRole {
  layer: string;
  head: number;
  kind: string;
  score: number;
}

/** What heads do on the tokens of a run. */
export interface HeadRoles {
  version: number;
  roles: HeadRole[];
}

/** A model that may be asked for. */
export interface ModelInfo {
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
  max_new_tokens: number;
  beam: number;
  edits: number;
  runs: number;
}

/** The models there are, which one the page begins with, and on what text; or at which address, as of a file. */
export interface ModelList {
  version: number;
  models: ModelInfo[];
  first: string | null;
  text: string;
  address: string;
  package_version: string;
  bounds: Bounds;
}

/** That the server is there, what it is busy with, and the bytes that stored runs take and may take. */
export interface Health {
  version: number;
  status: "ok";
  package_version: string;
  running: number;
  waiting: number;
  stored: number;
  stored_bytes: number;
  stored_limit: number;
}

/** What was wrong, in one line. */
export interface Fault {
  version: number;
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
export interface InsidePayload {
  version: number;
  view: string;
  grids: Grid[];
  facts: Fact[];
}

/** The numbers of one Learn page. `origin` says whose weights they are: "by hand", "random" or a model's name. */
export interface LessonNumbers {
  version: number;
  topic: string;
  origin: string;
  inputs: Record<string, unknown>;
  grids: Grid[];
  facts: Fact[];
  code: string;
}

/** A Learn page, and what it begins with. */
export interface Topic {
  topic: string;
  inputs: Record<string, unknown>;
}

/** The Learn pages there are. */
export interface TopicList {
  version: number;
  topics: Topic[];
}

/** A region of one head as a picture: rows and columns are [first, stop]. */
export interface ExportRequest {
  run: string;
  layer: string;
  head: number;
  rows?: [number, number] | null;
  columns?: [number, number] | null;
  kind?: "svg" | "html";
}
