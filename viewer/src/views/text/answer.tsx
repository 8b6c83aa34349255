/** What came out that is not running text: labels, words for gaps, an answer, and what competed with each word. */
import { useMemo } from "preact/hooks";
import { Chances } from "../../parts/chances";
import { plainly, visible } from "../../scene/signs";
import { focus, run } from "../../store";
import type { Option } from "../../payload";

function Options({ title, options, first, tail }: { title: string; options: Option[]; first?: boolean; tail: string }) {
  const best = Math.max(...options.map((option) => option.probability));
  const bars = options.slice(0, 20).map((option) => ({
    name: visible(option.text),
    value: option.probability,
    strong: option.probability === best,
  }));
  const rows = useMemo(() => options.map((option) => [visible(option.text), option.probability]), [options]);
  return <Chances title={title} bars={bars} columns={["text", "probability"]} rows={rows} tail={tail} first={first} />;
}

/** The likeliest words instead of the written token that is spoken of. */
function CandidateBars() {
  const shown = run.value!;
  const writing = shown.sides.at(-1)!;
  const number = shown.sides.length - 1;
  const spot = focus.value;
  const index = spot && spot.side === number && spot.index > 0 ? spot.index : writing.prefix_length;
  const candidates = shown.candidates.find((candidate) => candidate.row === index - 1) ?? shown.candidates[0];
  if (!candidates) return null;
  const text = writing.next[candidates.row] ?? "";
  return (
    <Options
      title={text ? `What competed for “${plainly(text)}”` : "What competed for the next part of the letter"}
      options={candidates.options}
      tail={`# after token ${candidates.row}: the five likeliest`}
      first={!shown.beam_tree}
    />
  );
}

export function AnswerCard() {
  const shown = run.value!;
  const { answer, task } = shown;
  if (task === "fill") {
    return (
      <div class="two">
        {answer.gaps.map((gap, index) => (
          <Options
            key={index}
            title={`Gap ${index + 1}`}
            options={gap}
            first={index === 0}
            tail={`print(answer.candidates[${index}])`}
          />
        ))}
      </div>
    );
  }
  if (task === "embed")
    return (
      <p class="faint">
        The text became a vector of {answer.vector.length} numbers; the views show what was looked at on the way.
      </p>
    );
  return (
    <>
      {task === "answer" && (
        <p class="answer" data-answer>
          {answer.text}
        </p>
      )}
      {answer.options.length > 0 && (
        <Options title={task === "answer" ? "Answers" : "Labels"} options={answer.options} first tail="print(answer)" />
      )}
      {shown.candidates.length > 0 && <CandidateBars />}
    </>
  );
}
