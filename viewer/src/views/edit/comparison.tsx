/** Before and after, side by side: the words that changed, what competed, and what the old text lost. */
import { useMemo } from "preact/hooks";
import { Chances } from "../../parts/chances";
import { scoreName } from "../../parts/score_name";
import { count, legible, short, plainly, visible } from "../../scene/signs";
import { base, underway, run } from "../../store";
import type { EditEffect, ProbabilityShift } from "../../payload";

function AnswerText({ effect: effect, which }: { effect: EditEffect; which: "before" | "after" }) {
  const score = which === "before" ? effect.score_before : effect.score_after;
  return (
    <section class="card" aria-label={which}>
      <div class="row">
        <h2>{which === "before" ? "Before" : "After"}</h2>
        {score !== null && (
          <span class="faint small">
            {scoreName(run.value?.task ?? "")} {short(score)}
          </span>
        )}
      </div>
      <p class="prose plain-prose" data-side={which}>
        {effect.text_changes.map((part, index) => {
          const words = part[which];
          if (!words.length) return null;
          const text = legible(words.join(" "));
          return part.kind === "same" ? (
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
const totalShift = (options: ProbabilityShift[]): number =>
  options.reduce((sum, option) => sum + Math.abs(option.after - option.before), 0);

function Shifts({ title, options, first }: { title: string; options: ProbabilityShift[]; first?: boolean }) {
  const most = [...options]
    .sort((option, other) => Math.max(other.before, other.after) - Math.max(option.before, option.after))
    .slice(0, 7);
  const bars = most.map((option) => ({
    name: visible(option.text),
    value: option.after,
    before: option.before,
    strong: option.after > option.before + 0.005 ? true : undefined,
  }));
  const rows = useMemo(() => options.map((option) => [visible(option.text), option.before, option.after]), [options]);
  const tail = "# the probabilities before: the same without regard.edit";
  return (
    <Chances title={title} bars={bars} columns={["text", "before", "after"]} rows={rows} tail={tail} first={first} />
  );
}

export function EditComparison() {
  const shown = run.value!;
  const effect = shown.edit_effect;
  if (!effect) {
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
  const same = effect.before === effect.after;
  const competing = [...effect.competing_tokens]
    .sort((option, other) => totalShift(other.options) - totalShift(option.options))
    .slice(0, 4);
  const lost = effect.log_probability_drop;
  return (
    <div class={underway.value ? "stack fading" : "stack"} data-compared>
      {effect.text_changes.length > 0 && (
        <div class="two">
          <AnswerText effect={effect} which="before" />
          <AnswerText effect={effect} which="after" />
        </div>
      )}
      <p data-lost>
        {same && effect.text_changes.length > 0 ? "The words stayed the same. " : ""}
        {lost !== null &&
          (lost >= 0
            ? `With the edits, the text before would be ${lost < 3 ? short(Math.exp(lost), 1) : count(Math.round(Math.exp(Math.min(lost, 30))))} times less likely: its log-probability fell by ${short(lost)}.`
            : `With the edits, the text before would be likelier: its log-probability rose by ${short(-lost)}.`)}
        {effect.similarity !== null && `The vectors' cosine is ${short(effect.similarity, 3)}.`}
      </p>
      <div class="two">
        {effect.options.length > 0 && <Shifts title="Before and after" options={effect.options} first />}
        {competing.map((tokens, index) => (
          <Shifts
            key={tokens.row}
            title={`Instead of “${plainly(tokens.text)}”`}
            options={tokens.options}
            first={index === 0 && effect.options.length === 0}
          />
        ))}
      </div>
    </div>
  );
}
