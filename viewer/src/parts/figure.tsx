/** A picture with its name, its table, and everything that can be taken away from it. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, addressText, link } from "../address";
import { canSave, LONGEST, saveRun, savedBytes, savedPage } from "../saved";
import { home } from "../home";
import { offline, type Exhibit } from "../scene/offline";
import { png } from "../scene/paint";
import { svgText } from "../scene/svg";
import { csv, json, type DataTable } from "../scene/table";
import { titled } from "../scene/titled";
import { run, savedNote, toast } from "../store";
import { label } from "../views/edit/records";
import { palette } from "../theme";
import { Frame } from "./frame";
import { Icon } from "./icon";
import { Numbers } from "./numbers";
import { headScores } from "./roles";

/** The first picture of the view: what the page's own menu saves. */
export const exhibit = signal<(() => Exhibit | null) | null>(null);

export function say(line: string): void {
  toast.value = line;
  setTimeout(() => toast.value === line && (toast.value = null), 2200);
}

export function save(content: BlobPart, name: string, kind: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say("The browser did not allow the clipboard");
  }
}

const file = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "picture";

/** The model, the text and what was changed, in a line. */
function aboutRun(): string {
  const shown = run.value;
  if (!shown || address.value.view === "learn") return "regard";
  const wrote = shown.answer.text && shown.answer.text !== shown.text ? ` → ${shown.answer.text}` : "";
  const edited = shown.edits.map((edit) => label({ do: "", ...edit }, shown)).join(", ");
  return `regard · ${shown.model} · ${shown.text.slice(0, 200)}${wrote.slice(0, 200)}${edited ? ` · edited: ${edited}` : ""}`;
}

const pictureOf = (exhibit: Exhibit) => titled(exhibit.scene, exhibit.title, aboutRun(), palette.value);

interface SaveFormat {
  name: string;
  shown: string;
  take: (exhibit: Exhibit) => void | Promise<void>;
}

/** The same page with this run inside it: heads, links and the map, anywhere and without a server. */
async function saveExplorable(): Promise<void> {
  const shown = run.value;
  if (!shown || !canSave(shown)) return say(`Runs of at most ${LONGEST} tokens can be saved to be explored`);
  const [code, style] = await Promise.all(["widget.js", "page.css"].map(async (name) => (await fetch(name)).text()));
  say(`Saving about ${Math.ceil(savedBytes(shown, code!.length + style!.length) / 1000)} kB …`);
  const view = ["heads", "links", "map"].find((name) => name === address.value.view) ?? "heads";
  const hash = addressText({ ...address.value, view: view as "heads", more: {} }, true);
  const page = savedPage(await saveRun(shown, hash, [...headScores.value.values()].flat()), code!, style!);
  save(page, `${file(`${shown.model} ${shown.text.slice(0, 40)}`)}.html`, "text/html");
}

const SAVE_FORMATS: SaveFormat[] = [
  { name: "link", shown: "Copy a link to this", take: () => copy(link(), "Link") },
  {
    name: "svg",
    shown: "Save as SVG",
    take: (exhibit) =>
      save(
        svgText(pictureOf(exhibit), exhibit.title, palette.value.paper),
        `${file(exhibit.title)}.svg`,
        "image/svg+xml",
      ),
  },
  {
    name: "png",
    shown: "Save as PNG",
    take: async (exhibit) =>
      save(await png(pictureOf(exhibit), palette.value.paper), `${file(exhibit.title)}.png`, "image/png"),
  },
  {
    name: "html",
    shown: "Save as one HTML page",
    take: (exhibit) =>
      save(offline({ ...exhibit, about: aboutRun() }, palette.value), `${file(exhibit.title)}.html`, "text/html"),
  },
  {
    name: "explore",
    shown: "Save a page that can be explored",
    take: saveExplorable,
  },
  {
    name: "csv",
    shown: "Save the data as CSV",
    take: (exhibit) => save(csv(exhibit.table), `${file(exhibit.title)}.csv`, "text/csv"),
  },
  {
    name: "json",
    shown: "Save the data as JSON",
    take: (exhibit) => save(json(exhibit.table), `${file(exhibit.title)}.json`, "application/json"),
  },
  { name: "python", shown: "Copy the Python lines", take: (exhibit) => copy(exhibit.python, "Python") },
];

const PAGE = 280_000; // bytes of the page itself, about

/** The menu of ways to take a picture along. */
export function SaveMenu({
  make,
  label,
  children,
}: {
  make: () => Exhibit | null;
  label: string;
  children: ComponentChildren;
}) {
  const [open, show] = useState(false);
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !here.current?.contains(event.target as Node))
        show(false);
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", away);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", away);
    };
  }, [open]);
  const take = async (format: SaveFormat) => {
    show(false);
    const exhibit = make();
    if (!exhibit) return say("There is no picture to save yet");
    try {
      await format.take(exhibit);
    } catch (problem) {
      say(problem instanceof Error ? problem.message : String(problem));
    }
  };
  return (
    <div class="menu" ref={here}>
      <button
        type="button"
        class="icon"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        title={label}
        onClick={() => show(!open)}
      >
        {children}
      </button>
      {open && (
        <div role="menu">
          {SAVE_FORMATS.filter(
            ({ name }) =>
              (home.alone || (name !== "link" && name !== "explore")) && !(savedNote.value && name === "explore"),
          ).map((format) => (
            <button
              key={format.name}
              type="button"
              role="menuitem"
              data-take={format.name}
              onClick={() => void take(format)}
            >
              {format.shown}
              {format.name === "explore" && run.value && canSave(run.value) && (
                <span class="faint"> (about {Math.ceil(savedBytes(run.value, PAGE) / 1000)} kB)</span>
              )}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

interface FigureProps {
  title: string;
  make: () => Exhibit;
  children: ComponentChildren;
  legend?: ComponentChildren;
  /** The picture that the page's own menu saves. */
  first?: boolean;
  /** What the table is made from: while it is open it is made again when one of these changes. */
  of: unknown[];
  /** The table alone, where the picture takes longer. */
  table?: () => DataTable;
  /** What is drawn is not yet what the title says: it cannot be taken along. */
  late?: boolean;
}

export function Figure({ title, make, children, legend, first, of, table, late = false }: FigureProps) {
  const ready = () => (late ? null : make());
  const latest = useRef(ready);
  latest.current = ready;
  useEffect(() => {
    if (!first) return;
    const latestExhibit = () => latest.current();
    exhibit.value = latestExhibit;
    return () => {
      if (exhibit.peek() === latestExhibit) exhibit.value = null;
    };
  }, [first]);
  return (
    <figure class="figure" aria-busy={late}>
      <figcaption class="row">
        <h2>{title}</h2>
        <SaveMenu make={ready} label={`Save “${title}”`}>
          <Icon name="save" />
        </SaveMenu>
      </figcaption>
      {legend}
      <Frame label={title}>{children}</Frame>
      <Numbers make={table ?? (() => make().table)} of={of} />
    </figure>
  );
}
