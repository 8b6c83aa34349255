/** All that a link carries: the view, the text, the model, what is chosen and what was changed. */
import { computed, effect, signal } from "@preact/signals";

export const VIEWS = ["text", "heads", "links", "map", "pair", "edit", "inside", "learn"] as const;
export type View = (typeof VIEWS)[number];
export type WeightScale = "linear" | "log" | "sinkless";
export const SCALES: readonly WeightScale[] = ["linear", "log", "sinkless"];
/** One token of the spine: of its first line or its second. */
export interface Spot {
  side: number;
  index: number;
}

/** An edit as `regard.edit` takes it. */
export type Edit = Record<string, unknown> & { do: string };

/** An edit in the list, and whether it is switched on. */
export interface ListedEdit {
  record: Edit;
  on: boolean;
}

export interface PageAddress {
  view: View;
  model: string;
  text: string;
  layer: string;
  head: number;
  pins: Spot[];
  words: boolean;
  /** How weights become ink; null: as the length of the text asks for. */
  scale: WeightScale | null;
  changes: ListedEdit[];
  /** What only one view reads, by name: `top`, `at`, `topic`, … */
  more: Record<string, string>;
}

const START: PageAddress = {
  view: "text",
  model: "",
  text: "",
  layer: "",
  head: 0,
  pins: [],
  words: false,
  scale: null,
  changes: [],
  more: {},
};

const SHARED_KEYS = ["model", "text", "stored", "layer", "head", "pin", "words", "scale", "edits"];
const VIEW_KEYS = [
  ...["beam", "sentence", "tokens", "temperature", "seed", "second"],
  ...[
    "how",
    "heads",
    "top",
    "first",
    "at",
    "order",
    "look",
    "with",
    "against",
    "rival",
    "compare",
    "force",
    "dots",
    "sort",
    "find",
  ],
  ...["topic", "step", "inputs"],
];

/** What version 0.1 called otherwise: an address of then means what it meant. */
const OLD_KEYS: Record<string, string> = { place: "layer", given: "inputs" };
const OLD_EDIT_FIELDS: Record<string, string> = { place: "layer", places: "positions" };
const OLD_EDIT_KINDS: Record<string, string> = { temper: "temperature" };
const OLD_INPUTS: Record<string, string> = { real: "length", sharpness: "scale" };

const wordOfNow = (table: Record<string, string>, word: string): string =>
  Object.hasOwn(table, word) ? table[word]! : word;

/** Keys of an address in the words of now. */
function keysOfNow(hash: string): Map<string, string> {
  const [, rest = ""] = hash.split(/\?(.*)/s);
  const query = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(rest)) {
    const name = wordOfNow(OLD_KEYS, key);
    if (name === key || !query.has(name)) query.set(name, value);
  }
  return query;
}

function editOfNow(record: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(record).map(([field, value]) => [wordOfNow(OLD_EDIT_FIELDS, field), value]);
  const edit = Object.fromEntries(fields) as Record<string, unknown>;
  return { ...edit, do: wordOfNow(OLD_EDIT_KINDS, String(edit["do"])) };
}

const inputsOfNow = (text: string): string =>
  text.replace(/"(\w+)"(\s*:)/g, (_, field: string, colon: string) => `"${wordOfNow(OLD_INPUTS, field)}"${colon}`);

/** What an address says that no view knows. */
export function unknownParts(hash: string): string[] {
  const [name = ""] = hash.replace(/^#/, "").split("?");
  const view = name && !VIEWS.some((known) => known === name) ? [name] : [];
  const keys = [...keysOfNow(hash).keys()].filter((key) => !SHARED_KEYS.includes(key) && !VIEW_KEYS.includes(key));
  return [...view, ...keys];
}

const spotName = (spot: Spot): string => `${"ab"[spot.side]}${spot.index}`;

function parseSpots(text: string): Spot[] {
  return text.split(",").flatMap((part) => {
    const match = /^([ab])(\d{1,7})$/.exec(part);
    return match ? [{ side: match[1] === "a" ? 0 : 1, index: Number(match[2]) }] : [];
  });
}

function parseEdits(text: string): ListedEdit[] {
  try {
    const items: unknown = JSON.parse(text);
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: unknown) => {
      if (typeof item !== "object" || item === null) return [];
      const { off, ...record } = item as Record<string, unknown>;
      return typeof record["do"] === "string" ? [{ record: editOfNow(record) as Edit, on: off !== true }] : [];
    });
  } catch {
    return [];
  }
}

const LONG = 6000; // letters of a text that an address does not carry
const longTexts = new Map<string, string>();

let named: { text: string; name: string } = { text: "", name: "" };

/** A short name for a long text, under which this window remembers it; every letter counts. */
export function nameOf(text: string): string {
  if (named.text === text) return named.name;
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
  }
  const name = [text.length, one >>> 0, other >>> 0].map((part) => part.toString(36)).join("-");
  named = { text, name };
  if (longTexts.has(name)) return name;
  longTexts.set(name, text);
  try {
    sessionStorage.setItem(`regard.text.${name}`, text);
  } catch {
    // no room or no permission: it is remembered as long as the page
  }
  return name;
}

function longText(name: string): string {
  try {
    return longTexts.get(name) ?? sessionStorage.getItem(`regard.text.${name}`) ?? "";
  } catch {
    return "";
  }
}

/** `#links?model=en-de&text=…`; what is as at the start is left out, and a long text has a name in this window. */
export function addressText(address: PageAddress, isForOthers = false): string {
  const query = new URLSearchParams();
  if (address.model) query.set("model", address.model);
  if (address.text.length > LONG && !isForOthers) query.set("stored", nameOf(address.text));
  else if (address.text) query.set("text", address.text);
  if (address.layer) query.set("layer", address.layer);
  if (address.head) query.set("head", String(address.head));
  if (address.pins.length) query.set("pin", address.pins.map(spotName).join(","));
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

export function read(hash: string): PageAddress {
  const [name = ""] = hash.replace(/^#/, "").split("?");
  const query = keysOfNow(hash);
  const scale = query.get("scale") as WeightScale;
  const head = Number(query.get("head") ?? 0);
  const more = [...query].filter(([key]) => VIEW_KEYS.includes(key));
  return {
    view: VIEWS.find((view) => view === name) ?? "text",
    model: query.get("model") ?? "",
    text: query.get("text") ?? longText(query.get("stored") ?? ""),
    layer: query.get("layer") ?? "",
    head: Number.isInteger(head) && head >= 0 ? head : 0,
    pins: parseSpots(query.get("pin") ?? ""),
    words: query.get("words") === "1",
    scale: SCALES.includes(scale) ? scale : null,
    changes: parseEdits(query.get("edits") ?? "[]"),
    more: Object.fromEntries(more.map(([key, value]) => [key, key === "inputs" ? inputsOfNow(value) : value])),
  };
}

export const address = signal<PageAddress>(START);
/** What the address in the browser's line says that the page does not know. */
export const unknown = signal<string[]>([]);

/** Whether the browser's line is ours. */
let isFollowed = false;

/** One part of the address as a signal of its own: views wake only for what they read. */
export function part<Key extends keyof PageAddress>(key: Key) {
  return computed(() => address.value[key]);
}

const STEPS = ["topic", "sentence", "second", "against", "rival", "compare", "force"];

/** Whether the browser's back button takes this back: another view, text, model, sentence, edit or lesson. */
const isOtherStep = (next: PageAddress, now: PageAddress): boolean =>
  next.view !== now.view ||
  next.model !== now.model ||
  next.text !== now.text ||
  next.changes !== now.changes ||
  STEPS.some((key) => (next.more[key] ?? "") !== (now.more[key] ?? ""));

/** Change some of it. What is a step can be taken back, unless it only fills in what an address left open. */
export function go(change: Partial<PageAddress>, isStep = true): void {
  const now = address.peek();
  const next = { ...now, ...change };
  if (isFollowed && isStep && isOtherStep(next, now)) {
    history.replaceState(null, "", addressText(now)); // what was pinned since is part of where one comes back to
    history.pushState(null, "", addressText(next));
  }
  address.value = next;
}

/** Change what only one view reads; an empty value forgets it. */
export function setMore(change: Record<string, string>): void {
  go({ more: { ...address.peek().more, ...change } });
}

export const moreText = (name: string, otherwise = ""): string => address.value.more[name] ?? otherwise;

/** A number that the address carries, kept between two others. */
export function moreNumber(name: string, otherwise: number, least: number, most: number): number {
  const value = Number(moreText(name, String(otherwise)));
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;
}

/** Keep the browser's line and the address the same, both ways. */
export function follow(): void {
  isFollowed = true;
  const readHash = () => {
    address.value = read(location.hash);
    unknown.value = unknownParts(location.hash);
  };
  readHash();
  let wait = 0;
  effect(() => {
    const text = addressText(address.value);
    clearTimeout(wait); // browsers refuse more than a hundred changes in half a minute
    wait = window.setTimeout(() => {
      if (location.hash !== text) history.replaceState(null, "", text);
    }, 120);
  });
  const reread = () => {
    if (addressText(read(location.hash)) !== addressText(address.peek())) readHash();
  };
  addEventListener("popstate", reread);
  addEventListener("hashchange", reread);
}

/** The link that shows what is seen now. */
export const link = (): string => location.href.replace(/#.*$/s, "") + addressText(address.value, true);
