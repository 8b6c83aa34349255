/** Which layer and which head: the same in every view. */
import { go } from "../address";
import { head, layer, run } from "../store";
import { Choice } from "./choice";

export function step(layers: number, heads: number): void {
  const allLayers = run.value?.layers ?? [];
  const at = allLayers.findIndex((entry) => entry.name === layer.value?.name);
  if (at < 0) return;
  const next = allLayers[Math.min(allLayers.length - 1, Math.max(0, at + layers))]!;
  const count = next.heads;
  go({ layer: next.name, head: (Math.min(head.value, count - 1) + heads + count) % count });
}

export function Chooser({ heads = true }: { heads?: boolean }) {
  const here = layer.value;
  if (!run.value || !here) return null;
  return (
    <>
      <label>
        Layer
        <select
          value={here.name}
          aria-label="Layer"
          onChange={(event) => go({ layer: event.currentTarget.value, head: 0 })}
        >
          {run.value.layers.map((entry) => (
            <option key={entry.name} value={entry.name}>
              {entry.name}
            </option>
          ))}
        </select>
      </label>
      {heads &&
        here.heads > 1 &&
        (here.heads <= 8 ? (
          <Choice
            label="Head"
            value={String(head.value)}
            choose={(value) => go({ head: Number(value), layer: here.name })}
            options={Array.from({ length: here.heads }, (_, index) => [String(index), `head ${index}`] as const)}
          />
        ) : (
          <label>
            Head
            <select
              value={head.value}
              aria-label="Head"
              onChange={(event) => go({ head: Number(event.currentTarget.value), layer: here.name })}
            >
              {Array.from({ length: here.heads }, (_, index) => (
                <option key={index} value={index}>
                  {index}
                </option>
              ))}
            </select>
          </label>
        ))}
    </>
  );
}
