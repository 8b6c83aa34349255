/** The tokens, always at the top: what was read, what is being written, and what was written before an edit. */
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { address, go } from "../address";
import type { TextChange } from "../payload";
import { legible, short, visible } from "../scene/signs";
import { line } from "../sides";
import { change, changes, forced, isFrozen, otherRun, redo, run, undo, underway, canUndo, canRedo } from "../store";
import { label } from "../views/edit/records";
import { changedTokens, textChanges } from "./changed";
import { Ribbons } from "./ribbons";
import { scoreName } from "./score_name";
import { layout, TokenLine, type PlacedToken } from "./token_line";
import { useWidth } from "./width";
import { WordMenu } from "./word_menu";

const LARGE = [22, 19.5, 17]; // pixels a letter: the first with which both lines fit into the window
const SMALL = 14;
const FEW = 40; // tokens: such a text is written larger, with ribbons
const BESIDE = 68; // pixels of the name of a line
const WIDE = 1000; // pixels of a window in which lines have room for the largest letters

/** Which sentence of the text is read, where the model reads one at a time. */
function Sentences({ all, chosen }: { all: string[]; chosen: number }) {
  if (all.length < 2) return null;
  return (
    <label class="line sentences">
      <span class="side">sentence</span>
      <select
        aria-label="Sentence"
        value={chosen}
        onChange={(event) =>
          go({ pins: [], more: { ...address.peek().more, sentence: event.currentTarget.value, force: "" } })
        }
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

interface BeforeText {
  says: string;
  changes: TextChange[];
  drop: () => void;
}

/** What was written before: without the edits, or when the text said something else. */
function beforeText(): BeforeText | null {
  const [shown, other] = [run.value, otherRun.value];
  const effect = shown?.edit_effect;
  if (effect && effect.text_changes.length) {
    const what = changes.value.filter((entry) => entry.on).map((entry) => label(entry.record, shown, true));
    const names = [...new Set(what), ...(forced.value.length ? ["a word was forced"] : [])];
    const drop = () => {
      change([]);
      go({ more: { ...address.peek().more, force: "" } });
    };
    return { says: `before: ${names.join(", ")}`, changes: effect.text_changes, drop };
  }
  if (shown && other && address.value.more["against"] === other.text) {
    return {
      says: `before: “${legible(other.text)}”`,
      changes: textChanges(other.answer.text, shown.answer.text),
      drop: () => go({ text: other.text, more: { ...address.peek().more, against: "" } }),
    };
  }
  return null;
}

function Before({ before }: { before: BeforeText }) {
  const isSame = before.changes.every((entry) => entry.kind === "same");
  return (
    <div class="line before" data-before>
      <span class="side">before</span>
      <span class="old">
        {before.changes.map((entry, index) =>
          entry.kind === "same" ? (
            <span key={index}>{legible(entry.before.join(" "))} </span>
          ) : (
            entry.before.length > 0 && (
              <span key={index}>
                <mark>{legible(entry.before.join(" "))}</mark>{" "}
              </span>
            )
          ),
        )}
      </span>
      <button type="button" class="edit-chip" title="Back to how it was" onClick={before.drop}>
        {before.says}
        {isSame && ": the words stayed the same"} ✕
      </button>
      <button type="button" class="quiet" disabled={!canUndo.value} onClick={undo}>
        Undo
      </button>
      {canRedo.value && (
        <button type="button" class="quiet" onClick={redo}>
          Redo
        </button>
      )}
    </div>
  );
}

/** How likely the model finds its answer: of a text the sum over its tokens, of a label or a word its probability. */
function Score({ score, task }: { score: number; task: string }) {
  const name = scoreName(task);
  if (name === "probability") return <span class="faint">probability {short(score)}</span>;
  return (
    <span
      class="faint"
      title="The log-probability of all that was written: the sum over its tokens, 0 would be certain"
    >
      {name} {short(score)} <span class="of">(certain would be 0)</span>
    </span>
  );
}

const scrolled = [signal(0), signal(0)] as const;

const end = (placed: PlacedToken[]): number => (placed.at(-1)?.left ?? 0) + (placed.at(-1)?.width ?? 0);

export function Spine() {
  const shown = run.value;
  const before = beforeText();
  const [box, width] = useWidth(innerWidth);
  const lines = useMemo(() => {
    const sides = shown?.sides.map((side) => ({ name: side.name, tokens: line(side) })) ?? [];
    const isFew = sides.every(({ tokens }) => tokens.length <= FEW);
    const fits = (size: number) => sides.every(({ tokens }) => end(layout(tokens, size)) <= width - BESIDE);
    const size = isFew ? (LARGE.find(fits) ?? LARGE.at(-1)!) : SMALL;
    scrolled[0].value = scrolled[1].value = 0;
    return sides.map((entry) => ({ ...entry, size, placed: layout(entry.tokens, size) }));
  }, [shown, width]);
  const isRoomy = width >= WIDE && lines.every(({ size }) => size > SMALL);
  const changed = useMemo(() => {
    const last = lines.at(-1);
    return before && last ? changedTokens(last.tokens, before.changes) : new Set<number>();
  }, [lines, before?.says, shown, otherRun.value]);
  if (!shown && !underway.value) return <div class="spine none" />;
  const score = shown?.answer.score;
  const busy = underway.value !== null;
  const isAligned = shown?.alignment != null && lines.length === 2;
  const off = changes.value.filter((entry) => !entry.on);
  return (
    <section
      class={`spine${busy ? " busy" : ""}${isRoomy ? " roomy" : ""}`}
      ref={box}
      aria-label="The text, token by token"
    >
      {shown && <Sentences all={shown.sentences} chosen={shown.sentence} />}
      {lines.map((entry, side) => (
        <>
          {side === 1 && isAligned && (
            <Ribbons lines={lines.map((each, index) => ({ ...each, from: scrolled[index as 0 | 1] }))} />
          )}
          <TokenLine
            key={`${shown?.id}${side}`}
            side={side}
            {...entry}
            from={scrolled[side as 0 | 1]}
            changed={side === lines.length - 1 ? changed : NONE}
          />
        </>
      ))}
      {before && <Before before={before} />}
      {busy && <Writing />}
      <div class="row notes">
        {shown && score != null && score !== 0 && <Score score={score} task={shown.task} />}
        {!before &&
          changes.value.map(
            (entry, index) =>
              entry.on && (
                <button
                  key={index}
                  type="button"
                  class="edit-chip"
                  title="Take this edit back"
                  onClick={() => change(changes.value.filter((_, at) => at !== index))}
                >
                  edited: {label(entry.record, shown)} ✕
                </button>
              ),
          )}
        {off.map((entry, index) => (
          <button
            key={index}
            type="button"
            class="edit-chip off"
            title="Take this edit back"
            onClick={() => change(changes.value.filter((each) => each !== entry))}
          >
            off: {label(entry.record, shown)} ✕
          </button>
        ))}
        {!isFrozen.value && shown && !before && !busy && (
          <span class="faint hint">Click a word: look from it, hide it, replace it.</span>
        )}
      </div>
      <WordMenu />
    </section>
  );
}

const NONE = new Set<number>();
