import { useState } from "preact/hooks";
import { short } from "../../../scene/signs";
import { fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { Equation, words } from "../mathml";
import { Matrices } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const storyInput = lesson.inputs["story"];
  const [story, tell] = useState(Array.isArray(storyInput) ? storyInput.join("\n") : String(storyInput));
  const [question, ask] = useState(String(lesson.inputs["question"]));
  const send = () =>
    give({ story: Array.isArray(storyInput) ? story.split("\n").filter((line) => line.trim()) : story, question });
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

export const memory: LessonPage = {
  topic: "memory",
  title: "Hops through a story",
  text:
    "A memory network keeps every sentence as a key and a value. The question looks for the sentence that helps, adds what it found, and looks again. " +
    "Each look is a hop: the first finds who holds the thing, the next where that person went. Change the story and ask.",
  Body,
  equation(lesson) {
    const hops = lesson.facts.filter((entry) => entry.name.startsWith("hop "));
    const last = grid(lesson, "hops").columns.length;
    return (
      <Equation>
        {words(hops.length ? hops.map((hop) => `${hop.name}: ${hop.value}`).join("  →  ") : `${last} hops`)}
      </Equation>
    );
  },
  experiment: {
    ask: "Ask for the colour of somebody else.",
    isDone: (lesson) => !/greg/i.test(String(lesson.inputs["question"])),
    answer: "Every hop looks at the story anew, with what the hop before has found in its hands.",
  },
  elsewhere: { view: "text", says: "Ask a model for a story of your own" },
};
