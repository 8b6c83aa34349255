/** The first line: which model, what text, run; the theme, the pictures, the link. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { address, go, moreText } from "../address";
import { exampleOf } from "../examples";
import { home } from "../home";
import { answer, cancel, underway, isFrozen, model, modelName, models, run, savedNote } from "../store";
import { legible } from "../scene/signs";
import { theme, switchTheme } from "../theme";
import { exhibit } from "./figure";
import { shareLink } from "./save_formats";
import { SaveMenu } from "./save_menu";
import { Icon } from "./icon";

function Models() {
  const listed = models.value?.models ?? [];
  const chosen = modelName.value;
  const choose = (name: string) => {
    const next = listed.find((model) => model.name === name) ?? null;
    const { second: _, sentence: __, against: ___, ...more } = address.peek().more;
    const now = model.peek();
    const isOwn = address.peek().text !== exampleOf(now)?.text; // somebody's text, which the next model may read, too
    const example = next?.task === now?.task && isOwn ? null : exampleOf(next); // another task wants another text
    go({
      model: name,
      text: example?.text ?? address.peek().text,
      layer: "",
      head: 0,
      pins: [],
      changes: [],
      more: example?.second ? { ...more, second: example.second } : more,
    });
  };
  return (
    <select aria-label="Model" class="model" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      {!listed.some((model) => model.name === chosen) && <option value={chosen}>{chosen || "no model"}</option>}
      {listed.map((model) => (
        <option
          key={model.name}
          value={model.name}
          disabled={model.problem !== ""}
          title={model.problem || `${model.task}, ${model.where}`}
        >
          {model.name}
          {model.state === "loading" ? " …" : ""}
        </option>
      ))}
    </select>
  );
}

/** What is asked: a text, and for some models a second one. */
function Question() {
  const draft = useSignal(address.value.text);
  const second = useSignal(moreText("second"));
  useSignalEffect(() => {
    draft.value = address.value.text;
    second.value = address.value.more["second"] ?? "";
  });
  const answers = model.value?.task === "answer";
  const start = () => {
    const now = address.peek();
    home.root.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }); // keys are shortcuts again
    if (draft.value === now.text && second.value === (now.more["second"] ?? "")) return void answer();
    const { second: _, sentence: __, against: ___, ...more } = now.more;
    go({ text: draft.value, pins: [], more: second.value ? { ...more, second: second.value } : more });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    start();
  };
  return (
    <form onSubmit={submit}>
      <textarea
        rows={1}
        aria-label={answers ? "Story" : "Text"}
        value={draft.value}
        spellcheck={false}
        placeholder={answers ? "A story, a sentence a line" : "Type a text"}
        maxLength={models.value?.bounds.letters}
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
          if (event.key === "Escape") home.root.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
        }}
      />
      {(answers || second.value) && (
        <input
          type="text"
          class="second"
          aria-label={answers ? "Question" : "Second text"}
          value={second.value}
          placeholder={answers ? "A question" : "The second text"}
          onInput={(event) => (second.value = event.currentTarget.value)}
        />
      )}
      {underway.value ? (
        <button type="button" class="main stop" onClick={cancel}>
          Stop
        </button>
      ) : (
        <button type="submit" class="main" disabled={!modelName.value}>
          Run
        </button>
      )}
    </form>
  );
}

export function Top({ help }: { help: () => void }) {
  const skip = (event: Event) => {
    event.preventDefault();
    home.root.querySelector<HTMLElement>("main")?.focus();
  };
  return (
    <header class="top">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the view
      </a>
      <h1 class="brand">regard</h1>
      {isFrozen.value ? (
        <span class="kept">
          <b>{run.value?.model}</b> {run.value && legible(run.value.text.slice(0, 200))}{" "}
          <span class="faint small">{savedNote.value}</span>
        </span>
      ) : (
        <>
          <Models />
          <Question />
        </>
      )}
      <div class="tools">
        <button
          type="button"
          class="icon"
          aria-label={`Use the ${theme.value === "dark" ? "light" : "dark"} theme`}
          title="Light or dark"
          onClick={switchTheme}
        >
          <Icon name="theme" />
        </button>
        <SaveMenu make={() => exhibit.value?.() ?? null} label="Save the picture">
          <Icon name="save" />
        </SaveMenu>
        {home.alone && !savedNote.value && (
          <button
            type="button"
            class="icon"
            aria-label="Copy a link to what you see"
            title="Copy a link"
            onClick={() => void shareLink()}
          >
            <Icon name="link" />
          </button>
        )}
        <button type="button" class="icon" aria-label="Keys" title="Keys" onClick={help}>
          <Icon name="keys" />
        </button>
      </div>
    </header>
  );
}
