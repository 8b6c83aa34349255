/** One chapter of the story: prose beside a large figure, the equation with live numbers, a question, a way on. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address, go } from "../../address";
import { SENTENCE } from "../../examples";
import { IsCurrent } from "../../parts/current";
import { copy } from "../../parts/download";
import { Frame } from "../../parts/frame";
import { Failed, Waiting } from "../../parts/states";
import { giveTo, solved, useLesson, type LessonPage } from "./lesson";

const LETTER = 15; // pixels of an equation's letters, where there is room, and ...
const SMALLEST = 9; // ... where there is none
const NEAR = "600px 0px"; // a chapter is asked for before it comes into sight

const originText = (by: string): string =>
  by === "by hand"
    ? "weights made by hand, to be easy to read"
    : by === "random"
      ? "random weights: nothing was learned"
      : `a real model: ${by}`;

/** Whether an element has come near the window. */
function useNear(element: HTMLElement | null): boolean {
  const [near, set] = useState(false);
  useEffect(() => {
    if (!element || near) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && set(true), { rootMargin: NEAR });
    watch.observe(element);
    return () => watch.disconnect();
  }, [element, near]);
  return near;
}

/** An equation, as small as it takes to stand whole beside the prose: browsers break no lines in MathML. */
function Fitted({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [here, room] = [box.current!, box.current!.parentElement!.clientWidth];
    for (let letter = LETTER; letter >= SMALLEST; letter -= 0.5) {
      here.style.setProperty("--equation", `${letter}px`);
      if (here.scrollWidth <= room) break;
    }
  });
  return (
    <div class="equation" data-equation ref={box}>
      {children}
    </div>
  );
}

/** The question of a chapter: the numbers say when it is answered. */
function Question({ page, isDone }: { page: LessonPage; isDone: boolean }) {
  useEffect(() => {
    if (isDone) solved.value = new Set([...solved.peek(), page.topic]);
  }, [isDone]);
  const done = solved.value.has(page.topic);
  return (
    <div class={done ? "experiment done" : "experiment"} data-experiment={done ? "done" : "open"}>
      <p>
        <b>{done ? "Done." : "Try it."}</b> {page.experiment.ask}
      </p>
      <p role="status">{done && page.experiment.answer}</p>
    </div>
  );
}

/** A sentence of one's own, in the view that shows the same. */
function Elsewhere({ page }: { page: LessonPage }) {
  const text = useSignal(address.peek().text || SENTENCE);
  const { view, says } = page.elsewhere;
  const look = (event: Event) => {
    event.preventDefault();
    if (text.value.trim()) go({ view, text: text.value, pins: [], changes: [] });
  };
  return (
    <form class="elsewhere" onSubmit={look}>
      <label>
        In your own sentence
        <input type="text" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <button type="submit" class="plain">
        {says}
      </button>
    </form>
  );
}

interface ChapterProps {
  page: LessonPage;
  number: number;
  isCurrent: boolean;
}

export function Chapter({ page, number, isCurrent }: ChapterProps) {
  const [section, hold] = useState<HTMLElement | null>(null);
  const { answer, problem, busy } = useLesson(page.topic, useNear(section));
  const give = useRef((change: Record<string, unknown>) => giveTo(page.topic, change)).current;
  const lesson = answer?.topic === page.topic ? answer : null;
  const Body = page.Body;
  return (
    <section class="chapter" ref={hold} id={`chapter-${page.topic}`} data-chapter={page.topic}>
      <div class="telling">
        <p class="faint small chapter-number">Chapter {number}</p>
        <h2 class="large-title">{page.title}</h2>
        <p>{page.text}</p>
        {lesson && (
          <>
            <Frame label="the equation">
              <Fitted>{page.equation(lesson)}</Fitted>
            </Frame>
            <Question page={page} isDone={page.experiment.isDone(lesson)} />
            <Elsewhere page={page} />
          </>
        )}
      </div>
      <div class="showing card">
        {problem && <Failed line={problem} />}
        {!lesson && !problem && <Waiting line="Asking the library for the numbers …" />}
        {lesson && (
          <IsCurrent.Provider value={isCurrent}>
            <div class="stack" data-topic={page.topic} data-busy={busy}>
              <p class="made" data-made>
                {originText(lesson.origin)}
              </p>
              <Body lesson={lesson} give={give} />
              <details class="source">
                <summary>The code that made it</summary>
                <pre class="code">{lesson.code}</pre>
                <button type="button" class="plain" onClick={() => void copy(lesson.code, "Python")}>
                  Copy
                </button>
              </details>
            </div>
          </IsCurrent.Provider>
        )}
      </div>
    </section>
  );
}
