/** Text: what went in, what came out, and which token it came from. */
import { address, setMore, moreText, go, part, type Spot } from "../../address";
import { exampleOf, type Example } from "../../examples";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { SvgPicture } from "../../parts/picture";
import { useWidth } from "../../parts/width";
import { doing, Empty, NoRun, Waiting } from "../../parts/states";
import { underway, hover, model, modelName, pointerText, run } from "../../store";
import type { RunPayload } from "../../payload";
import { palette } from "../../theme";
import { python } from "../../python";
import { AnswerCard } from "./answer";
import { Passage, Streaming } from "./passage";
import { treeScene, treeTable } from "./tree";

const words = part("words");
function Whole({ label, name, otherwise, most }: { label: string; name: string; otherwise: number; most: number }) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={1}
        max={most}
        value={moreText(name, String(otherwise))}
        aria-label={label}
        onChange={(event) =>
          setMore({ [name]: event.currentTarget.value === String(otherwise) ? "" : event.currentTarget.value })
        }
      />
    </label>
  );
}

/** How the answer is written: kept beams, or drawn by lot. */
function GenerationOptions() {
  const task = model.value?.task;
  const writes = task === "translate" || task === "generate";
  const heat = moreText("temperature");
  return (
    <div class="row controls">
      <Choice
        label="Tokens or words"
        value={words.value ? "words" : "tokens"}
        choose={(value) => go({ words: value === "words" })}
        options={[
          ["tokens", "tokens"],
          ["words", "words"],
        ]}
      />
      {writes && (
        <Choice
          label="How it is written"
          value={heat ? "drawn" : "likeliest"}
          choose={(value) => setMore({ temperature: value === "drawn" ? "0.8" : "", seed: "" })}
          options={[
            ["likeliest", "the likeliest"],
            ["drawn", "drawn by lot"],
          ]}
        />
      )}
      {writes && !heat && <Whole label="Beams" name="beam" otherwise={task === "translate" ? 4 : 1} most={16} />}
      {writes && heat && (
        <>
          <label>
            Temperature
            <input
              type="range"
              min={0.1}
              max={2}
              step={0.1}
              value={heat}
              aria-label="Temperature"
              onChange={(event) => setMore({ temperature: event.currentTarget.value })}
            />
            <output>{heat}</output>
          </label>
          <Whole label="Seed" name="seed" otherwise={0} most={2 ** 31 - 1} />
        </>
      )}
      {task === "generate" && <Whole label="Tokens to write" name="tokens" otherwise={32} most={512} />}
    </div>
  );
}

function ExampleButton() {
  const example = exampleOf(model.value);
  const start = (chosen: Example) =>
    go({
      text: chosen.text,
      more: { ...address.peek().more, sentence: "", ...(chosen.second && { second: chosen.second }) },
    });
  return (
    <Empty>
      <p>Type a text above and run it: every view then shows what {modelName.value || "the model"} looks at.</p>
      {example && (
        <button type="button" class="plain" data-example onClick={() => start(example)}>
          Try “{example.second || example.text}”
        </button>
      )}
    </Empty>
  );
}

const SMALLEST = 0.8; // of a tree that is made smaller so that it fits

function BeamTree() {
  const shown = run.value!;
  const tree = shown.beam_tree!;
  const [box, width] = useWidth();
  const scene = treeScene(tree, palette.value, (line) => (pointerText.value = line), width - 34);
  const title = "Beam search: what was kept, the winner marked";
  return (
    <div class="card" ref={box}>
      <Figure
        title={title}
        of={[shown, width]}
        first
        make={() => ({
          title,
          scene,
          table: treeTable(tree),
          python: python(["# decode() with beam= gives the tree of the search, see docs/decoding.md"]),
        })}
      >
        <SvgPicture scene={scene} label={title} zoom={Math.max(SMALLEST, Math.min(1, (width - 34) / scene.width))} />
      </Figure>
    </div>
  );
}

const FEW = 40; // tokens: the lines at the top show all of them at once

/** Whether the lines at the top are too long to be read there. */
const isLong = (shown: RunPayload): boolean => shown.sides.some((side) => side.texts.length > FEW);

const hasTree = (shown: RunPayload): boolean => (shown.beam_tree?.nodes.length ?? 0) > 0;

export function TextView() {
  const shown = run.value;
  const now = doing();
  const streamed = underway.value?.status?.text ?? "";
  return (
    <div class="stack">
      <GenerationOptions />
      {!shown && streamed && <Streaming text={streamed} />}
      {!shown &&
        !streamed &&
        (now ? (
          <Waiting {...now} />
        ) : (
          <NoRun>
            <ExampleButton />
          </NoRun>
        ))}
      {shown && (
        <>
          {isLong(shown) && (
            <div
              class={shown.sides.length > 1 ? "two" : "stack"}
              onPointerLeave={() => (hover.value = null as Spot | null)}
            >
              {shown.sides.map((_, side) => (
                <Passage key={side} side={side} />
              ))}
            </div>
          )}
          {underway.value && streamed && <Streaming text={streamed} />}
          <div class={hasTree(shown) && shown.candidates.length > 0 ? "third" : "stack"}>
            <AnswerCard />
            {hasTree(shown) && <BeamTree />}
          </div>
        </>
      )}
    </div>
  );
}
