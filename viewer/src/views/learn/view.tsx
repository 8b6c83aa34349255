/** Learn: one idea a page; something to move, a picture that answers, the equation with the numbers of now. */
import { go, address, moreText } from "../../address";
import { api } from "../../api";
import { useQuery } from "../../parts/query";
import { copy } from "../../parts/figure";
import { Failed, Waiting } from "../../parts/states";
import { give, useLesson, type LessonPage } from "./lesson";
import { alignment } from "./pages/alignment";
import { animal } from "./pages/animal";
import { convolution } from "./pages/convolution";
import { cross } from "./pages/cross";
import { dense } from "./pages/dense";
import { dictionary } from "./pages/dictionary";
import { forcing } from "./pages/forcing";
import { graph } from "./pages/graph";
import { heads } from "./pages/heads";
import { masks } from "./pages/masks";
import { match } from "./pages/match";
import { matrix } from "./pages/matrix";
import { memory } from "./pages/memory";
import { norm } from "./pages/norm";
import { order } from "./pages/order";
import { residual } from "./pages/residual";
import { segments } from "./pages/segments";
import { softmax } from "./pages/softmax";

const PAGES: LessonPage[] = [
  match,
  softmax,
  dictionary,
  matrix,
  heads,
  animal,
  order,
  masks,
  residual,
  norm,
  cross,
  forcing,
  graph,
  dense,
  convolution,
  alignment,
  memory,
  segments,
];

function turnTo(topic: string): void {
  const { inputs: _, step: __, ...more } = address.peek().more;
  go({ more: { ...more, topic } });
}

const originText = (by: string): string =>
  by === "by hand"
    ? "weights made by hand, to be easy to read"
    : by === "random"
      ? "random weights: nothing was learned"
      : `a real model: ${by}`;

function Lessons({ page }: { page: LessonPage }) {
  const { answer, problem, busy } = useLesson(page.topic);
  const lesson = answer?.topic === page.topic ? answer : null;
  if (problem) return <Failed line={problem} />;
  if (!lesson) return <Waiting line="Asking the library for the numbers …" />;
  const Body = page.Body;
  return (
    <div class="stack" data-topic={page.topic} data-busy={busy}>
      <p class="made" data-made>
        {originText(lesson.origin)}
      </p>
      <Body lesson={lesson} give={give} />
      <p class="equation" data-equation>
        {page.equation(lesson)}
      </p>
      <details class="source">
        <summary>The code that made it</summary>
        <pre class="code">{lesson.code}</pre>
        <button type="button" class="plain" onClick={() => void copy(lesson.code, "Python")}>
          Copy
        </button>
      </details>
    </div>
  );
}

export function LearnView() {
  const topics = useQuery((signal) => api.topics(signal), []);
  const taughtPages = PAGES.filter((page) => topics.answer?.topics.some((entry) => entry.topic === page.topic));
  if (topics.problem) return <Failed line={topics.problem} />;
  if (!topics.answer) return <Waiting line="Asking which pages there are …" />;
  const at = Math.max(
    0,
    taughtPages.findIndex((page) => page.topic === moreText("topic")),
  );
  const page = taughtPages[at];
  if (!page) return <Failed line="This server teaches nothing." />;
  const next = taughtPages[at + 1];
  return (
    <div class="learn">
      <nav class="contents" aria-label="Pages of Learn">
        <ol>
          {taughtPages.map((entry) => (
            <li key={entry.topic}>
              <button
                type="button"
                aria-current={entry === page ? "page" : undefined}
                data-page={entry.topic}
                onClick={() => turnTo(entry.topic)}
              >
                {entry.title}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <article class="card stack lesson">
        <h2 class="large-title">{page.title}</h2>
        <p class="measure">{page.text}</p>
        <Lessons key={page.topic} page={page} />
        {next && (
          <div>
            <button type="button" class="plain" onClick={() => turnTo(next.topic)}>
              Next chapter: {next.title} →
            </button>
          </div>
        )}
      </article>
    </div>
  );
}
