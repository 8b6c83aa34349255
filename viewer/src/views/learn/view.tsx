/** Learn: one story, from the dot product to the Transformer; each chapter one idea, something to move, and a question. */
import { useEffect, useRef, useState } from "preact/hooks";
import { moreText } from "../../address";
import { api } from "../../api";
import { useQuery } from "../../parts/query";
import { Failed, Waiting } from "../../parts/states";
import { Chapter } from "./chapter";
import { Ending } from "./ending";
import { adopt, settle, solved, type LessonPage } from "./lesson";
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

/** The story, in the order in which it is told. */
const STORY: LessonPage[] = [
  ...[match, softmax, dictionary, matrix, heads, animal],
  ...[order, masks, residual, norm, cross, forcing],
];
/** The same idea elsewhere: after the end, for whoever goes on. */
const FURTHER: LessonPage[] = [graph, dense, convolution, alignment, memory, segments];
const PAGES: LessonPage[] = [...STORY, ...FURTHER];

const MIDDLE = "-40% 0px -55% 0px"; // the chapter that stands here is the one that is read

export function LearnView() {
  const topics = useQuery((signal) => api.topics(signal), []);
  if (topics.problem) return <Failed line={topics.problem} />;
  if (!topics.answer) return <Waiting line="Asking which chapters there are …" />;
  const taught = new Set(topics.answer.topics.map((entry) => entry.topic));
  const pages = PAGES.filter((page) => taught.has(page.topic));
  return pages.length ? <Story pages={pages} /> : <Failed line="This server teaches nothing." />;
}

function Story({ pages }: { pages: LessonPage[] }) {
  const box = useRef<HTMLDivElement>(null);
  const asked = moreText("topic");
  const [current, set] = useState(asked || pages[0]!.topic);
  const target = useRef<HTMLElement | null>(null);
  const jump = (topic: string) => {
    set(topic);
    target.current = box.current?.querySelector<HTMLElement>(`[data-chapter="${topic}"]`) ?? null;
    target.current?.scrollIntoView({ block: "start" });
    if (topic !== "end") settle(topic);
  };
  useEffect(() => {
    // chapters above grow as their numbers come: until somebody moves, the one that was asked for stays in sight
    const grown = new ResizeObserver(() => target.current?.scrollIntoView({ block: "start" }));
    if (box.current) grown.observe(box.current);
    const moved = () => (target.current = null);
    const kinds = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
    for (const kind of kinds) addEventListener(kind, moved, { passive: true });
    return () => {
      grown.disconnect();
      for (const kind of kinds) removeEventListener(kind, moved);
    };
  }, []);
  useEffect(adopt, [asked, moreText("inputs"), moreText("step")]);
  useEffect(() => {
    if (asked && asked !== current) jump(asked); // Back, Forward, or another address
  }, [asked]);
  useEffect(() => {
    if (asked && asked !== pages[0]!.topic) jump(asked);
    const watch = new IntersectionObserver(
      (entries) => {
        const seen = entries.find((entry) => entry.isIntersecting)?.target as HTMLElement | undefined;
        const topic = seen?.dataset["chapter"];
        if (!topic || topic === "end" || target.current) return;
        set(topic);
        settle(topic);
      },
      { rootMargin: MIDDLE },
    );
    for (const section of box.current?.querySelectorAll("[data-chapter]") ?? []) watch.observe(section);
    return () => watch.disconnect();
  }, [pages.length]);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = list.current?.querySelector("ol");
    const entry = row?.querySelector<HTMLElement>("[aria-current]");
    if (row && entry && row.scrollWidth > row.clientWidth) row.scrollLeft = entry.offsetLeft - row.clientWidth / 2;
  }, [current]);
  const chapter = (page: LessonPage) => (
    <Chapter key={page.topic} page={page} number={pages.indexOf(page) + 1} isCurrent={page.topic === current} />
  );
  const story = pages.filter((page) => STORY.includes(page));
  return (
    <div class="learn" ref={box}>
      <nav class="contents" aria-label="Chapters of Learn" ref={list}>
        <ol>
          {pages.map((entry) => (
            <li key={entry.topic}>
              <button
                type="button"
                aria-current={entry.topic === current ? "page" : undefined}
                data-page={entry.topic}
                onClick={() => jump(entry.topic)}
              >
                {entry.title}
                {solved.value.has(entry.topic) && <span aria-label="experiment done"> ✓</span>}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <article class="tale" aria-label="From the dot product to the Transformer">
        {story.map(chapter)}
        <Ending chapters={story.map((page) => page.topic)} jump={jump} />
        <h2 class="large-title">The same idea elsewhere</h2>
        {pages.filter((page) => FURTHER.includes(page)).map(chapter)}
      </article>
    </div>
  );
}
