/** One bundle, two homes: `start` for the page, the default export for anywidget. */
import { render } from "preact";
import { follow } from "./address";
import { App } from "./app";
import { home } from "./home";
import { kernelWire, type WidgetModel } from "./kernel";
import { watchRuns } from "./parts/reveal";
import { watchRoles } from "./parts/roles";
import { listen } from "./parts/status_line";
import { savedNoteOf, savedWire, type SavedRun } from "./saved";
import { plainNumber } from "./scene/signs";
import { begin, savedNote, showStored } from "./store";
import { dress } from "./theme";
import "./style/page.css";
import "./style/spine.css";
import "./style/views.css";

/** The page, in a window of its own. */
export function start(root: HTMLElement): void {
  home.root = root;
  root.classList.add("regard", "whole");
  dress();
  follow();
  begin();
  listen();
  watchRuns();
  watchRoles();
  render(<App />, root);
}

/** A run that was saved with its weights, in a file of its own. */
export function openSaved(root: HTMLElement, saved: SavedRun): void {
  home.root = root;
  home.wire = savedWire(saved);
  root.classList.add("regard", "whole");
  if (!location.hash) history.replaceState(null, "", saved.hash);
  savedNote.value = savedNoteOf(saved, plainNumber(saved.difference));
  dress();
  follow();
  void showStored(saved.run.id, true);
  listen();
  watchRuns();
  watchRoles();
  render(<App />, root);
}

let isBegun = false;

/** The same in a cell of a notebook: a model to ask, or a run that is there already. */
export default {
  render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
    home.root = el;
    home.alone = false;
    home.wire = kernelWire(model);
    el.classList.add("regard", "cell");
    dress();
    const run = String(model.get("run") ?? "");
    if (!isBegun) {
      if (run) void showStored(run);
      else begin();
      listen();
      watchRuns();
      watchRoles();
      isBegun = true;
    }
    render(<App />, el);
    return () => render(null, el);
  },
};
