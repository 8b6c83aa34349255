/** The file that is taken along: this page's own code and style, and a run; or only where one was. */
import type { SavedRun } from "./saved";

/** As part of a script: no sign of it ends the element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export function savedPage(saved: SavedRun, code: string, style: string): string {
  const title = `${saved.run.model}: ${saved.run.text.slice(0, 80)}`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} · regard</title>`,
    `<style>${style.replaceAll("</", "<\\/")}</style></head><body><div id="page"></div>`,
    `<!-- queries and keys in half precision; the largest difference from the exact weights is ${saved.difference} -->`,
    `<script type="application/json" id="saved">${inScript({ ...saved, code })}</` + "script>",
    '<script type="module">',
    'const saved = JSON.parse(document.getElementById("saved").textContent);',
    'const code = URL.createObjectURL(new Blob([saved.code], { type: "text/javascript" }));',
    'const page = await import(code); page.openSaved(document.getElementById("page"), saved);',
    "</" + "script></body></html>",
    "",
  ].join("\n");
}

/** Where one was, as a small file: `regard see FILE` opens it again, with the text however long. */
export const stateFile = (model: string, address: string): string =>
  `${JSON.stringify({ regard: "state", version: 1, model, address }, null, 1)}\n`;
