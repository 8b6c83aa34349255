/** Tokens that nobody may see. */
import { useMemo } from "preact/hooks";
import { visible } from "../../scene/signs";
import { hover, pins, run } from "../../store";
import { line, sideNumber } from "../../sides";
import { isHidden, toggleHidden } from "./hiding";

const MOST = 200;

export function HideTokens() {
  const shown = run.value!;
  const sides = useMemo(
    () =>
      shown.sides.map((side, index) => ({
        name: side.name,
        tokens: line(side).slice(0, side.texts.length),
        looked: shown.layers.some((layer) => sideNumber(shown, layer.columns) === index),
      })),
    [shown],
  );
  return (
    <section class="card stack" aria-label="Tokens">
      <div class="row">
        <h2>Tokens</h2>
        <span class="faint small">click one to hide it from all who could look at it</span>
      </div>
      {sides.map(
        (side, number) =>
          side.looked && (
            <div key={side.name} class="board-row">
              <span class="small faint">{side.name}</span>
              <span class="row tiny">
                {side.tokens
                  .map((token, index) => ({ token, index }))
                  .filter(
                    ({ index }) => index < MOST || pins.value.some((pin) => pin.side === number && pin.index === index),
                  )
                  .map(({ token, index }) => (
                    <button
                      key={index}
                      type="button"
                      class="hide mono"
                      aria-pressed={isHidden(number, index)}
                      data-hide={`${number}/${index}`}
                      aria-label={`${visible(token.text)}, ${isHidden(number, index) ? "hidden" : "seen"}`}
                      onPointerEnter={() => (hover.value = { side: number, index })}
                      onPointerLeave={() => (hover.value = null)}
                      onClick={() => toggleHidden(number, [index])}
                    >
                      {visible(token.text)}
                    </button>
                  ))}
                {side.tokens.length > MOST && (
                  <span class="faint small">and {side.tokens.length - MOST} more: pin one to find it here</span>
                )}
              </span>
            </div>
          ),
      )}
    </section>
  );
}
