/** A run that was saved with its queries and keys: the same page opens it anywhere, without a server.
 *
 * Heads, links, the map and why are computed from what is kept (kept_weights.ts); what needs the model (edits, inside) is
 * not offered. The largest difference from the exact weights stands in the file and on the page.
 */
import { api, type CellPooling, type OverviewHead } from "./api";
import type { Wire } from "./home";
import { KeptLayer } from "./kept_weights";
import type { HeadRole, RunPayload, ScoreDetail, SoftmaxRow, TopLinks } from "./payload";

const LONGEST = 4096; // tokens either way
const SMALL = 64; // tokens: all heads of such a text are computed when they are looked at
const LARGEST = 64e6; // bytes of a file
const TILE = 256;

export interface SavedRun {
  run: RunPayload;
  /** The page's address when it was saved. */
  hash: string;
  /** What its heads do. */
  roles: HeadRole[];
  /** By layer: its queries and keys, as the server sent them, in base64. */
  layers: Record<string, string>;
  /** All heads small, of a longer text: binary frames in base64. */
  overviews: Partial<Record<CellPooling, string>>;
  /** How far the weights are from the exact ones, at most. */
  difference: number;
  /** Layers of which only cells are kept, and how large those are. */
  coarse: string[];
}

/** How many bytes the file will have, about: the page, and four for every three of queries, keys and thumbnails. */
export function savedBytes(run: RunPayload, page: number): number {
  const kept = run.layers.map(
    ({ heads, queries, keys, width }) =>
      heads * (4 * queries + 2 * width * (queries + keys) + (isSmall(run) ? 0 : 8192)),
  );
  return page + (4 / 3) * kept.reduce((sum, bytes) => sum + bytes, 0);
}

const longest = (run: RunPayload): number =>
  Math.max(0, ...run.layers.map((layer) => Math.max(layer.queries, layer.keys)));
const isSmall = (run: RunPayload): boolean => longest(run) <= SMALL;

/** Why a run cannot be saved to be explored, or nothing. */
export function savingProblem(run: RunPayload, page: number): string {
  if (!run.layers.length) return "This run has no attention to save";
  if (longest(run) > LONGEST) return `Texts of at most ${LONGEST} tokens can be saved to be explored`;
  const bytes = savedBytes(run, page);
  return bytes > LARGEST ? `The file would have ${Math.round(bytes / 1e6)} MB; at most ${LARGEST / 1e6} are saved` : "";
}

/** Ask for the queries and keys of every layer, and keep them. */
export async function saveRun(run: RunPayload, hash: string, roles: HeadRole[]): Promise<SavedRun> {
  const layers: Record<string, string> = {};
  const coarse: string[] = [];
  let difference = 0;
  for (const { name } of run.layers) {
    const bytes = await api.saved(run.id, name);
    const { about } = new KeptLayer(bytes);
    layers[name] = base64(new Uint8Array(bytes));
    difference = Math.max(difference, about.difference);
    if (about.level) coarse.push(`${name}: cells of ${2 ** about.level} × ${2 ** about.level} weights`);
  }
  const overviews: SavedRun["overviews"] = {};
  for (const how of isSmall(run) ? [] : (["mean", "max"] as const)) {
    const { head, numbers } = await api.overview(run.id, { how, size: 32 });
    overviews[how] = base64(new Uint8Array(await frame(head, [numbers]).arrayBuffer()));
  }
  return { run, hash, roles, layers, overviews, difference, coarse };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function bytesOf(text: string): ArrayBuffer {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes.buffer;
}

const largestOf = (numbers: Float32Array): number => numbers.reduce((most, number) => Math.max(most, number), 0);

function best(row: Float32Array, most: number): [number, number][] {
  return [...row.entries()]
    .filter(([, weight]) => weight > 0)
    .sort((one, other) => other[1] - one[1])
    .slice(0, most);
}

type SavedAnswer = (query: URLSearchParams) => Response | Promise<Response>;

/** Answers from what was saved, in the words of the server. */
export function savedWire(saved: SavedRun): Wire {
  const version = saved.run.version;
  const opened = new Map<string, KeptLayer>();
  const layerOf = (name: string): KeptLayer => {
    const text = saved.layers[name];
    if (text === undefined) throw new Error("no such layer in this file");
    let layer = opened.get(name);
    if (!layer) opened.set(name, (layer = new KeptLayer(bytesOf(text))));
    return layer;
  };
  const asked = (query: URLSearchParams) => {
    const number = (name: string) => Number(query.get(name) ?? 0);
    const name = query.get("layer") ?? "";
    return { name, kept: layerOf(name), head: number("head"), number };
  };
  const answers: Record<string, SavedAnswer> = {
    "": () => json(saved.run),
    roles: () => json({ version, roles: saved.roles }),
    tile: async (query) => {
      const { name, kept, head, number } = asked(query);
      const { queries, keys } = kept.about;
      const [level, row, column] = [number("level"), number("row"), number("column")];
      const how = (query.get("how") ?? "mean") as CellPooling;
      const range = (at: number, length: number) =>
        [at * TILE, Math.min((at + 1) * TILE, Math.ceil(length / 2 ** level))] as const;
      const [rows, columns] = [range(row, queries), range(column, keys)];
      const numbers = await kept.cells(head, level, rows, columns, how);
      const size = { rows: rows[1] - rows[0], columns: columns[1] - columns[0], cell: 2 ** level };
      return frame({ version, layer: name, head, level, row, column, how, ...size, largest: largestOf(numbers) }, [
        numbers,
      ]);
    },
    overview: async (query) => {
      const how = (query.get("how") ?? "mean") as CellPooling;
      const stored = saved.overviews[how];
      if (stored) return new Response(bytesOf(stored));
      const about: OverviewHead["layers"] = [];
      const all: Float32Array[] = [];
      for (const { name, heads, queries: rows, keys: columns } of saved.run.layers) {
        const thumbs: Float32Array[] = [];
        for (let head = 0; head < heads; head++)
          thumbs.push(await layerOf(name).cells(head, 0, [0, rows], [0, columns], how));
        about.push({ name, heads, rows, columns, largest: thumbs.map(largestOf) });
        all.push(...thumbs);
      }
      return frame({ how, size: SMALL, layers: about, version }, all);
    },
    row: (query) => {
      const { name, kept, head, number } = asked(query);
      const row = number("row");
      const weights = kept.weights(head, row);
      const entropy = -weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
      const top = best(weights, number("top") || 10).map(([column, weight]) => ({ column, weight }));
      const logsumexp = kept.pair(head, row, 0)?.logsumexp ?? null;
      const answer: SoftmaxRow = {
        ...{ version, layer: name, head, row, keys: kept.about.keys, top, entropy, logsumexp },
        weights: weights.length <= 2048 ? [...weights] : [],
      };
      return json(answer);
    },
    pair: (query) => {
      const { name, kept, head, number } = asked(query);
      const [row, column] = [number("row"), number("column")];
      const pair = kept.pair(head, row, column);
      if (!pair)
        throw new Error("this file keeps cells of this layer, not its queries and keys: open it in regard see");
      const { query: q, key, products, scale, logsumexp, isAllowed } = pair;
      const content = products.reduce((sum, value) => sum + value, 0);
      const answer: ScoreDetail = {
        ...{ version, layer: name, head, row, column, kind: "Dot", query: q, key, products, scale, content },
        ...{ position: 0, bias: 0, inverse_temperature: 1, score: isAllowed ? content : null, is_allowed: isAllowed },
        ...{ logsumexp, weight: kept.weights(head, row, column, column + 1)[0]! },
      };
      return json(answer);
    },
    links: (query) => {
      const { name, kept, number } = asked(query);
      const [first, count] = [number("first"), number("count") || TILE];
      const rows = Math.max(0, Math.min(count, kept.about.queries - first));
      const links = (query.get("heads") ?? "0")
        .split(",")
        .flatMap((head) =>
          Array.from({ length: rows }, (_, step) => first + step).flatMap((row) =>
            best(kept.weights(Number(head), row), number("top") || 3).map(
              ([column, weight]): TopLinks["links"][number] => [Number(head), row, column, weight],
            ),
          ),
        );
      return json({ version, layer: name, links });
    },
  };
  return async (path) => {
    const [place = "", search = ""] = path.split("?");
    const name = place.split("/")[3] ?? "";
    const answer = place.startsWith("api/runs/") ? answers[name] : undefined;
    try {
      if (answer) return await answer(new URLSearchParams(search));
    } catch (problem) {
      return json({ version, error: problem instanceof Error ? problem.message : String(problem) }, 400);
    }
    return json({ version, error: "this needs the model: open the file with regard see" }, 400);
  };
}

/** What the file says of its numbers. */
export const savedNoteOf = (saved: SavedRun, shown: string): string =>
  [`queries and keys in half precision; weights at most ${shown} from the exact ones`, ...saved.coarse].join("; ");

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

/** The binary frame of API.md. */
function frame(head: object, parts: Float32Array[]): Response {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const length = Math.ceil(text.length / 4) * 4;
  const body = new Uint8Array(8 + length + parts.reduce((sum, part) => sum + part.byteLength, 0)).fill(32);
  body.set([0x52, 0x47, 0x44, 0x31]);
  new DataView(body.buffer).setUint32(4, length, true);
  body.set(text, 8);
  let at = 8 + length;
  for (const part of parts) {
    body.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return new Response(body);
}
