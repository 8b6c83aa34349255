/** Ribbons between the two lines: which source token each written one came from, or what the chosen head looks at. */
import type { Signal } from "@preact/signals";
import { short, visible } from "../scene/signs";
import { sameSpot, type Token } from "../sides";
import { focus, run } from "../store";
import { revealed } from "./reveal";
import { tints } from "./tints";
import type { PlacedToken } from "./token_line";

export const RIBBONS = 46; // pixels between the lines
const LEAST = 0.12; // of a weight that is drawn

interface Ribbon {
  from: number;
  to: number;
  weight: number;
  strong: boolean;
}

/** All of the alignment; while a token is spoken of, what the chosen head gives it stands out. */
function ribbonsOf(): Ribbon[] {
  const [shown, spot, tinted] = [run.value, focus.value, tints.value];
  const aligned = shown?.alignment;
  if (!aligned) return [];
  if (spot?.side === 1 && tinted?.side === 0) {
    const own = [...tinted.weights].filter(([, weight]) => weight > 0.04);
    return own.map(([from, weight]) => ({ from, to: spot.index, weight, strong: true }));
  }
  return aligned.weights.flatMap((weights, row) =>
    weights.flatMap((weight, from) => {
      if (weight < LEAST) return [];
      const strong = !spot || sameSpot(spot, { side: 0, index: from }) || sameSpot(spot, { side: 1, index: row + 1 });
      return [{ from, to: row + 1, weight, strong }];
    }),
  );
}

interface RibbonsProps {
  lines: { tokens: Token[]; placed: PlacedToken[]; from: Signal<number> }[];
}

export function Ribbons({ lines }: RibbonsProps) {
  const [above, below] = [lines[0]!, lines[1]!];
  const middle = (line: RibbonsProps["lines"][number], index: number): number | null => {
    const entry = line.placed[index];
    return entry ? entry.left + entry.width / 2 - line.from.value : null;
  };
  const until = revealed.value;
  return (
    <div class="ribbons" aria-hidden="true">
      <svg width="100%" height={RIBBONS}>
        {ribbonsOf().map(({ from, to, weight, strong }) => {
          const [x, end] = [middle(above, from), middle(below, to)];
          if (x === null || end === null || to > until) return null;
          const d = `M${x} 0C${x} ${RIBBONS * 0.6} ${end} ${RIBBONS * 0.4} ${end} ${RIBBONS}`;
          return (
            <path
              key={`${from} ${to}`}
              d={d}
              pathLength={1}
              class={strong ? "ribbon strong" : "ribbon"}
              stroke-width={1 + 6 * weight}
              opacity={strong ? 0.2 + 0.6 * weight : 0.08}
              data-ribbon={`${from},${to}`}
              data-weight={short(weight, 3)}
            >
              <title>
                {visible(below.tokens[to]?.text ?? "")} ← {visible(above.tokens[from]?.text ?? "")} {short(weight)}
              </title>
            </path>
          );
        })}
      </svg>
    </div>
  );
}
