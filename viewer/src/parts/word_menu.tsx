/** What can be done with a word where it stands: look from it, hide it, replace it, have another written. */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { address, go, type Spot } from "../address";
import { visible, short } from "../scene/signs";
import { line } from "../sides";
import { isFrozen, layer, run } from "../store";
import { canHide, isHidden, toggleHidden } from "../views/edit/hiding";

interface ChosenWord extends Spot {
  left: number;
  top: number;
}

/** The word whose menu is open, and where it hangs. */
export const chosenWord = signal<ChosenWord | null>(null);

const WIDTH = 270; // pixels

/** The pieces of the word that a token belongs to. */
function piecesOf(spot: Spot): number[] {
  const tokens = line(run.value!.sides[spot.side]!);
  const word = tokens[spot.index]?.word;
  if (word == null) return [spot.index];
  return tokens.flatMap((token, index) => (token.word === word ? [index] : []));
}

function lookFrom(spot: Spot): void {
  const shown = run.value!;
  const name = shown.sides[spot.side]!.name;
  const looks = layer.value?.rows === name ? layer.value : shown.layers.findLast((entry) => entry.rows === name);
  go({ view: "links", pins: [spot], ...(looks ? { layer: looks.name } : {}) });
}

/** The text with another word in it, compared with the one before. */
function replaceWord(spot: Spot, word: string): void {
  const side = run.value!.sides[spot.side]!;
  const pieces = new Set(piecesOf(spot));
  const written = (of: (text: string, index: number) => string) =>
    side.texts.map((text, index) => (side.special[index] ? "" : of(text, index))).join("");
  const whole = written((text) => text);
  const first = Math.min(...pieces);
  const gap = /^\s*/.exec(side.texts[first] ?? "")?.[0] ?? "";
  const next = written((text, index) => (index === first ? gap + word : pieces.has(index) ? "" : text));
  const now = address.peek();
  const isPart = now.text.includes(whole.trim());
  const text = isPart ? now.text.replace(whole.trim(), () => next.trim()) : next.trim();
  const { force: _, ...more } = now.more;
  go({ text, pins: [], changes: [], more: { ...more, against: now.text } });
}

/** The translation as it is up to here, then another token. */
function force(spot: Spot, id: number): void {
  const side = run.value!.sides[spot.side]!;
  const ids = [...side.ids.slice(1, spot.index), id];
  go({ pins: [], more: { ...address.peek().more, force: ids.join(",") } });
}

export function WordMenu() {
  const chosen = chosenWord.value;
  // a menu of its own for each word: what was asked of one is not asked of the next
  return chosen && <OpenMenu key={`${chosen.side} ${chosen.index}`} chosen={chosen} />;
}

function OpenMenu({ chosen }: { chosen: ChosenWord }) {
  const shown = run.value;
  const box = useRef<HTMLDivElement>(null);
  const draft = useSignal("");
  const asks = useSignal(false);
  useEffect(() => {
    const away = (event: Event) => {
      const target = event.target as Element;
      if (!box.current?.contains(target) && !target.closest?.(".token")) chosenWord.value = null;
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      chosenWord.value = null;
      document.querySelector<HTMLElement>(`[data-line="${chosen.side}"] [data-token="${chosen.index}"]`)?.focus();
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", escape, true);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", escape, true);
    };
  }, []);
  const side = shown?.sides[chosen.side];
  if (!shown || !side) return null;
  const tokens = line(side);
  const token = tokens[chosen.index];
  if (!token) return null;
  const pieces = piecesOf(chosen);
  const word = visible(
    pieces
      .map((index) => tokens[index]?.text ?? "")
      .join("")
      .trim() || token.text,
  );
  const act = (action: () => void) => () => {
    chosenWord.value = null;
    action();
  };
  const canReplace = !isFrozen.value && !token.special && !token.written && chosen.index < side.texts.length;
  const hidden = pieces.every((index) => isHidden(chosen.side, index));
  const isTarget = shown.task === "translate" && shown.sides.length > 1 && chosen.side === 1 && token.written;
  const others = isTarget
    ? (shown.candidates.find((entry) => entry.row === chosen.index - 1)?.options ?? []).filter(
        ({ id, text }) => id !== null && text !== token.text && !/^\s*(<.*>|\[.*\])$/.test(text),
      )
    : [];
  const room = document.querySelector(".spine")?.clientWidth ?? innerWidth;
  const left = Math.max(8, Math.min(chosen.left, room - WIDTH - 8));
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...box.current!.querySelectorAll<HTMLElement>("button, input")];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      class="word-menu"
      role="group"
      aria-label={`What to do with “${word}”`}
      ref={box}
      style={{ left: `${left}px`, top: `${chosen.top}px`, width: `${WIDTH}px` }}
      onKeyDown={move}
    >
      <button type="button" data-act="look" onClick={act(() => lookFrom(chosen))}>
        Look from “{word}”
      </button>
      {!isFrozen.value && canHide(chosen.side) && chosen.index < side.texts.length && (
        <button
          type="button"
          data-act="hide"
          onClick={act(() => {
            go({ pins: [] }); // all ribbons are seen again
            toggleHidden(
              chosen.side,
              pieces.filter((index) => index < side.texts.length),
            );
          })}
        >
          {hidden ? "Show it again" : "Hide it: what if the model did not see it?"}
        </button>
      )}
      {canReplace && !asks.value && (
        <button type="button" data-act="replace" onClick={() => (asks.value = true)}>
          Replace it: what if it said …?
        </button>
      )}
      {canReplace && asks.value && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (draft.value.trim()) act(() => replaceWord(chosen, draft.value.trim()))();
          }}
        >
          <input
            type="text"
            aria-label={`Instead of “${word}”`}
            placeholder={`instead of ${word}`}
            ref={(input) => input?.focus()}
            value={draft.value}
            onInput={(event) => (draft.value = event.currentTarget.value)}
          />
          <button type="submit" class="plain">
            Replace
          </button>
        </form>
      )}
      {others.length > 0 && <span class="faint small">Have it write instead:</span>}
      {others.map((option) => (
        <button
          key={option.id}
          type="button"
          class="option"
          data-act="force"
          onClick={act(() => force(chosen, option.id!))}
        >
          <b class="mono">{visible(option.text)}</b> <span class="faint">{short(option.probability, 3)}</span>
        </button>
      ))}
    </div>
  );
}
