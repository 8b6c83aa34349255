/** Tokens that nobody may see, as edits. */
import type { ListedEdit } from "../../address";
import { sideNumber } from "../../sides";
import { change, changes, run } from "../../store";

/** The layers that look at a side, as patterns: `encoder.*.self`, `decoder.*.cross`. */
function layersTo(side: number): string[] {
  const shown = run.value!;
  const there = shown.layers.filter((layer) => sideNumber(shown, layer.columns) === side);
  if (there.length === shown.layers.length) return ["*"];
  return [...new Set(there.map((layer) => layer.name.replace(/\.\d+(?=\.|$)/g, ".*")))];
}

export const canHide = (side: number): boolean =>
  run.value?.layers.some((layer) => sideNumber(run.value!, layer.columns) === side) ?? false;

export function isHidden(side: number, index: number): boolean {
  const names = layersTo(side);
  return changes.value.some(
    ({ record, on }) =>
      on &&
      record.do === "hide" &&
      names.includes(String(record["layer"])) &&
      (record["positions"] as number[]).includes(index),
  );
}

/** Hide tokens from all who could look at them, or show them again. */
export function toggleHidden(side: number, indices: number[]): void {
  const names = layersTo(side);
  if (indices.every((index) => isHidden(side, index))) {
    return change(
      changes.value.flatMap((edit): ListedEdit[] => {
        if (edit.record.do !== "hide" || !names.includes(String(edit.record["layer"]))) return [edit];
        const rest = (edit.record["positions"] as number[]).filter((each) => !indices.includes(each));
        return rest.length ? [{ ...edit, record: { ...edit.record, positions: rest } }] : [];
      }),
    );
  }
  change([
    ...changes.value,
    ...names.map((layer): ListedEdit => ({ record: { do: "hide", layer, positions: indices }, on: true })),
  ]);
}
