/** One side as running text, tinted by what the token under the pointer looks at. */
import { useMemo } from "preact/hooks";
import { part, type Spot } from "../../address";
import { css, readable, strength } from "../../scene/colour";
import { legible, short, visible } from "../../scene/signs";
import { line, rowOf, columnOf, sameSpot } from "../../sides";
import { focus, hover, isPinned, softmaxRow, pin, layer, run } from "../../store";
import { theme } from "../../theme";

const MOST = 1500;
const words = part("words");

/** How much each token of a side is looked at by the token that is spoken of; by the alignment where there is one. */
function tints(side: number): { weights: Map<number, number>; says: string } {
  const shown = run.value;
  const spot = focus.value;
  const none = { weights: new Map<number, number>(), says: "" };
  if (!shown || !spot) return none;
  const aligned = shown.alignment;
  const across = shown.layers.find((entry) => entry.rows !== entry.columns);
  if (aligned && across && shown.sides.length > 1) {
    const row = rowOf(shown, across, spot);
    const column = columnOf(shown, across, spot);
    const weightOf = new Map<number, number>();
    if (row !== null && side !== spot.side)
      aligned.weights[row]?.forEach((weight, index) => weightOf.set(index, weight));
    else if (column !== null && side !== spot.side)
      aligned.weights.forEach((weights, index) => weightOf.set(index + 1, weights[column] ?? 0));
    return { weights: weightOf, says: weightOf.size ? "what it came from, as the translator aligns it" : "" };
  }
  const row = softmaxRow.value;
  const here = layer.value;
  if (!row || !here || here.name !== row.layer || rowOf(shown, here, spot) !== row.row) return none;
  if (columnOf(shown, here, { side, index: 0 }) === null) return none;
  const weightOf = row.weights.length
    ? row.weights.map((weight, index) => [index, weight] as const)
    : row.top.map((entry) => [entry.column, entry.weight] as const);
  return { weights: new Map(weightOf), says: `${row.layer} · head ${row.head}` };
}

export function Passage({ side }: { side: number }) {
  const shown = run.value!;
  const own = shown.sides[side]!;
  const tokens = useMemo(() => line(own), [own]);
  const { weights, says } = tints(side);
  const spot = focus.value;
  const now = theme.value;
  const visibleTokens = tokens.slice(0, MOST);
  const together = (index: number): Spot[] => {
    const word = tokens[index]?.word;
    if (!words.value || word == null) return [{ side, index }];
    return tokens.flatMap((token, at) => (token.word === word ? [{ side, index: at }] : []));
  };
  return (
    <section class="card passage" aria-label={own.name}>
      <div class="row">
        <h2>{own.name}</h2>
        <span class="faint small">{says}</span>
      </div>
      <p class={words.value ? "prose whole" : "prose"}>
        {visibleTokens.map((token, index) => {
          const weight = weights.get(index) ?? 0;
          const colour = strength(now, Math.min(1, weight));
          const tinted = weight > 0.02 ? { backgroundColor: css(colour), color: readable(colour) } : undefined;
          const here = { side, index };
          const lit = spot !== null && together(index).some((entry) => sameSpot(entry, spot));
          const kinds = [
            "word",
            token.special && "special",
            token.written && "written",
            lit && "lit",
            isPinned(here) && "held",
          ]
            .filter(Boolean)
            .join(" ");
          const breaks = token.text.endsWith("\n");
          const text = words.value
            ? legible(token.text)
            : token.text.startsWith(" ")
              ? `·${visible(token.text.slice(1))}`
              : visible(token.text);
          return (
            <>
              <button
                key={index}
                type="button"
                class={kinds}
                style={tinted ?? {}}
                data-weight={weight > 0.02 ? short(weight) : undefined}
                onPointerEnter={() => (hover.value = here)}
                onFocus={() => (hover.value = here)}
                onBlur={() => (hover.value = null)}
                onClick={(event) => pin(together(index), event.shiftKey)}
              >
                {text}
              </button>
              {breaks && <br />}
            </>
          );
        })}
        {tokens.length > MOST && (
          <span class="faint">
            {" "}
            … {(tokens.length - MOST).toLocaleString("en-US")} more tokens: the map shows them all
          </span>
        )}
      </p>
    </section>
  );
}

/** What is written so far. */
export function Streaming({ text }: { text: string }) {
  return (
    <section class="card passage" aria-label="being written" aria-live="polite">
      <h2>Writing …</h2>
      <p class="prose" data-streaming>
        {text}
        <span class="caret" aria-hidden="true">
          ▏
        </span>
      </p>
    </section>
  );
}
