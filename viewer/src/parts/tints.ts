/** How much each token is looked at, in the chosen head, by the token that is spoken of. */
import { columnOf, rowOf } from "../sides";
import { focus, head, layer, run, softmaxRow } from "../store";
import { computed } from "@preact/signals";

interface Tints {
  /** Which line of the spine is tinted. */
  side: number;
  weights: Map<number, number>;
}

export const tints = computed<Tints | null>(() => {
  const [shown, here, spot, row] = [run.value, layer.value, focus.value, softmaxRow.value];
  if (!shown || !here || !spot || !row || row.layer !== here.name || row.head !== head.value) return null;
  if (rowOf(shown, here, spot) !== row.row) return null;
  const side = shown.sides.findIndex((each) => each.name === here.columns);
  if (side < 0 || columnOf(shown, here, { side, index: 0 }) === null) return null;
  const weights = row.weights.length
    ? row.weights.map((weight, index) => [index, weight] as const)
    : row.top.map((entry) => [entry.column, entry.weight] as const);
  return { side, weights: new Map(weights) };
});
