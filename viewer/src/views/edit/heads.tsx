/** Switches for all heads, and the tools for the chosen one. */
import { useSignal } from "@preact/signals";
import { address, go, type ListedEdit, type Edit } from "../../address";
import { change, changes, head, layer, run } from "../../store";
import { fits } from "./records";

const isOff = ({ record, on }: ListedEdit, name: string, number: number): boolean =>
  on &&
  record.do === "scale" &&
  record["factor"] === 0 &&
  fits(String(record["layer"]), name) &&
  (record["heads"] as number[]).includes(number);

/** Off: an edit more. On again: the edit that switched it off goes. */
function toggle(name: string, number: number): void {
  const all = changes.value;
  const position = all.findIndex((entry) => isOff(entry, name, number));
  const off: Edit = { do: "scale", layer: name, heads: [number], factor: 0 };
  if (position < 0) return change([...all, { record: off, on: true }]);
  const record = all[position]!.record;
  const rest = (record["heads"] as number[]).filter((entry) => entry !== number);
  const remaining = rest.length ? [{ record: { ...record, heads: rest }, on: true }] : [];
  change([...all.slice(0, position), ...remaining, ...all.slice(position + 1)]);
}

export function Switchboard() {
  const layers = run.value!.layers;
  return (
    <>
      <div class="row">
        <h2>Heads</h2>
        <span class="faint small">click one to switch it off, again to switch it on</span>
      </div>
      <div class="board">
        {layers.map((entry) => (
          <div key={entry.name} class="board-row">
            <span class="mono small">{entry.name}</span>
            <span class="row tiny">
              {Array.from({ length: entry.heads }, (_, number) => {
                const off = changes.value.some((each) => isOff(each, entry.name, number));
                const here = layer.value?.name === entry.name && head.value === number;
                return (
                  <button
                    key={number}
                    type="button"
                    class={here ? "switch here" : "switch"}
                    aria-pressed={!off}
                    data-switch={`${entry.name}/${number}`}
                    aria-label={`${entry.name} head ${number}, ${off ? "off" : "on"}`}
                    onClick={() => {
                      go({ ...address.peek(), layer: entry.name, head: number });
                      toggle(entry.name, number);
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
  const name = layer.value!.name;
  const heads = [head.value];
  return (
    <div class="row">
      <button
        type="button"
        class="plain"
        data-do="off"
        onClick={() => add({ do: "scale", layer: name, heads, factor: 0 })}
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
        onClick={() => add({ do: "scale", layer: name, heads, factor: factor.value })}
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
        data-do="temperature"
        onClick={() => add({ do: "temperature", layer: name, heads, temperature: heat.value })}
      >
        Temper it
      </button>
    </div>
  );
}
