/** One file that shows a picture, its numbers and where they came from, without a server and without a script. */
import type { Palette } from "../theme";
import type { Scene } from "./scene";
import { svg } from "./svg";
import type { DataTable } from "./table";

export interface Exhibit {
  /** What is shown, in a few words. */
  title: string;
  scene: Scene;
  table: DataTable;
  /** The lines of Python that give the same numbers. */
  python: string;
}

const MOST_ROWS = 5000;

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
figure { margin: 0 0 1.5rem; overflow: auto }
svg { max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: 13px }
th, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid #8885; white-space: pre }
td.number { text-align: right; font-variant-numeric: tabular-nums }
pre { padding: 1rem; overflow: auto; background: #8881 }
`;

/** In the colours of the picture, whatever the reader's system likes. */
const coloursOf = (colours: Palette): string =>
  `:root { color-scheme: ${colours.theme}; background: ${colours.paper}; color: ${colours.ink} }`;

export function offline(exhibit: Exhibit & { about: string }, colours: Palette): string {
  const page = document.implementation.createHTMLDocument(exhibit.title);
  const make = (name: string, text?: string): HTMLElement => {
    const node = page.createElement(name);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const charset = make("meta");
  charset.setAttribute("charset", "utf-8");
  page.head.prepend(charset);
  const figure = make("figure");
  figure.append(page.importNode(svg(exhibit.scene, exhibit.title, colours.paper), true));
  const numbers = make("details");
  numbers.append(make("summary", `The numbers: ${exhibit.table.caption}`), tableElement(exhibit.table, make));
  page.body.append(
    make("h1", exhibit.title),
    make("p", exhibit.about),
    figure,
    numbers,
    make("h2", "The same in Python"),
    make("pre", exhibit.python),
  );
  // The style is put in as text: an element, even of a document that nobody sees, would fall under this page's policy.
  const written = page.documentElement.outerHTML.replace(
    "</head>",
    () => `<style>${STYLE}${coloursOf(colours)}</style></head>`,
  );
  return `<!doctype html>\n${written}\n`;
}

function tableElement(table: DataTable, make: (name: string, text?: string) => HTMLElement): HTMLElement {
  const node = make("table");
  const row = (cells: (string | number)[], name: string): HTMLElement => {
    const line = make("tr");
    for (const value of cells) {
      const cell = make(name, String(value));
      if (typeof value === "number") cell.className = "number";
      line.append(cell);
    }
    return line;
  };
  const head = make("thead");
  head.append(row(table.columns, "th"));
  const body = make("tbody");
  for (const cells of table.rows.slice(0, MOST_ROWS)) body.append(row(cells, "td"));
  node.append(head, body);
  return node;
}
