/** The end of the story: the Transformer, every part of it a chapter that was read. */
import { go } from "../../address";
import { SENTENCE } from "../../examples";
import { solved } from "./lesson";

interface ModelPart {
  says: string;
  topic: string;
}

const ENCODER: ModelPart[] = [
  { says: "positions are added", topic: "order" },
  { says: "self-attention, several heads", topic: "heads" },
  { says: "added to what was there", topic: "residual" },
  { says: "normed", topic: "norm" },
];
const DECODER: ModelPart[] = [
  { says: "self-attention behind a causal mask", topic: "masks" },
  { says: "attention to what was read", topic: "cross" },
  { says: "added to what was there", topic: "residual" },
  { says: "normed", topic: "norm" },
];

function Tower({ title, parts, then, jump }: { title: string; parts: ModelPart[]; then: string } & Jump) {
  return (
    <div class="tower">
      <h3>{title}</h3>
      <ol>
        {parts.map(({ says, topic }) => (
          <li key={topic + says}>
            <button type="button" class="part" onClick={() => jump(topic)}>
              {says}
            </button>
          </li>
        ))}
      </ol>
      <p class="faint small">{then}</p>
    </div>
  );
}

interface Jump {
  jump: (topic: string) => void;
}

export function Ending({ chapters, jump }: { chapters: string[] } & Jump) {
  const done = chapters.filter((topic) => solved.value.has(topic)).length;
  return (
    <section class="chapter ending" data-chapter="end" id="chapter-end">
      <div class="telling">
        <h2 class="large-title">That is a Transformer</h2>
        <p>
          A match, a softmax, a mixture: attention. Several heads of it, told where words stand, behind a mask where the
          future must not be seen; each block added to what was there, and normed. One stack reads, the other writes and
          looks at the first. Nothing else is in it but layers that take each word alone. Every part leads back to its
          chapter.
        </p>
        <p data-solved>
          {done} of {chapters.length} experiments done
          {done === chapters.length ? ": all of them." : "; each chapter has one."}
        </p>
        <div class="row">
          <button
            type="button"
            class="main"
            onClick={() => go({ view: "text", text: SENTENCE, pins: [], changes: [] })}
          >
            Now look inside a real one
          </button>
        </div>
      </div>
      <div class="showing card towers">
        <Tower title="It reads" parts={ENCODER} then="… and so on, block after block" jump={jump} />
        <Tower
          title="It writes"
          parts={DECODER}
          then="… and the last block's vector becomes the next word"
          jump={jump}
        />
      </div>
    </section>
  );
}
