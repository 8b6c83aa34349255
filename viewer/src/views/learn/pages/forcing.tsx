import { useState } from "preact/hooks";
import { fact, grid, type LessonPage, type LessonProps } from "../lesson";
import { Equation, over, value, words } from "../mathml";
import { Matrices } from "../pieces";

function Body({ lesson, give }: LessonProps) {
  const [source, setSource] = useState(String(lesson.inputs["source"]));
  const [target, setTarget] = useState(String(lesson.inputs["target"]));
  const rows = grid(lesson, "probability of the right word").rows;
  return (
    <>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          give({ source, target });
        }}
      >
        <input
          type="text"
          class="wide"
          aria-label="Source"
          value={source}
          onInput={(event) => setSource(event.currentTarget.value)}
        />
        <div class="row">
          <input
            type="text"
            class="wide"
            aria-label="Target, as a teacher gives it"
            value={target}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
          <button type="submit" class="main">
            Guess all
          </button>
        </div>
      </form>
      <Matrices
        lesson={lesson}
        names={["probability of the right word"]}
        title="What is read at each position, what it should guess, and how likely that was"
      />
      <ol>
        {rows.map((row, index) => (
          <li key={index}>
            {row.split(" → ")[0]}: <span class="faint">{String(fact(lesson, `guess ${index}`) ?? "")}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

export const forcing: LessonPage = {
  topic: "forcing",
  title: "Teacher forcing: every next word at once",
  text:
    "While a decoder learns, it reads the right words, shifted by one, whatever it would have said itself; the mask keeps each position from what follows. " +
    "So one pass asks as many questions as the text has words. Change a word of the target and see which guesses notice.",
  Body,
  equation: (lesson) => (
    <Equation>
      {words("loss = −")} {over(<mn>1</mn>, <mn>{String(fact(lesson, "guesses"))}</mn>)}{" "}
      {words("Σ log p(word | words before) =")} {value(Number(fact(lesson, "loss")))} {words(" nats")}
    </Equation>
  ),
  experiment: {
    ask: "Change the target so that the loss is larger than 3 nats a word.",
    isDone: (lesson) => Number(fact(lesson, "loss")) > 3,
    answer:
      "Only the guesses after your word noticed it: a position sees what is before it, and is asked for what comes next.",
  },
  elsewhere: { view: "text", says: "See what else might have been written" },
};
