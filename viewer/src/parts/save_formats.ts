/** Every way in which what one sees can be taken along. */
import { address, addressText, link } from "../address";
import { api } from "../api";
import { home } from "../home";
import { savedBytes, saveRun, savingProblem } from "../saved";
import { savedPage, stateFile } from "../saved_page";
import { offline, type Exhibit } from "../scene/offline";
import { png } from "../scene/paint";
import { previewScene } from "../scene/preview";
import { svgText } from "../scene/svg";
import { csv, json } from "../scene/table";
import { titled } from "../scene/titled";
import { modelName, run, savedNote } from "../store";
import { palette, theme } from "../theme";
import { label } from "../views/edit/records";
import { copy, fileName, save, say } from "./download";
import { headScores } from "./roles";

export interface SaveFormat {
  name: string;
  shown: string;
  /** Takes the picture of the view; the others take the run, or where one is. */
  picture?: (exhibit: Exhibit) => void | Promise<void>;
  run?: () => void | Promise<void>;
  /** Where it cannot be offered. */
  isLeftOut?: () => boolean;
  /** What is said of it beforehand. */
  note?: () => string;
}

const LONG_LINK = 2000; // letters that programs for messages cut off

/** The model, the text and what was changed, in a line. */
function aboutRun(): string {
  const shown = run.value;
  if (!shown || address.value.view === "learn") return "regard";
  const wrote = shown.answer.text && shown.answer.text !== shown.text ? ` → ${shown.answer.text}` : "";
  const edited = shown.edits.map((edit) => label({ do: "", ...edit }, shown)).join(", ");
  return `regard · ${shown.model} · ${shown.text.slice(0, 200)}${wrote.slice(0, 200)}${edited ? ` · edited: ${edited}` : ""}`;
}

const pictureOf = (exhibit: Exhibit) => titled(exhibit.scene, exhibit.title, aboutRun(), palette.value);
const nameOfRun = (): string => fileName(`${modelName.value} ${run.value?.text.slice(0, 40) ?? address.value.view}`);

export const PAGE = 290_000; // bytes of the page itself, about

const STAYS = ["how", "heads", "top", "first", "at", "order", "sort", "find"]; // what an address says without a server

/** The same page with this run inside it: heads, links, the map and why, anywhere and without a server. */
async function saveExplorable(): Promise<void> {
  const shown = run.value;
  if (!shown) return say("Run a text first");
  const [code = "", style = ""] = await Promise.all(
    ["widget.js", "page.css"].map(async (name) => (await fetch(name)).text()),
  );
  const problem = savingProblem(shown, code.length + style.length);
  if (problem) return say(problem);
  say(`Saving about ${Math.ceil(savedBytes(shown, code.length + style.length) / 1000)} kB …`);
  const view = (["heads", "links", "map", "pair"] as const).find((name) => name === address.value.view) ?? "heads";
  const more = Object.fromEntries(Object.entries(address.value.more).filter(([name]) => STAYS.includes(name)));
  const hash = addressText({ ...address.value, view, more }, true);
  const saved = await saveRun(shown, hash, [...headScores.value.values()].flat());
  save(savedPage(saved, code, style), `${nameOfRun()}.html`, "text/html");
}

function saveState(): void {
  const content = stateFile(modelName.value, addressText({ ...address.value, model: modelName.value }, true));
  save(content, `${nameOfRun()}.regard.json`, "application/json");
}

/** A link to what one sees; a state file where it would be too long to send. */
export async function shareLink(): Promise<void> {
  const text = link();
  if (text.length <= LONG_LINK) return copy(text, "Link");
  saveState();
  say(`The link would have ${text.length} letters: a state file was saved; regard see FILE opens it`);
}

async function saveAnimation(kind: "gif" | "apng"): Promise<void> {
  const shown = run.value;
  if (!shown) return say("Run a text first");
  const bytes = await api.animation(shown.id, kind, theme.value === "dark");
  save(bytes, `${nameOfRun()}.${kind === "gif" ? "gif" : "png"}`, kind === "gif" ? "image/gif" : "image/png");
}

const isFile = () => savedNote.value !== "" || !home.alone;
const isUnaligned = () => isFile() || !run.value?.alignment;

export const SAVE_FORMATS: SaveFormat[] = [
  { name: "link", shown: "Copy a link to this", run: shareLink, isLeftOut: isFile },
  {
    name: "svg",
    shown: "Save as SVG",
    picture: (exhibit) =>
      save(
        svgText(pictureOf(exhibit), exhibit.title, palette.value.paper),
        `${fileName(exhibit.title)}.svg`,
        "image/svg+xml",
      ),
  },
  {
    name: "png",
    shown: "Save as PNG",
    picture: async (exhibit) =>
      save(await png(pictureOf(exhibit), palette.value.paper), `${fileName(exhibit.title)}.png`, "image/png"),
  },
  {
    name: "preview",
    shown: "Save a picture for links, 1200 × 630",
    picture: async (exhibit) => {
      const shown = address.value.view === "learn" ? null : run.value;
      const about = shown ? `regard · ${shown.model}` : "regard";
      const scene = previewScene(exhibit.scene, exhibit.title, shown?.text ?? "", about, palette.value);
      save(await png(scene, palette.value.paper, 1), `${fileName(exhibit.title)}-1200x630.png`, "image/png");
    },
  },
  {
    name: "gif",
    shown: "Save the writing as GIF",
    run: () => saveAnimation("gif"),
    isLeftOut: isUnaligned,
  },
  {
    name: "apng",
    shown: "Save the writing as animated PNG",
    run: () => saveAnimation("apng"),
    isLeftOut: isUnaligned,
  },
  {
    name: "explore",
    shown: "Save a page that can be explored",
    run: saveExplorable,
    isLeftOut: isFile,
    note: () => {
      const shown = run.value;
      if (!shown) return "";
      return savingProblem(shown, PAGE) || `about ${Math.ceil(savedBytes(shown, PAGE) / 1000)} kB`;
    },
  },
  {
    name: "state",
    shown: "Save where you are",
    run: saveState,
    isLeftOut: isFile,
    note: () => "regard see FILE opens it",
  },
  {
    name: "html",
    shown: "Save as one HTML page",
    picture: (exhibit) =>
      save(offline({ ...exhibit, about: aboutRun() }, palette.value), `${fileName(exhibit.title)}.html`, "text/html"),
  },
  {
    name: "csv",
    shown: "Save the data as CSV",
    picture: (exhibit) => save(csv(exhibit.table), `${fileName(exhibit.title)}.csv`, "text/csv"),
  },
  {
    name: "json",
    shown: "Save the data as JSON",
    picture: (exhibit) => save(json(exhibit.table), `${fileName(exhibit.title)}.json`, "application/json"),
  },
  {
    name: "python",
    shown: "Copy the Python lines",
    picture: (exhibit) => copy(exhibit.python, "Python"),
  },
];
