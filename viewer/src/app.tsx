/** The frame: a line to type in, the tokens, the views, and a line that says what the pointer is on. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { address, addressText, go, part, unknown, VIEWS, type View } from "./address";
import { home } from "./home";
import { step } from "./parts/chooser";
import { Help } from "./parts/help";
import { StatusLine } from "./parts/status_line";
import { Spine } from "./parts/spine";
import { Failed } from "./parts/states";
import { Top } from "./parts/top";
import { failure, hover, isFrozen, pointerText, redo, run, toast, undo } from "./store";
import { EditView } from "./views/edit/view";
import { HeadsView } from "./views/heads/view";
import { InsideView } from "./views/inside/view";
import { LearnView } from "./views/learn/view";
import { LinksView } from "./views/links/view";
import { MapView } from "./views/map/view";
import { PairView } from "./views/pair/view";
import { TextView } from "./views/text/view";

const SHOWN: Record<View, { name: string; view: ComponentType }> = {
  text: { name: "Text", view: TextView },
  heads: { name: "Heads", view: HeadsView },
  links: { name: "Links", view: LinksView },
  map: { name: "Map", view: MapView },
  pair: { name: "Q · K", view: PairView },
  edit: { name: "Edit", view: EditView },
  inside: { name: "Inside", view: InsideView },
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
  useEffect(() => {
    const target = home.alone ? window : home.root; // a notebook has keys of its own
    target.addEventListener("keydown", keys as EventListener);
    return () => target.removeEventListener("keydown", keys as EventListener);
  }, []);
  useEffect(() => {
    hover.value = null;
    pointerText.value = null;
  }, [view.value]);
  const now = SHOWN[view.value];
  useEffect(() => {
    if (home.alone) document.title = `${now.name} · regard`;
  }, [now]);
  const View = now.view;
  const learns = view.value === "learn";
  return (
    <>
      <Top help={() => (help.value = true)} />
      {learns ? <div /> : <Spine />}
      <div class="middle">
        <nav class="views" aria-label="Views">
          {offered().map((entry) => (
            <a
              key={entry}
              href={addressText({ ...address.value, view: entry })}
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
        </nav>
        <main id="main" tabIndex={-1} aria-label={now.name} data-view={view.value}>
          {unknown.value.length > 0 && (
            <p class="faint small" role="status" data-unknown>
              The address says {unknown.value.map((part) => `“${part}”`).join(", ")}, which this page does not know.
            </p>
          )}
          {failure.value && run.value && !learns && <Failed line={failure.value} />}
          <View key={view.value} />
        </main>
      </div>
      <StatusLine />
      {toast.value && (
        <div class="toast" role="status">
          {toast.value}
        </div>
      )}
      <Help open={help.value} close={() => (help.value = false)} />
    </>
  );
}
