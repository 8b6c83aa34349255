/** One line of tokens, drawn only where it can be seen, so that any length will do. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { part, type Spot } from "../address";
import { css, readable, strength } from "../scene/colour";
import { measure } from "../scene/scene";
import { count, short, visible } from "../scene/signs";
import { sameSpot, type Token } from "../sides";
import { changes, focus, hover, pin, pins } from "../store";
import { canHide, isHidden } from "../views/edit/hiding";
import { theme } from "../theme";
import { revealAll, revealed } from "./reveal";
import { tints } from "./tints";
import { chosenWord } from "./word_menu";

const GAP = 6;
const JOINED = 1;
const words = part("words");

export interface PlacedToken {
  left: number;
  width: number;
  text: string;
  joined: boolean;
}

/** Where each token stands: pieces of one word touch, words stand apart. */
export function layout(tokens: Token[], size: number, limit = tokens.length < 12 ? 480 : 240): PlacedToken[] {
  let left = 0;
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    const joined = index > 0 && token.word !== null && token.word === before?.word;
    const space = token.text.startsWith(" ") && token.text.length > 1 && !joined ? token.text.slice(1) : token.text;
    const text = visible(space === "" ? token.text : space);
    const width = Math.min(limit, Math.max(14, measure(text, size) + 12));
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

export interface TokenLineProps {
  side: number;
  name: string;
  tokens: Token[];
  placed: PlacedToken[];
  /** How far it is scrolled. */
  from: Signal<number>;
  /** Tokens of words that an edit changed. */
  changed: Set<number>;
  size: number;
}

export function TokenLine({ side, name, tokens, placed, from, changed, size }: TokenLineProps) {
  const box = useRef<HTMLDivElement>(null);
  const room = useSignal(1600);
  const last = placed.at(-1);
  const total = last ? last.left + last.width : 0;
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
  const begin = Math.max(0, first(placed, from.value) - 4);
  const end = Math.min(placed.length, first(placed, from.value + room.value) + 5);
  const group = (index: number): Spot[] => {
    const word = tokens[index]?.word;
    if (!words.value || word == null) return [{ side, index }];
    return tokens.flatMap((token, at) => (token.word === word ? [{ side, index: at }] : []));
  };
  const tab = spoken?.side === side ? spoken.index : begin;
  const choose = (index: number, range: boolean, element: HTMLElement) => {
    revealAll();
    const isOpen = chosenWord.value?.side === side && chosenWord.value.index === index;
    const wasPinned = pins.value.some((each) => sameSpot(each, { side, index }));
    pin(group(index), range);
    const under = element.getBoundingClientRect();
    const frame = element.closest(".spine")!.getBoundingClientRect();
    const place = { left: under.left - frame.left, top: under.bottom - frame.top + 4 };
    chosenWord.value = range || isOpen || wasPinned ? null : { side, index, ...place };
  };
  const keys = (event: KeyboardEvent, index: number) => {
    if (event.key === "ArrowDown" && chosenWord.value) {
      event.preventDefault();
      return document.querySelector<HTMLElement>(".word-menu button")?.focus();
    }
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tokens.length - 1 }[event.key];
    if (to === undefined || to < 0 || to >= tokens.length) return;
    event.preventDefault();
    hover.value = { side, index: to };
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-token="${to}"]`)?.focus());
  };
  const isHiding = changes.value.some((entry) => entry.on && entry.record.do === "hide");
  const hidden = (index: number) => isHiding && canHide(side) && isHidden(side, index);
  const tinted = tints.value?.side === side ? tints.value.weights : null;
  const until = revealed.value;
  const now = theme.value;
  return (
    <div class="line" data-line={side}>
      <span class="side">{name}</span>
      <div class="run" ref={box} onScroll={() => (from.value = box.current?.scrollLeft ?? 0)}>
        <div
          class="track"
          role="listbox"
          aria-multiselectable="true"
          aria-label={`tokens: ${name}`}
          style={{ width: `${total}px`, fontSize: `${size}px` }}
        >
          {placed.slice(begin, end).map((entry, step) => {
            const index = begin + step;
            const token = tokens[index]!;
            const spot = { side, index };
            const lit = spoken !== null && group(index).some((each) => sameSpot(each, spoken));
            const held = pins.value.some((each) => sameSpot(each, spot));
            const weight = tinted?.get(index) ?? 0;
            const tint = weight > 0.02 && !held ? strength(now, Math.min(1, weight)) : null;
            const kinds = [
              "token",
              token.special && "special",
              token.written && "written",
              entry.joined && "joined",
              words.value && "whole",
              lit && "lit",
              held && "held",
              changed.has(index) && "changed",
              hidden(index) && "hidden-from-all",
              token.written && index > until && "unwritten",
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
                data-weight={tint ? short(weight) : undefined}
                tabIndex={index === tab || (tab < begin && index === begin) ? 0 : -1}
                title={token.score === null ? `${index}` : `${index} · log-probability ${short(token.score)}`}
                style={{
                  left: `${entry.left}px`,
                  width: `${entry.width}px`,
                  ...(tint ? { backgroundColor: css(tint), color: readable(tint) } : {}),
                }}
                onPointerEnter={() => (hover.value = spot)}
                onPointerLeave={() => (hover.value = null)}
                onFocus={() => (hover.value = spot)}
                onBlur={() => (hover.value = null)}
                onClick={(event) => choose(index, event.shiftKey, event.currentTarget)}
                onKeyDown={(event) => keys(event, index)}
              >
                {entry.text}
              </button>
            );
          })}
        </div>
      </div>
      {tokens.length > 60 && <span class="side count">{count(tokens.length)} tokens</span>}
    </div>
  );
}
