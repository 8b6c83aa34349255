/** The tokens, always at the top: one line a side, drawn only where it can be seen, so that any length will do. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { go, setMore, part, type Spot } from "../address";
import { measure } from "../scene/scene";
import { legible, short, visible } from "../scene/signs";
import { line, sameSpot, type Token } from "../sides";
import { changes, change, focus, underway, hover, pin, pins, run } from "../store";
import { label } from "../views/edit/records";

const SIZE = 14;
const GAP = 6;
const JOINED = 1;
const words = part("words");

interface PlacedToken {
  left: number;
  width: number;
  text: string;
  joined: boolean;
}

/** Where each token stands: pieces of one word touch, words stand apart. */
function layout(tokens: Token[], limit = 240): PlacedToken[] {
  let left = 0;
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    const joined = index > 0 && token.word !== null && token.word === before?.word;
    const space = token.text.startsWith(" ") && token.text.length > 1 && !joined ? token.text.slice(1) : token.text;
    const text = visible(space === "" ? token.text : space);
    const width = Math.min(limit, Math.max(14, measure(text, SIZE) + 12));
    left += index === 0 ? 0 : joined ? JOINED : GAP;
    const placed = { left, width, text, joined };
    left += width;
    return placed;
  });
}

function first(placed: PlacedToken[], x: number): number {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle]!.left + placed[middle]!.width < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

function Line({ side, name, tokens }: { side: number; name: string; tokens: Token[] }) {
  const placed = useMemo(() => layout(tokens), [tokens]);
  const box = useRef<HTMLDivElement>(null);
  const from = useSignal(0);
  const room = useSignal(1600);
  const last = placed.at(-1);
  const total = last ? last.left + last.width : 0;
  const seen = useComputed(() => [from.value, room.value]);
  useEffect(() => {
    const watch = new ResizeObserver(() => (room.value = box.current?.clientWidth ?? 1600));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const spoken = focus.value;
  useEffect(() => {
    // what another view speaks of comes into sight
    const entry = spoken?.side === side && !box.current?.matches(":hover") ? placed[spoken.index] : undefined;
    const sheet = box.current;
    if (!entry || !sheet) return;
    if (entry.left < sheet.scrollLeft || entry.left + entry.width > sheet.scrollLeft + sheet.clientWidth) {
      sheet.scrollLeft = Math.max(0, entry.left - sheet.clientWidth / 2);
    }
  }, [spoken, placed]);
  const [start, width] = seen.value as [number, number];
  const begin = Math.max(0, first(placed, start) - 4);
  const end = Math.min(placed.length, first(placed, start + width) + 5);
  const group = (index: number): Spot[] => {
    const word = tokens[index]?.word;
    if (!words.value || word == null) return [{ side, index }];
    return tokens.flatMap((token, at) => (token.word === word ? [{ side, index: at }] : []));
  };
  const tab = spoken?.side === side ? spoken.index : begin;
  const keys = (event: KeyboardEvent, index: number) => {
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (to === undefined || to < 0 || to >= tokens.length) return;
    event.preventDefault();
    hover.value = { side, index: to };
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-token="${to}"]`)?.focus());
  };
  return (
    <div class="line">
      <span class="side">{name}</span>
      <div class="run" ref={box} onScroll={() => (from.value = box.current?.scrollLeft ?? 0)}>
        <div
          class="track"
          role="listbox"
          aria-multiselectable="true"
          aria-label={`tokens: ${name}`}
          style={{ width: `${total}px` }}
        >
          {placed.slice(begin, end).map((entry, step) => {
            const index = begin + step;
            const token = tokens[index]!;
            const spot = { side, index };
            const lit = spoken !== null && group(index).some((each) => sameSpot(each, spoken));
            const held = pins.value.some((each) => sameSpot(each, spot));
            const kinds = [
              "token",
              token.special && "special",
              token.written && "written",
              entry.joined && "joined",
              words.value && "whole",
              lit && "lit",
              held && "held",
            ]
              .filter(Boolean)
              .join(" ");
            return (
              <button
                key={index}
                type="button"
                role="option"
                class={kinds}
                aria-selected={held}
                data-token={index}
                tabIndex={index === tab || (tab < begin && index === begin) ? 0 : -1}
                title={token.score === null ? `${index}` : `${index} · log-probability ${short(token.score)}`}
                style={{ left: `${entry.left}px`, width: `${entry.width}px` }}
                onPointerEnter={() => (hover.value = spot)}
                onPointerLeave={() => (hover.value = null)}
                onFocus={() => (hover.value = spot)}
                onBlur={() => (hover.value = null)}
                onClick={(event) => pin(group(index), event.shiftKey)}
                onKeyDown={(event) => keys(event, index)}
              >
                {entry.text}
              </button>
            );
          })}
        </div>
      </div>
      {tokens.length > 60 && <span class="side count">{tokens.length.toLocaleString("en-US")} tokens</span>}
    </div>
  );
}

/** Which sentence of the text is read, where the model reads one at a time. */
function Sentences({ all, chosen }: { all: string[]; chosen: number }) {
  if (all.length < 2) return null;
  return (
    <label class="line sentences">
      <span class="side">sentence</span>
      <select
        aria-label="Sentence"
        value={chosen}
        onChange={(event) => {
          go({ pins: [] });
          setMore({ sentence: event.currentTarget.value });
        }}
      >
        {all.map((text, index) => (
          <option key={index} value={index}>
            {index + 1} of {all.length}: {legible(text.slice(0, 90))}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Tokens while they are written, before there is a run. */
function Writing() {
  const tokens = underway.value?.status?.tokens ?? [];
  if (!tokens.length) return null;
  return (
    <div class="line" aria-live="polite">
      <span class="side">writing</span>
      <div class="run">
        <span class="mono">{tokens.slice(-60).map(visible).join(" ")}</span>
      </div>
    </div>
  );
}

export function Spine() {
  const shown = run.value;
  const lines = useMemo(() => shown?.sides.map((side) => ({ name: side.name, tokens: line(side) })) ?? [], [shown]);
  if (!shown && !underway.value) return <div class="spine none" />;
  const score = shown?.answer.score;
  const busy = underway.value !== null;
  return (
    <div class={busy ? "spine busy" : "spine"}>
      {shown && <Sentences all={shown.sentences} chosen={shown.sentence} />}
      {lines.map((entry, side) => (
        <Line key={`${shown?.id}${side}`} side={side} name={entry.name} tokens={entry.tokens} />
      ))}
      {busy && <Writing />}
      <div class="row notes">
        {score != null && <span class="faint">score {short(score)}</span>}
        {changes.value.map((entry, index) => (
          <button
            key={index}
            type="button"
            class={entry.on ? "edit-chip" : "edit-chip off"}
            title="Take this edit back"
            onClick={() => change(changes.value.filter((_, at) => at !== index))}
          >
            {entry.on ? "edited" : "off"}: {label(entry.record, shown)} ✕
          </button>
        ))}
      </div>
    </div>
  );
}
