/** All that a link carries: the view, the text, the model, what is chosen and what was changed. */
import { computed, effect, signal } from "@preact/signals";

export const VIEWS = ["text", "heads", "links", "map", "pair", "edit", "inside", "learn"] as const;
export type View = (typeof VIEWS)[number];
export type Scale = "linear" | "log" | "sinkless";
export const SCALES: readonly Scale[] = ["linear", "log", "sinkless"];
/** One token of the spine: of its first line or its second. */
export interface Spot {
  side: number;
  index: number;
}

/** An edit as `regard.edit` takes it. */
export type Edit = Record<string, unknown> & { do: string };

/** An edit in the list, and whether it is switched on. */
export interface Change {
  record: Edit;
  on: boolean;
}

export interface Address {
  view: View;
  model: string;
  text: string;
  place: string;
  head: number;
  pins: Spot[];
  words: boolean;
  /** How weights become ink; null: as the length of the text asks for. */
  scale: Scale | null;
  changes: Change[];
  /** What only one view reads, by name: `top`, `at`, `topic`, … */
  more: Record<string, string>;
}

const START: Address = {
  view: "text",
  model: "",
  text: "",
  place: "",
  head: 0,
  pins: [],
  words: false,
  scale: null,
  changes: [],
  more: {},
};

const OWN = new Set(["model", "text", "place", "head", "pin", "words", "scale", "edits"]);

const named = (spot: Spot): string => `${"ab"[spot.side]}${spot.index}`;

function spots(text: string): Spot[] {
  return text.split(",").flatMap((part) => {
    const found = /^([ab])(\d{1,7})$/.exec(part);
    return found ? [{ side: found[1] === "a" ? 0 : 1, index: Number(found[2]) }] : [];
  });
}

function changes(text: string): Change[] {
  try {
    const read: unknown = JSON.parse(text);
    if (!Array.isArray(read)) return [];
    return read.flatMap((item: unknown) => {
      if (typeof item !== "object" || item === null) return [];
      const { off, ...record } = item as Record<string, unknown>;
      return typeof record["do"] === "string" ? [{ record: record as Edit, on: off !== true }] : [];
    });
  } catch {
    return [];
  }
}

/** `#links?model=en-de&text=…`; what is as at the start is left out. */
export function written(address: Address): string {
  const query = new URLSearchParams();
  if (address.model) query.set("model", address.model);
  if (address.text) query.set("text", address.text);
  if (address.place) query.set("place", address.place);
  if (address.head) query.set("head", String(address.head));
  if (address.pins.length) query.set("pin", address.pins.map(named).join(","));
  if (address.words) query.set("words", "1");
  if (address.scale) query.set("scale", address.scale);
  if (address.changes.length) {
    query.set(
      "edits",
      JSON.stringify(address.changes.map(({ record, on }) => (on ? record : { ...record, off: true }))),
    );
  }
  for (const [name, value] of Object.entries(address.more)) if (value) query.set(name, value);
  const rest = query.toString();
  return `#${address.view}${rest ? `?${rest}` : ""}`;
}

export function read(hash: string): Address {
  const [name = "", rest = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const query = new URLSearchParams(rest);
  const scale = query.get("scale") as Scale;
  const head = Number(query.get("head") ?? 0);
  return {
    view: VIEWS.find((view) => view === name) ?? "text",
    model: query.get("model") ?? "",
    text: query.get("text") ?? "",
    place: query.get("place") ?? "",
    head: Number.isInteger(head) && head >= 0 ? head : 0,
    pins: spots(query.get("pin") ?? ""),
    words: query.get("words") === "1",
    scale: SCALES.includes(scale) ? scale : null,
    changes: changes(query.get("edits") ?? "[]"),
    more: Object.fromEntries([...query].filter(([key]) => !OWN.has(key))),
  };
}

export const address = signal<Address>(START);

/** Whether the browser's line is ours. */
let isFollowed = false;

/** One part of the address as a signal of its own: views wake only for what they read. */
export function part<Key extends keyof Address>(key: Key) {
  return computed(() => address.value[key]);
}

/** Change some of it. A change of view becomes a step that the browser's back button takes back. */
export function go(change: Partial<Address>): void {
  const next = { ...address.peek(), ...change };
  const step = next.view !== address.peek().view || next.more["topic"] !== address.peek().more["topic"];
  if (step && isFollowed) history.pushState(null, "", written(next));
  address.value = next;
}

/** Change what only one view reads; an empty value forgets it. */
export function note(change: Record<string, string>): void {
  go({ more: { ...address.peek().more, ...change } });
}

export const noted = (name: string, otherwise = ""): string => address.value.more[name] ?? otherwise;

/** A number that the address carries, kept between two others. */
export function notedNumber(name: string, otherwise: number, least: number, most: number): number {
  const value = Number(noted(name, String(otherwise)));
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;
}

/** Keep the browser's line and the address the same, both ways. */
export function follow(): void {
  isFollowed = true;
  address.value = read(location.hash);
  let wait = 0;
  effect(() => {
    const wanted = written(address.value);
    clearTimeout(wait); // browsers refuse more than a hundred changes in half a minute
    wait = window.setTimeout(() => {
      if (location.hash !== wanted) history.replaceState(null, "", wanted);
    }, 120);
  });
  const reread = () => {
    if (written(read(location.hash)) !== written(address.peek())) address.value = read(location.hash);
  };
  addEventListener("popstate", reread);
  addEventListener("hashchange", reread);
}

/** The link that shows what is seen now. */
export const link = (): string => location.href.replace(/#.*$/s, "") + written(address.value);
