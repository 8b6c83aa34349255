/** The answer is written before one's eyes: word by word when it is new, at once where motion is not wanted. */
import { effect, signal } from "@preact/signals";
import { run } from "../store";
import { duration } from "../theme";

/** How many of the written tokens are shown by now. */
export const revealed = signal(Number.POSITIVE_INFINITY);

const LONGEST = 120; // tokens that are written one by one
const WHOLE = 1600; // milliseconds for all of them, if they are many
const EACH = 130; // milliseconds a token, if they are few

let timer = 0;
let last = "";

export function revealAll(): void {
  clearInterval(timer);
  revealed.value = Number.POSITIVE_INFINITY;
}

/** Begin again with every run whose answer is another. */
export function watchRuns(): void {
  effect(() => {
    const shown = run.value;
    const writing = shown?.sides.at(-1);
    const count = writing ? writing.next.filter((next) => next !== null).length : 0;
    const key = shown ? `${shown.model} ${shown.text} ${shown.answer.text}` : "";
    if (key === last) return;
    last = key;
    revealAll();
    const wait = duration(Math.max(40, Math.min(EACH, WHOLE / Math.max(1, count))));
    if (!count || count > LONGEST || !wait || document.hidden) return;
    revealed.value = 0;
    timer = window.setInterval(() => {
      revealed.value++;
      if (revealed.value > count) revealAll();
    }, wait);
  });
}
