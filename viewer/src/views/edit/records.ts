/** Edits as records that `regard.edit` takes, and in words. */
import type { Edit } from "../../address";
import { visible } from "../../scene/signs";
import type { Run } from "../../payload";
import { columnText, rowText } from "../../sides";

const list = (value: unknown): number[] => (Array.isArray(value) ? value.filter((one) => typeof one === "number") : []);

function tokens(record: Edit, run: Run | null): string {
  const place =
    run?.places.find((one) => one.name === record["place"]) ??
    run?.places.find((one) => fits(String(record["place"] ?? "*"), one.name));
  return list(record["places"])
    .map((index) => (run && place ? `“${visible(columnText(run, place, index))}”` : `token ${index}`))
    .join(", ");
}

/** Whether a name fits a pattern with stars. */
export function fits(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function heads(record: Edit): string {
  const some = list(record["heads"]);
  return some.length === 1 ? `head ${some[0]}` : `heads ${some.join(", ")}`;
}

/** One edit in words: "decoder.2.cross head 1 off". */
export function label(record: Edit, run: Run | null): string {
  const place = String(record["place"] ?? "*");
  switch (record.do) {
    case "scale":
      return Number(record["factor"]) === 0
        ? `${place} ${heads(record)} off`
        : `${place} ${heads(record)} × ${record["factor"]}`;
    case "temper":
      return `${place} ${heads(record)} at temperature ${record["temperature"]}`;
    case "hide":
      return `${tokens(record, run)} hidden in ${place}`;
    case "set": {
      const rows = list(record["rows"]);
      const here = run?.places.find((one) => one.name === place);
      const row = rows[0] !== undefined && here && run ? `“${visible(rowText(run, here, rows[0]))}”` : "all rows";
      return `${place} ${heads(record)} ${row} drawn by hand`;
    }
    default:
      return `${record.do} in ${place}`;
  }
}
