/** What the colours mean, and the three ways to give them; each says what it does. */
import { useEffect, useRef } from "preact/hooks";
import { go, type WeightScale } from "../address";
import { DECADES } from "../scene/shade";
import { css, difference, strength } from "../scene/colour";
import { plainNumber, short } from "../scene/signs";
import { scale } from "../store";
import { theme } from "../theme";
import { Choice } from "./choice";

function Ramp({ colour, label }: { colour: (share: number) => string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    for (let step = 0; step < 120; step++) {
      context.fillStyle = colour(step / 119);
      context.fillRect(step, 0, 1, 12);
    }
  });
  return <canvas ref={canvas} width={120} height={12} role="img" aria-label={label} />;
}

/** `top` is the weight that is drawn as full ink. */
export function Legend({ top }: { top: number }) {
  const now = theme.value;
  const most = top >= 0.995 ? "1" : short(top, top < 0.01 ? 4 : 2);
  const least = scale.value === "log" ? plainNumber(top / 10 ** DECADES) : "0";
  const says: Record<WeightScale, string> = {
    linear: "the stronger the colour, the larger the weight",
    log: `each quarter of the scale is ten times the weight`,
    sinkless: "the first token and special ones are hatched, the scale ends at the largest of the rest",
  };
  return (
    <div class="row legendary">
      <span class="legend">
        {least}
        <Ramp colour={(share) => css(strength(now, share))} label={`colours from ${least} to ${most}`} />
        {most}
      </span>
      <Choice<WeightScale>
        label="Scale of the colours"
        value={scale.value}
        choose={(value) => go({ scale: value })}
        options={[
          ["linear", "linear"],
          ["log", "log"],
          ["sinkless", "without the sink"],
        ]}
      />
      <span class="faint small" data-says="scale">
        {says[scale.value]}
      </span>
    </div>
  );
}

export function DifferenceLegend({ most }: { most: number }) {
  const now = theme.value;
  return (
    <span class="legend">
      {short(-most)}
      <Ramp
        colour={(share) => css(difference(now, 2 * share - 1))}
        label={`colours from ${short(-most)} to ${short(most)}`}
      />
      {short(most)}
    </span>
  );
}
