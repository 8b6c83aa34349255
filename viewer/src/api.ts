/** What the server is asked and says; API.md tells it in prose, payload.ts has the types. */
import { home } from "./home";
import { API_VERSION } from "./payload";
import type {
  RunRequest,
  HeadRoles,
  InsidePayload,
  LessonNumbers,
  TopLinks,
  ModelList,
  ScoreDetail,
  RunStatus,
  SoftmaxRow,
  RunPayload,
  TopicList,
} from "./payload";

export type * from "./payload";
/** Every request names the version of the API that the page was built for. */
const VERSION = { "X-Regard-Version": String(API_VERSION) };
export type CellPooling = "mean" | "max";
export type Link = TopLinks["links"][number];

export interface BinaryFrame<Head> {
  head: Head;
  numbers: Float32Array;
}

export interface TileHead {
  layer: string;
  head: number;
  level: number;
  row: number;
  column: number;
  how: CellPooling;
  rows: number;
  columns: number;
  cell: number;
  largest: number;
}

export interface OverviewHead {
  how: CellPooling;
  size: number;
  layers: { name: string; heads: number; rows: number; columns: number; largest: number[] }[];
}

/** What the server refused or could not do, in its own line. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly after: number | null = null,
  ) {
    super(message);
  }
}

async function checkResponse(response: Response): Promise<Response> {
  if (response.ok) return response;
  let line = `the server answered ${response.status}`;
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body && "error" in body) line = String(body.error);
  } catch {
    // not JSON: the status says enough
  }
  const after = Number(response.headers.get("Retry-After"));
  throw new RefusedRequest(response.status, line, Number.isFinite(after) && after > 0 ? after : null);
}

const sleep = (seconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

export type Query = Record<string, string | number>;

/** Ask for something; where it is not there yet (409) or too much at once (429), ask again a little later. */
async function get(path: string, query: Query = {}, signal?: AbortSignal): Promise<Response> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const address = search.size ? `${path}?${search}` : path;
  for (let tries = 0; ; tries++) {
    try {
      return await checkResponse(await home.wire(address, { headers: VERSION, signal }));
    } catch (problem) {
      const isEarly = problem instanceof RefusedRequest && problem.status === 409; // a long text may take minutes
      const isMuch = problem instanceof RefusedRequest && problem.status === 429 && tries < 40;
      if (!isEarly && !isMuch) throw problem;
      await sleep(Math.min(2, problem.after ?? 0.2 * (tries + 1)), signal);
    }
  }
}

async function getJson<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return (await get(path, query, signal)).json() as Promise<Answer>;
}

export function readFrame<Head>(bytes: ArrayBuffer): BinaryFrame<Head> {
  const view = new DataView(bytes);
  if (bytes.byteLength < 8 || view.getUint32(0, false) !== 0x52474431) throw new Error("not a frame of numbers");
  const length = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Head;
  return { head, numbers: new Float32Array(bytes, 8 + length) };
}

const run = (id: string) => `api/runs/${encodeURIComponent(id)}`;

export const api = {
  models: (signal?: AbortSignal) => getJson<ModelList>("api/models", {}, signal),
  run: (id: string, signal?: AbortSignal) => getJson<RunPayload>(run(id), {}, signal),
  row: (id: string, query: { layer: string; head: number; row: number; top: number }, signal?: AbortSignal) =>
    getJson<SoftmaxRow>(`${run(id)}/row`, query, signal),
  pair: (id: string, query: { layer: string; head: number; row: number; column: number }, signal?: AbortSignal) =>
    getJson<ScoreDetail>(`${run(id)}/pair`, query, signal),
  links: (
    id: string,
    query: { layer: string; heads: string; top: number; first: number; count: number },
    signal?: AbortSignal,
  ) => getJson<TopLinks>(`${run(id)}/links`, query, signal),
  async tile(
    id: string,
    query: { layer: string; head: number; level: number; row: number; column: number; how: CellPooling },
    signal?: AbortSignal,
  ): Promise<BinaryFrame<TileHead>> {
    return readFrame(await (await get(`${run(id)}/tile`, query, signal)).arrayBuffer());
  },
  async overview(
    id: string,
    query: { how: CellPooling; size: number },
    signal?: AbortSignal,
  ): Promise<BinaryFrame<OverviewHead>> {
    return readFrame(await (await get(`${run(id)}/overview`, query, signal)).arrayBuffer());
  },
  /** Queries and keys of a layer in half precision, as a frame. */
  saved: async (id: string, layer: string): Promise<ArrayBuffer> =>
    (await get(`${run(id)}/saved`, { layer })).arrayBuffer(),
  animation: async (id: string, kind: "gif" | "apng", dark: boolean): Promise<ArrayBuffer> =>
    (await get(`${run(id)}/animation`, { kind, dark: String(dark) })).arrayBuffer(),
  inside: (id: string, view: string, query: Query, signal?: AbortSignal) =>
    getJson<InsidePayload>(`${run(id)}/inside/${encodeURIComponent(view)}`, query, signal),
  roles: (id: string, signal?: AbortSignal) => getJson<HeadRoles>(`${run(id)}/roles`, {}, signal),
  writers: (id: string, query: { layer: string; head: number; row: number; column: number }, signal?: AbortSignal) =>
    getJson<InsidePayload>(`${run(id)}/writers`, query, signal),
  topics: (signal?: AbortSignal) => getJson<TopicList>("api/learn", {}, signal),
  async lesson(topic: string, inputs: Record<string, unknown>, signal?: AbortSignal): Promise<LessonNumbers> {
    const response = await home.wire(`api/learn/${encodeURIComponent(topic)}`, postOf(inputs, signal));
    return (await checkResponse(response)).json() as Promise<LessonNumbers>;
  },
};

function postOf(body: unknown, signal?: AbortSignal): RequestInit {
  return {
    method: "POST",
    headers: { ...VERSION, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
}

/** Start a run and tell each line of its progress. */
export async function* startRun(request: RunRequest, signal: AbortSignal): AsyncGenerator<RunStatus> {
  const response = await checkResponse(await home.wire("api/runs", postOf(request, signal)));
  if (!response.body) throw new Error("this browser cannot read a stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) yield JSON.parse(line) as RunStatus;
    if (done) break;
  }
  if (rest.trim()) yield JSON.parse(rest) as RunStatus;
}
