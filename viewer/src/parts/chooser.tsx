/** Which layer and which head: the same in every view. */
import { go } from "../address";
import { head, place, run } from "../store";
import { Choice } from "./choice";

export function step(layers: number, heads: number): void {
  const places = run.value?.places ?? [];
  const at = places.findIndex((one) => one.name === place.value?.name);
  if (at < 0) return;
  const next = places[Math.min(places.length - 1, Math.max(0, at + layers))]!;
  const count = next.heads;
  go({ place: next.name, head: (Math.min(head.value, count - 1) + heads + count) % count });
}

export function Chooser({ heads = true }: { heads?: boolean }) {
  const here = place.value;
  if (!run.value || !here) return null;
  return (
    <>
      <label>
        Layer
        <select
          value={here.name}
          aria-label="Layer"
          onChange={(event) => go({ place: event.currentTarget.value, head: 0 })}
        >
          {run.value.places.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
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
            choose={(value) => go({ head: Number(value), place: here.name })}
            options={Array.from({ length: here.heads }, (_, index) => [String(index), `head ${index}`] as const)}
          />
        ) : (
          <label>
            Head
            <select
              value={head.value}
              aria-label="Head"
              onChange={(event) => go({ head: Number(event.currentTarget.value), place: here.name })}
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
