/** The model as a strip: every head a dot, from the embedding to the words. The one place where a head is chosen. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { go, moreText, setMore } from "../address";
import { api } from "../api";
import type { LayerInfo, RunPayload } from "../payload";
import { css, strength } from "../scene/colour";
import { short } from "../scene/signs";
import { changes, head, hover, isFrozen, layer, pointerText, run, underway } from "../store";
import { theme } from "../theme";
import { CompareChoice } from "./compare";
import { layerParts, layerWords } from "./names";
import { useQuery } from "./query";
import { roleOf, ROLES } from "./roles";

type Colouring = "role" | "importance" | "change";

/** Importance or change of every head, from 0 to 1, where the server can tell. */
function useMeasure(shown: RunPayload, colouring: Colouring) {
  const view = colouring === "importance" ? "importance" : "diff";
  const other = shown.edit_effect?.base ?? "";
  const isAsked = colouring === "importance" || (colouring === "change" && other !== "");
  const { answer, problem } = useQuery(
    isAsked && !underway.value
      ? (signal) => api.inside(shown.id, view, view === "diff" ? { other } : {}, signal)
      : null,
    [shown.id, colouring, underway.value === null],
  );
  const table = useMemo(() => {
    const values = new Map<string, number>();
    for (const grid of answer?.grids ?? [])
      grid.rows.forEach((row, at) =>
        grid.numbers[at]?.forEach((value, number) => values.set(`${row}/${number}`, value ?? 0)),
      );
    const most = Math.max(1e-9, ...values.values());
    return { values, most };
  }, [answer]);
  return { ...table, problem };
}

function Dots({ shown, entry, colouring, measured }: DotsProps) {
  const chosen = layer.value?.name === entry.name ? head.value : -1;
  return (
    <span class="dots-of" role="presentation">
      {Array.from({ length: entry.heads }, (_, number) => {
        const role = roleOf(entry.name, number);
        const off = changes.value.some(
          ({ record, on }) =>
            on &&
            record.do === "scale" &&
            record["factor"] === 0 &&
            record["layer"] === entry.name &&
            (record["heads"] as number[]).includes(number),
        );
        const value = measured.values.get(`${entry.name}/${number}`) ?? 0;
        const colour =
          colouring === "role"
            ? role
              ? ROLES[role.kind]?.colour
              : undefined
            : css(strength(theme.value, 0.08 + (0.92 * value) / measured.most));
        const says = role ? `${ROLES[role.kind]?.name ?? role.kind} ${short(role.score)}` : "no clear role";
        const amount = colouring === "role" ? says : `${colouring} ${short(value, 3)}`;
        const words = `${layerWords(entry.name, shown.layers)}, head ${number}: ${amount}`;
        return (
          <button
            key={number}
            type="button"
            class={`head-dot${off ? " off" : ""}${number === chosen ? " here" : ""}`}
            style={{ backgroundColor: colour ?? "transparent" }}
            aria-label={words}
            aria-pressed={number === chosen}
            tabIndex={number === chosen ? 0 : -1}
            data-dot={`${entry.name}/${number}`}
            onPointerEnter={() => {
              hover.value = null;
              pointerText.value = `${words} · ${entry.name}`;
            }}
            onPointerLeave={() => (pointerText.value = null)}
            onClick={(event) =>
              event.shiftKey
                ? setMore({ compare: `head:${entry.name}:${number}` })
                : go({ layer: entry.name, head: number })
            }
          />
        );
      })}
    </span>
  );
}

interface DotsProps {
  shown: RunPayload;
  entry: LayerInfo;
  colouring: Colouring;
  measured: { values: Map<string, number>; most: number };
}

/** From one head to the next by the arrow keys: across the heads of a layer, up and down the layers. */
function moveBy(shown: RunPayload, event: KeyboardEvent): void {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const at = shown.layers.findIndex((entry) => entry.name === layer.value?.name);
  if (!step || at < 0) return;
  event.preventDefault();
  let [row, number] = [at + step[0]!, head.value + step[1]!];
  if (number < 0) [row, number] = [row - 1, Number.POSITIVE_INFINITY];
  else if (number >= shown.layers[at]!.heads && step[1]) [row, number] = [row + 1, 0];
  const next = shown.layers[row];
  if (!next) return;
  const chosen = Math.min(number, next.heads - 1);
  const strip = event.currentTarget as HTMLElement;
  go({ layer: next.name, head: chosen });
  requestAnimationFrame(() => strip.querySelector<HTMLElement>(`[data-dot="${next.name}/${chosen}"]`)?.focus());
}

export function Strip() {
  const shown = run.value;
  if (!shown || !shown.layers.length) return null;
  return <StripOf shown={shown} />;
}

function StripOf({ shown }: { shown: RunPayload }) {
  const wanted = moreText("dots");
  const colouring: Colouring =
    wanted === "importance" ? "importance" : wanted === "change" && shown.edit_effect ? "change" : "role";
  const measured = useMeasure(shown, colouring);
  const stacks = useMemo(() => {
    const groups: { stack: string; blocks: { block: number; layers: LayerInfo[] }[] }[] = [];
    for (const entry of shown.layers) {
      const { stack, block } = layerParts(entry.name);
      let group = groups.find((each) => each.stack === stack);
      if (!group) groups.push((group = { stack, blocks: [] }));
      const last = group.blocks.find((each) => each.block === block);
      if (last) last.layers.push(entry);
      else group.blocks.push({ block, layers: [entry] });
    }
    return groups;
  }, [shown]);
  const here = layer.value;
  const role = here && roleOf(here.name, head.value);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // on a phone the strip scrolls: the chosen head comes into sight
    const [box, dot] = [row.current, row.current?.querySelector<HTMLElement>(".here")];
    if (box && dot && box.scrollWidth > box.clientWidth)
      box.scrollLeft = dot.offsetLeft - box.offsetLeft - box.clientWidth / 2;
  }, [here?.name, head.value, shown]);
  return (
    <section class="strip" aria-label="The model, head by head">
      <div
        class="strip-row"
        ref={row}
        role="toolbar"
        aria-label="Heads; arrow keys choose"
        onKeyDown={(event) => moveBy(shown, event)}
      >
        <span class="stage">text</span>
        {stacks.map(({ stack, blocks }) => (
          <span key={stack} class="stack-of">
            <span class="stage" aria-hidden="true">
              ▸ {stack}
            </span>
            {blocks.map(({ block, layers }) => (
              <span key={block} class="block-of" title={`${stack}, block ${block + 1} of ${blocks.length}`}>
                {layers.map((entry) => (
                  <Dots key={entry.name} shown={shown} entry={entry} colouring={colouring} measured={measured} />
                ))}
              </span>
            ))}
          </span>
        ))}
        <span class="stage">▸ {shown.task === "classify" ? "label" : "words"}</span>
      </div>
      <div class="strip-about">
        {here && (
          <p class="strip-words" data-strip>
            {layerWords(here.name, shown.layers)}, head {head.value}
            {role && (
              <>
                : <b>{ROLES[role.kind]?.name ?? role.kind}</b> {short(role.score)}{" "}
                <span class="faint">({ROLES[role.kind]?.says})</span>
              </>
            )}
            <span class="mono faint exact">
              {here.name}:{head.value}
            </span>
            {measured.problem && colouring !== "role" && <span class="faint"> {measured.problem}</span>}
          </p>
        )}
        <CompareChoice />
        {!isFrozen.value && (
          <label class="colouring small faint">
            dots
            <select
              aria-label="What the dots show"
              value={colouring}
              onChange={(event) =>
                setMore({ dots: event.currentTarget.value === "role" ? "" : event.currentTarget.value })
              }
            >
              <option value="role">role</option>
              <option value="importance">importance</option>
              {shown.edit_effect && <option value="change">change by the edit</option>}
            </select>
          </label>
        )}
      </div>
    </section>
  );
}
