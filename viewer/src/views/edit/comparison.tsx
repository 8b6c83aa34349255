/** Before and after, side by side: the words that changed, what competed, and what the old text lost. */
import { useMemo } from "preact/hooks";
import { Chances } from "../../parts/chances";
import { count, legible, short, visible } from "../../scene/signs";
import { base, going, run } from "../../store";
import type { Difference, Shift } from "../../payload";

function Side({ difference, which }: { difference: Difference; which: "before" | "after" }) {
  const score = which === "before" ? difference.score_before : difference.score_after;
  return (
    <section class="card" aria-label={which}>
      <div class="row">
        <h2>{which === "before" ? "Before" : "After"}</h2>
        {score !== null && <span class="faint small">score {short(score)}</span>}
      </div>
      <p class="prose plain-prose" data-side={which}>
        {difference.words.map((part, index) => {
          const words = part[which];
          if (!words.length) return null;
          const text = legible(words.join(" "));
          return part.do === "same" ? (
            <span key={index}>{text} </span>
          ) : (
            <mark key={index} class={which === "before" ? "down" : "up"}>
              {text}
            </mark>
          );
        })}
      </p>
    </section>
  );
}

/** How far a contest moved, to show those first that moved most. */
const moved = (options: Shift[]): number => options.reduce((sum, one) => sum + Math.abs(one.after - one.before), 0);

function Shifts({ title, options, first }: { title: string; options: Shift[]; first?: boolean }) {
  const most = [...options]
    .sort((one, other) => Math.max(other.before, other.after) - Math.max(one.before, one.after))
    .slice(0, 7);
  const bars = most.map((one) => ({
    name: visible(one.text),
    value: one.after,
    before: one.before,
    strong: one.after > one.before + 0.005 ? true : undefined,
  }));
  const rows = useMemo(() => options.map((one) => [visible(one.text), one.before, one.after]), [options]);
  const tail = "# the probabilities before: the same without regard.edit";
  return (
    <Chances title={title} bars={bars} columns={["text", "before", "after"]} rows={rows} tail={tail} first={first} />
  );
}

export function Compared() {
  const shown = run.value!;
  const difference = shown.difference;
  if (!difference) {
    const plain = base.value ?? shown;
    if (!plain.answer.text) return null;
    return (
      <section class="card" aria-label="answer">
        <h2>Answer</h2>
        <p class="prose plain-prose" data-side="before">
          {legible(plain.answer.text)}
        </p>
      </section>
    );
  }
  const same = difference.before === difference.after;
  const contests = [...difference.contests].sort((one, other) => moved(other.options) - moved(one.options)).slice(0, 4);
  const lost = difference.given_up;
  return (
    <div class={going.value ? "stack fading" : "stack"} data-compared>
      {difference.words.length > 0 && (
        <div class="two">
          <Side difference={difference} which="before" />
          <Side difference={difference} which="after" />
        </div>
      )}
      <p data-lost>
        {same && difference.words.length > 0 ? "The words stayed the same. " : ""}
        {lost !== null &&
          (lost >= 0
            ? `With the edits, the text before would be ${lost < 3 ? short(Math.exp(lost), 1) : count(Math.round(Math.exp(Math.min(lost, 30))))} times less likely: its log-probability fell by ${short(lost)}.`
            : `With the edits, the text before would be likelier: its log-probability rose by ${short(-lost)}.`)}
        {difference.similarity !== null && `The vectors' cosine is ${short(difference.similarity, 3)}.`}
      </p>
      <div class="two">
        {difference.options.length > 0 && <Shifts title="Before and after" options={difference.options} first />}
        {contests.map((contest, index) => (
          <Shifts
            key={contest.row}
            title={`In place of “${visible(contest.text)}”`}
            options={contest.options}
            first={index === 0 && difference.options.length === 0}
          />
        ))}
      </div>
    </div>
  );
}
