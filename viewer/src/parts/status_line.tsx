/** The line at the bottom: in words, what the pointer is on. */
import { effect, signal } from "@preact/signals";
import { address } from "../address";
import { api } from "../api";
import { plainly, short } from "../scene/signs";
import { columnText, columnOf, rowOf, rowText } from "../sides";
import { focus, underway, head, hover, softmaxRow, pins, layer, pointerText, run, renewIfDropped } from "../store";
import { doing } from "./states";

interface StatusSentence {
  where: string;
  who: string;
  looks: string;
}

/** A screen that is touched: nothing can be pointed at. */
const hoverless = matchMedia("(hover: none)");

const sentence = signal<StatusSentence | null>(null);

/** What the token that is spoken of looks at, asked from the server; the newest question wins. */
export function listen(): void {
  let stop: AbortController | null = null;
  let timer = 0;
  effect(() => {
    const shown = run.value;
    const here = layer.value;
    const held = shown && here ? pins.value.findLast((pin) => rowOf(shown, here, pin) !== null) : undefined;
    const spot = hover.value ?? held ?? focus.value;
    const number = head.value;
    stop?.abort();
    clearTimeout(timer);
    if (!shown || !here || !spot) {
      sentence.value = softmaxRow.value = null;
      return;
    }
    const where = `${here.name} · head ${number}`;
    const row = rowOf(shown, here, spot);
    if (row === null) {
      const column = columnOf(shown, here, spot);
      sentence.value =
        column === null
          ? null
          : {
              where,
              who: `“${plainly(columnText(shown, here, column))}”`,
              looks: "is looked at; choose a token of the other line to see what it looks at",
            };
      return;
    }
    const controller = (stop = new AbortController());
    const ask = async () => {
      try {
        const answer = await api.row(shown.id, { layer: here.name, head: number, row, top: 4 }, controller.signal);
        softmaxRow.value = answer;
        const top = answer.top.map((key) => `${plainly(columnText(shown, here, key.column))} ${short(key.weight)}`);
        const looks = top.length ? `looks at: ${top.join(", ")}` : "may look at nothing";
        sentence.value = { where, who: `“${plainly(rowText(shown, here, row))}”`, looks };
      } catch (problem) {
        if (!controller.signal.aborted) renewIfDropped(problem);
      }
    };
    timer = window.setTimeout(() => void ask(), 40);
  });
}

export function StatusLine() {
  const now = doing();
  const status = sentence.value;
  let shown;
  if (pointerText.value) shown = pointerText.value;
  else if (status && address.value.view !== "learn")
    shown = (
      <>
        {status.where} · <b class="mono">{status.who}</b> {status.looks}
      </>
    );
  else if (now) shown = now.line;
  else if (address.value.view === "learn")
    shown = <span class="faint">Move or type something: the picture and the numbers follow.</span>;
  else if (run.value)
    shown = (
      <span class="faint">
        {hoverless.matches ? "Touch a token" : "Point at a token"} to read what it looks at;{" "}
        {hoverless.matches ? "touch it again to let go." : "click to keep it."}
      </span>
    );
  else shown = <span class="faint">Type a text and run it.</span>;
  return (
    <div class="said" role="status" aria-live="polite" data-busy={underway.value !== null}>
      {shown}
    </div>
  );
}
