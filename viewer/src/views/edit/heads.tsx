/** Switches for all heads, and the tools for the chosen one. */
import { useSignal } from "@preact/signals";
import { address, go, type Change, type Edit } from "../../address";
import { change, changes, head, place, run } from "../../store";
import { fits } from "./records";

const isOff = ({ record, on }: Change, name: string, number: number): boolean =>
  on &&
  record.do === "scale" &&
  record["factor"] === 0 &&
  fits(String(record["place"]), name) &&
  (record["heads"] as number[]).includes(number);

/** Off: an edit more. On again: the edit that switched it off goes. */
function toggle(name: string, number: number): void {
  const all = changes.value;
  const found = all.findIndex((one) => isOff(one, name, number));
  const off: Edit = { do: "scale", place: name, heads: [number], factor: 0 };
  if (found < 0) return change([...all, { record: off, on: true }]);
  const record = all[found]!.record;
  const rest = (record["heads"] as number[]).filter((one) => one !== number);
  const kept = rest.length ? [{ record: { ...record, heads: rest }, on: true }] : [];
  change([...all.slice(0, found), ...kept, ...all.slice(found + 1)]);
}

export function Switchboard() {
  const places = run.value!.places;
  return (
    <>
      <div class="row">
        <h2>Heads</h2>
        <span class="faint small">click one to switch it off, again to switch it on</span>
      </div>
      <div class="board">
        {places.map((one) => (
          <div key={one.name} class="board-row">
            <span class="mono small">{one.name}</span>
            <span class="row tiny">
              {Array.from({ length: one.heads }, (_, number) => {
                const off = changes.value.some((each) => isOff(each, one.name, number));
                const here = place.value?.name === one.name && head.value === number;
                return (
                  <button
                    key={number}
                    type="button"
                    class={here ? "switch here" : "switch"}
                    aria-pressed={!off}
                    data-switch={`${one.name}/${number}`}
                    aria-label={`${one.name} head ${number}, ${off ? "off" : "on"}`}
                    onClick={() => {
                      go({ ...address.peek(), place: one.name, head: number });
                      toggle(one.name, number);
                    }}
                  >
                    {number}
                  </button>
                );
              })}
            </span>
          </div>
        ))}
      </div>
    </>
  );
}

export function HeadTools({ add }: { add: (record: Edit) => void }) {
  const factor = useSignal(0.5);
  const heat = useSignal(2);
  const name = place.value!.name;
  const heads = [head.value];
  return (
    <div class="row">
      <button
        type="button"
        class="plain"
        data-do="off"
        onClick={() => add({ do: "scale", place: name, heads, factor: 0 })}
      >
        Off
      </button>
      <label>
        Scale
        <input
          type="range"
          min={-1}
          max={3}
          step={0.1}
          value={factor.value}
          aria-label="Factor"
          onInput={(event) => (factor.value = Number(event.currentTarget.value))}
        />
        <output>× {factor.value}</output>
      </label>
      <button
        type="button"
        class="plain"
        data-do="scale"
        onClick={() => add({ do: "scale", place: name, heads, factor: factor.value })}
      >
        Scale it
      </button>
      <label>
        Temperature
        <input
          type="range"
          min={-2}
          max={2}
          step={0.1}
          value={Math.log2(heat.value)}
          aria-label="Temperature of the head"
          onInput={(event) => (heat.value = Number((2 ** Number(event.currentTarget.value)).toFixed(2)))}
        />
        <output>{heat.value}</output>
      </label>
      <button
        type="button"
        class="plain"
        data-do="temper"
        onClick={() => add({ do: "temper", place: name, heads, temperature: heat.value })}
      >
        Temper it
      </button>
    </div>
  );
}
