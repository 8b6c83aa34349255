import { useState } from "preact/hooks";
import { short } from "../../../scene/signs";
import { fact, grid, type Page, type Taught } from "../lesson";
import { Matrices } from "../pieces";

function Body({ lesson, give }: Taught) {
  const told = lesson.given["story"];
  const [story, tell] = useState(Array.isArray(told) ? told.join("\n") : String(told));
  const [question, ask] = useState(String(lesson.given["question"]));
  const send = () =>
    give({ story: Array.isArray(told) ? story.split("\n").filter((line) => line.trim()) : story, question });
  return (
    <>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          class="story"
          rows={5}
          aria-label="Story"
          value={story}
          onInput={(event) => tell(event.currentTarget.value)}
        />
        <div class="row">
          <input
            type="text"
            class="wide"
            aria-label="Question"
            value={question}
            onInput={(event) => ask(event.currentTarget.value)}
          />
          <button type="submit" class="main">
            Ask
          </button>
        </div>
      </form>
      <p class="answer" data-answer>
        {String(fact(lesson, "answer"))}{" "}
        <span class="faint small">probability {short(Number(fact(lesson, "probability")))}</span>
      </p>
      <Matrices lesson={lesson} names={["hops"]} title="Which sentence each hop reads" />
    </>
  );
}

export const memory: Page = {
  topic: "memory",
  title: "Hops through a story",
  text:
    "A memory network keeps every sentence as a key and a value. The question looks for the sentence that helps, adds what it found, and looks again. " +
    "Each look is a hop: the first finds who holds the thing, the next where that person went. Change the story and ask.",
  Body,
  equation(lesson) {
    const hops = lesson.facts.filter((one) => one.name.startsWith("hop "));
    const last = grid(lesson, "hops").columns.length;
    return hops.length ? hops.map((hop) => `${hop.name}: ${hop.value}`).join("  →  ") : `${last} hops`;
  },
};
