/** Edits as records that `regard.edit` takes, and in words. */
import type { Edit } from "../../address";
import { visible } from "../../scene/signs";
import type { RunPayload } from "../../payload";
import { columnText, rowText } from "../../sides";

const list = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((candidate) => typeof candidate === "number") : [];

function tokens(record: Edit, run: RunPayload | null): string {
  const layer =
    run?.layers.find((candidate) => candidate.name === record["layer"]) ??
    run?.layers.find((candidate) => fits(String(record["layer"] ?? "*"), candidate.name));
  return list(record["positions"])
    .map((index) =>
      run && layer
        ? `“${visible(columnText(run, layer, index).trim() || columnText(run, layer, index))}”`
        : `token ${index}`,
    )
    .join(", ");
}

/** Whether a name fits a pattern with stars. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function heads(record: Edit): string {
  const numbers = list(record["heads"]);
  return numbers.length === 1 ? `head ${numbers[0]}` : `heads ${numbers.join(", ")}`;
}

/** One edit in words: "decoder.2.cross head 1 off"; in short, what was hidden without from whom. */
export function label(record: Edit, run: RunPayload | null, isShort = false): string {
  const layer = String(record["layer"] ?? "*");
  switch (record.do) {
    case "scale":
      return Number(record["factor"]) === 0
        ? `${layer} ${heads(record)} off`
        : `${layer} ${heads(record)} × ${record["factor"]}`;
    case "temperature":
      return `${layer} ${heads(record)} at temperature ${record["temperature"]}`;
    case "hide":
      return isShort ? `you hid ${tokens(record, run)}` : `${tokens(record, run)} hidden in ${layer}`;
    case "set": {
      const rows = list(record["rows"]);
      const here = run?.layers.find((candidate) => candidate.name === layer);
      const row = rows[0] !== undefined && here && run ? `“${visible(rowText(run, here, rows[0]))}”` : "all rows";
      return `${layer} ${heads(record)} ${row} drawn by hand`;
    }
    default:
      return `${record.do} in ${layer}`;
  }
}
