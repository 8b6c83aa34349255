/** Tokens that nobody may see. */
import { useMemo } from "preact/hooks";
import type { ListedEdit, Edit } from "../../address";
import { visible } from "../../scene/signs";
import { change, changes, hover, pins, run } from "../../store";
import { line, sideNumber } from "../../sides";

const MOST = 200;

/** The layers that look at a side, as patterns: `encoder.*.self`, `decoder.*.cross`. */
function layersTo(side: number): string[] {
  const shown = run.value!;
  const there = shown.layers.filter((layer) => sideNumber(shown, layer.columns) === side);
  if (there.length === shown.layers.length) return ["*"];
  return [...new Set(there.map((layer) => layer.name.replace(/\.\d+(?=\.|$)/g, ".*")))];
}

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
  const isHidden = (side: number, index: number) => {
    const names = layersTo(side);
    return changes.value.some(
      ({ record, on }) =>
        on &&
        record.do === "hide" &&
        names.includes(String(record["layer"])) &&
        (record["positions"] as number[]).includes(index),
    );
  };
  const toggle = (side: number, index: number) => {
    const names = layersTo(side);
    if (isHidden(side, index)) {
      const left = changes.value.flatMap((edit): ListedEdit[] => {
        if (edit.record.do !== "hide" || !names.includes(String(edit.record["layer"]))) return [edit];
        const rest = (edit.record["positions"] as number[]).filter((each) => each !== index);
        return rest.length ? [{ ...edit, record: { ...edit.record, positions: rest } }] : [];
      });
      return change(left);
    }
    change([
      ...changes.value,
      ...names.map((layer): ListedEdit => ({
        record: { do: "hide", layer, positions: [index] } satisfies Edit,
        on: true,
      })),
    ]);
  };
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
                      onClick={() => toggle(number, index)}
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
