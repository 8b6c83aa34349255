/** A run that was saved with its weights: the same page opens it anywhere, without a server.
 *
 * Every head's weights are kept in half precision, which is enough for heads, links and the map; what needs the model
 * (edits, why, inside) is not offered. The largest difference from the exact weights stands in the file and on the page.
 */
import { api, type OverviewHead } from "./api";
import type { Wire } from "./home";
import type { HeadRole, RunPayload, SoftmaxRow, TopLinks } from "./payload";

export const LONGEST = 256; // tokens either way: one tile a head

export interface SavedRun {
  run: RunPayload;
  /** The page's address when it was saved. */
  hash: string;
  /** What its heads do. */
  roles: HeadRole[];
  /** By layer: the weights of all heads, half floats in base64. */
  weights: Record<string, string>;
  /** How far the kept weights are from the exact ones, at most. */
  difference: number;
}

const bits = new Uint32Array(1);
const single = new Float32Array(bits.buffer);

/** The nearest half float of a weight from 0 to 1, as its 16 bits. */
function halfOf(weight: number): number {
  single[0] = weight;
  const exponent = ((bits[0]! >>> 23) & 255) - 112;
  if (exponent <= 0) return Math.round(weight * 2 ** 24); // below the normal numbers steps are even
  return (exponent << 10) + (((bits[0]! & 0x7fffff) + 0x1000) >>> 13); // rounding may carry into the exponent, rightly
}

const weightOf = (half: number): number =>
  half >>> 10 === 0 ? half / 2 ** 24 : (1 + (half & 1023) / 1024) * 2 ** ((half >>> 10) - 15);

/** How many bytes the file will have, about: the page, and three bytes for each weight. */
export const savedBytes = (run: RunPayload, page: number): number =>
  page + run.layers.reduce((sum, layer) => sum + layer.heads * layer.queries * layer.keys * (8 / 3), 0);

export const canSave = (run: RunPayload): boolean =>
  run.layers.length > 0 && run.layers.every((layer) => Math.max(layer.queries, layer.keys) <= LONGEST);

/** Ask for the exact weights of every head, and keep them. */
export async function saveRun(run: RunPayload, hash: string, roles: HeadRole[]): Promise<SavedRun> {
  const weights: Record<string, string> = {};
  let difference = 0;
  for (const layer of run.layers) {
    const size = layer.queries * layer.keys;
    const halves = new Uint16Array(layer.heads * size);
    for (let head = 0; head < layer.heads; head++) {
      const query = { layer: layer.name, head, level: 0, row: 0, column: 0, how: "mean" as const };
      const { numbers } = await api.tile(run.id, query);
      numbers.forEach((weight, index) => {
        const half = halfOf(weight);
        halves[head * size + index] = half;
        difference = Math.max(difference, Math.abs(weightOf(half) - weight));
      });
    }
    weights[layer.name] = base64(new Uint8Array(halves.buffer));
  }
  return { run, hash, roles, weights, difference };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Answers from what was saved, in the words of the server. */
export function savedWire(saved: SavedRun): Wire {
  const layers = new Map(
    saved.run.layers.map((layer) => {
      const bytes = Uint8Array.from(atob(saved.weights[layer.name] ?? ""), (letter) => letter.charCodeAt(0));
      return [layer.name, { layer, numbers: Float32Array.from(new Uint16Array(bytes.buffer), weightOf) }] as const;
    }),
  );
  const version = saved.run.version;
  const headOf = (query: URLSearchParams, head = Number(query.get("head") ?? 0)) => {
    const entry = layers.get(query.get("layer") ?? "");
    if (!entry) throw new Error("no such layer in this file");
    const { queries, keys } = entry.layer;
    return { ...entry, head, numbers: entry.numbers.subarray(head * queries * keys, (head + 1) * queries * keys) };
  };
  const best = (row: Float32Array, most: number) =>
    [...row.entries()]
      .filter(([, weight]) => weight > 0)
      .sort((one, other) => other[1] - one[1])
      .slice(0, most);
  const answers: Record<string, (query: URLSearchParams) => Response> = {
    "": () => json(saved.run),
    roles: () => json({ version, roles: saved.roles }),
    tile: (query) => {
      const { layer, head, numbers } = headOf(query);
      const largest = numbers.reduce((most, weight) => Math.max(most, weight), 0);
      const place = { layer: layer.name, head, level: 0, row: 0, column: 0, how: "mean", cell: 1, largest, version };
      return frame({ ...place, rows: layer.queries, columns: layer.keys }, [numbers]);
    },
    overview: (query) => {
      const entries = [...layers.values()];
      const about: OverviewHead["layers"] = entries.map(({ layer, numbers }) => {
        const size = layer.queries * layer.keys;
        const largest = Array.from({ length: layer.heads }, (_, head) =>
          numbers.subarray(head * size, (head + 1) * size).reduce((most, weight) => Math.max(most, weight), 0),
        );
        return { name: layer.name, heads: layer.heads, rows: layer.queries, columns: layer.keys, largest };
      });
      const head = { how: query.get("how") ?? "mean", size: LONGEST, layers: about, version };
      return frame(
        head,
        entries.map(({ numbers }) => numbers),
      );
    },
    row: (query) => {
      const { layer, head, numbers } = headOf(query);
      const row = Number(query.get("row"));
      const weights = numbers.slice(row * layer.keys, (row + 1) * layer.keys);
      const entropy = -weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
      const top = best(weights, Number(query.get("top") ?? 10)).map(([column, weight]) => ({ column, weight }));
      const answer: SoftmaxRow = {
        ...{ version, layer: layer.name, head, row, keys: layer.keys, top, entropy, logsumexp: null },
        weights: [...weights],
      };
      return json(answer);
    },
    links: (query) => {
      const heads = (query.get("heads") ?? "0").split(",").map(Number);
      const [first, count] = [Number(query.get("first") ?? 0), Number(query.get("count") ?? LONGEST)];
      const links = heads.flatMap((head) => {
        const { layer, numbers } = headOf(query, head);
        const rows = Math.max(0, Math.min(count, layer.queries - first));
        return Array.from({ length: rows }, (_, step) => first + step).flatMap((row) =>
          best(numbers.subarray(row * layer.keys, (row + 1) * layer.keys), Number(query.get("top") ?? 3)).map(
            ([column, weight]): TopLinks["links"][number] => [head, row, column, weight],
          ),
        );
      });
      return json({ version, layer: query.get("layer"), links });
    },
  };
  return (path) => {
    const [place = "", search = ""] = path.split("?");
    const name = place.split("/")[3] ?? "";
    const answer = place.startsWith("api/runs/") ? answers[name] : undefined;
    try {
      if (answer) return Promise.resolve(answer(new URLSearchParams(search)));
    } catch (problem) {
      return Promise.resolve(json({ version, error: String(problem) }, 400));
    }
    return Promise.resolve(json({ version, error: "this needs the model: open the text in regard see" }, 400));
  };
}

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

/** As part of a script: no sign of it ends the element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The file: this page's own code and style, and the run. */
export function savedPage(saved: SavedRun, code: string, style: string): string {
  const title = `${saved.run.model}: ${saved.run.text.slice(0, 80)}`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} · regard</title>`,
    `<style>${style.replaceAll("</", "<\\/")}</style></head><body><div id="page"></div>`,
    `<!-- weights in half precision; the largest difference from the exact ones is ${saved.difference} -->`,
    `<script type="application/json" id="saved">${inScript({ ...saved, code })}</` + "script>",
    '<script type="module">',
    'const saved = JSON.parse(document.getElementById("saved").textContent);',
    'const code = URL.createObjectURL(new Blob([saved.code], { type: "text/javascript" }));',
    'const page = await import(code); page.openSaved(document.getElementById("page"), saved);',
    "</" + "script></body></html>",
    "",
  ].join("\n");
}
