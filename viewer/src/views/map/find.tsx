/** Ways into a large map: a word to look for, and the strongest cells in sight. */
import { useSignal, type Signal } from "@preact/signals";
import { count, short } from "../../scene/signs";
import { columnText, sideNumber, spotOfColumn } from "../../sides";
import { layer, pins, run } from "../../store";
import { go as goTo } from "../../address";
import type { AxisLabels } from "./draw";
import type { StrongCell } from "./tiles";

/** Go to the next token that holds a text; Enter goes on to the one after it. */
export function FindToken({ go }: { go: (row: number, column: number) => void }) {
  const wanted = useSignal("");
  const says = useSignal("");
  const last = useSignal(-1);
  const [shown, here] = [run.value!, layer.value!];
  const next = (event: Event) => {
    event.preventDefault();
    const word = wanted.value.trim().toLowerCase();
    if (!word) return;
    for (let step = 1; step <= here.keys; step++) {
      const column = (last.value + step) % here.keys;
      if (!columnText(shown, here, column).toLowerCase().includes(word)) continue;
      last.value = column;
      says.value = `token ${count(column)}`;
      const isSelf = sideNumber(shown, here.rows) === sideNumber(shown, here.columns);
      const spot = spotOfColumn(shown, here, column);
      goTo({ pins: [...pins.peek().filter((each) => each.side !== spot.side), spot] });
      return go(isSelf ? Math.min(column, here.queries - 1) : here.queries / 2, column);
    }
    says.value = "not in the text";
  };
  return (
    <form class="row find" role="search" onSubmit={next}>
      <input
        type="text"
        aria-label="Find a token on the map"
        placeholder="Find a word"
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
          last.value = -1;
          says.value = "";
        }}
      />
      <span class="faint small" role="status">
        {says.value}
      </span>
    </form>
  );
}

interface StrongestProps {
  cells: Signal<StrongCell[]>;
  words: AxisLabels;
  go: (row: number, column: number) => void;
  /** Weights that a cell is wide. */
  cell: number;
}

/** The strongest cells in sight, each a way to go there. */
export function Strongest({ cells, words, go, cell }: StrongestProps) {
  if (!cells.value.length) return null;
  return (
    <div class="strongest" role="group" aria-label="Strongest cells in sight">
      <span class="faint small">Strongest in sight</span>
      {cells.value.map(({ row, column, number }) => (
        <button
          key={`${row},${column}`}
          type="button"
          class="jump mono"
          title={`${count(row)} → ${count(column)}`}
          onClick={() => go(row + (cell - 1) / 2, column + (cell - 1) / 2)}
        >
          <span>
            {words.row(row)} → {words.column(column)}
          </span>
          <span class="faint">{short(number, number < 0.01 ? 4 : 2)}</span>
        </button>
      ))}
    </div>
  );
}
