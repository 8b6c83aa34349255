/** The frame: a line to type in, the tokens, the views, and a line that says what the pointer is on. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { address, addressText, go, part, unknown, VIEWS, type View } from "./address";
import { home } from "./home";
import { step } from "./parts/chooser";
import { ComparePanel } from "./parts/compare";
import { CommandPalette } from "./parts/palette_dialog";
import { Help } from "./parts/help";
import { StatusLine } from "./parts/status_line";
import { Spine } from "./parts/spine";
import { Strip } from "./parts/strip";
import { Failed } from "./parts/states";
import { Top } from "./parts/top";
import type { RunPayload } from "./payload";
import { theme } from "./theme";
import { failure, hover, isFrozen, pointerText, redo, run, toast, undo } from "./store";
import { EditView } from "./views/edit/view";
import { HeadsView } from "./views/heads/view";
import { InsideView } from "./views/inside/view";
import { LearnView } from "./views/learn/view";
import { LinksView } from "./views/links/view";
import { MapView } from "./views/map/view";
import { PairView } from "./views/pair/view";
import { TextView } from "./views/text/view";

interface ShownView {
  name: string;
  view: ComponentType;
  /** What one sees, in a plain sentence; `ink` is what a large weight looks like. */
  says?: (ink: string, run: RunPayload) => string;
}

/** What the text and its answer look like, by what the model does. */
const ANSWERS: Record<string, string> = {
  translate: "The second line is what the model wrote. Below: what else might have been written.",
  generate: "What stands in bold the model wrote, word after word. Below: what else might have been written.",
  fill: "Below: the words that the model thinks of for each gap, the likeliest first.",
  classify: "Below: what the model takes the text for, the likeliest first.",
  answer: "Below: the answer, and what else it might have been, the likeliest first.",
  embed: "The model made numbers of the text. The other views show what looked where on the way.",
};

const SHOWN: Record<View, ShownView> = {
  text: {
    name: "Text",
    view: TextView,
    says: (_, run) =>
      run.alignment
        ? "The lines above join each written word to the words it came from. Below: what else might have been written."
        : (ANSWERS[run.task] ?? "Above is the text, as the model reads it."),
  },
  heads: {
    name: "Heads",
    view: HeadsView,
    says: (ink) => `Each picture is one head. Each of its rows is a word; ${ink.toLowerCase()} means: it looks there.`,
  },
  links: {
    name: "Links",
    view: LinksView,
    says: () => "A line goes from each word to those it looks at. The thicker it is, the more it takes from there.",
  },
  map: {
    name: "Map",
    view: MapView,
    says: (ink) => `Each row is a word, each column one that it may look at. ${ink} means: it looks there.`,
  },
  pair: {
    name: "Why",
    view: PairView,
    says: () => "Why a word looks there: its query meets each key; the better they match, the larger the weight.",
  },
  edit: {
    name: "Edit",
    view: EditView,
    says: () => "Switch heads off, hide words, or draw where they look. What the model writes changes at once.",
  },
  inside: { name: "Inside", view: InsideView, says: () => "What all heads do together, measured on this text." },
  learn: { name: "Learn", view: LearnView },
};

const view = part("view");

/** What was kept before can be looked at, and no more. */
const offered = (): View[] => VIEWS.filter((entry) => !isFrozen.value || !["edit", "inside", "learn"].includes(entry));

function keys(event: KeyboardEvent): void {
  const typing = (event.target as Element).closest?.(
    "textarea, select, dialog, input:not([type=checkbox], [type=range], [type=file])",
  );
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    return event.shiftKey ? redo() : undo();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number(event.key);
  const chosen = offered()[number - 1];
  if (chosen) return go({ view: chosen });
  switch (event.key) {
    case "/":
      event.preventDefault();
      return home.root.querySelector<HTMLElement>(".top textarea")?.focus();
    case "[":
      return step(-1, 0);
    case "]":
      return step(1, 0);
    case ",":
      return step(0, -1);
    case ".":
      return step(0, 1);
    case "w":
      return go({ words: !address.peek().words });
    case "Escape":
      return go({ pins: [] });
  }
}

export function App() {
  const help = useSignal(false);
  const palette = useSignal(false);
  useEffect(() => {
    const target = home.alone ? window : home.root; // a notebook has keys of its own
    const listen = ((event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return keys(event);
      event.preventDefault();
      palette.value = !palette.value;
    }) as EventListener;
    target.addEventListener("keydown", listen);
    return () => target.removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    hover.value = null;
    pointerText.value = null;
  }, [view.value]);
  const now = SHOWN[view.value];
  useEffect(() => {
    if (home.alone) document.title = `${now.name} · regard`;
  }, [now]);
  const lead = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!lead.current) return;
    const watch = new ResizeObserver(([entry]) =>
      home.root.style.setProperty("--lead", `${Math.ceil(entry?.contentRect.height ?? 0)}px`),
    );
    watch.observe(lead.current);
    return () => watch.disconnect();
  }, [view.value === "learn"]);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const [row, tab] = [tabs.current, tabs.current?.querySelector<HTMLElement>("[aria-current]")];
    if (row && tab && row.scrollWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - row.clientWidth / 2;
  }, [view.value]);
  const View = now.view;
  const learns = view.value === "learn";
  return (
    <>
      <Top help={() => (help.value = true)} />
      {learns ? (
        <div />
      ) : (
        <div class="lead" ref={lead}>
          <Spine />
          <Strip />
        </div>
      )}
      <div class="middle">
        <nav class="views" aria-label="Views" ref={tabs}>
          <div>
            {offered().map((entry) => (
              <a
                key={entry}
                href={`./${addressText({ ...address.value, view: entry })}`}
                aria-current={entry === view.value ? "page" : undefined}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  go({ view: entry });
                }}
              >
                {SHOWN[entry].name}
              </a>
            ))}
          </div>
        </nav>
        <main id="main" tabIndex={-1} aria-label={now.name} data-view={view.value}>
          {unknown.value.length > 0 && (
            <p class="faint small" role="status" data-unknown>
              The address says {unknown.value.map((part) => `“${part}”`).join(", ")}, which this page does not know.
            </p>
          )}
          {failure.value && run.value && !learns && <Failed line={failure.value} />}
          {run.value && now.says && (
            <p class="view-says" data-says="view">
              {now.says(theme.value === "dark" ? "Bright" : "Dark", run.value)}
            </p>
          )}
          {!learns && <ComparePanel />}
          <View key={view.value} />
        </main>
      </div>
      <StatusLine />
      {toast.value && (
        <div class="toast" role="status">
          {toast.value}
        </div>
      )}
      <CommandPalette
        open={palette.value}
        close={() => (palette.value = false)}
        views={offered().map((entry) => ({ name: SHOWN[entry].name, open: () => go({ view: entry }) }))}
      />
      <Help open={help.value} close={() => (help.value = false)} />
    </>
  );
}
