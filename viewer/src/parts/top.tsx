/** The first line: which model, what text, run; the theme, the pictures, the link. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { address, go, link, noted, note } from "../address";
import { answer, cancel, going, model, modelName, models } from "../store";
import { theme, turn } from "../theme";
import { copy, exhibit, Takings } from "./figure";
import { Icon } from "./icon";

function Models() {
  const known = models.value?.models ?? [];
  const chosen = modelName.value;
  const choose = (name: string) => {
    const next = known.find((one) => one.name === name);
    const text = next?.example && next.task !== model.peek()?.task ? next.example.text : address.peek().text;
    const { second: _, ...more } = address.peek().more;
    go({
      model: name, text, place: "", head: 0, pins: [], changes: [],
      more: next?.example?.second ? { ...more, second: next.example.second } : more,
    });
  };
  return (
    <select aria-label="Model" class="model" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      {!known.some((one) => one.name === chosen) && <option value={chosen}>{chosen || "no model"}</option>}
      {known.map((one) => (
        <option key={one.name} value={one.name} disabled={one.problem !== ""} title={one.problem || `${one.task}, ${one.where}`}>
          {one.name}{one.state === "loading" ? " …" : ""}
        </option>
      ))}
    </select>
  );
}

export function Top({ help }: { help: () => void }) {
  const draft = useSignal(address.value.text);
  const second = useSignal(noted("second"));
  const field = useRef<HTMLTextAreaElement>(null);
  useSignalEffect(() => {
    draft.value = address.value.text;
    second.value = address.value.more["second"] ?? "";
  });
  useEffect(() => {
    const seek = (event: KeyboardEvent) => {
      if (event.key === "/" && !(event.target as Element).closest("input, textarea, select")) {
        event.preventDefault();
        field.current?.focus();
      }
    };
    addEventListener("keydown", seek);
    return () => removeEventListener("keydown", seek);
  }, []);
  const answers = model.value?.task === "answer";
  const start = () => {
    const now = address.peek();
    if (draft.value === now.text && second.value === (now.more["second"] ?? "")) return void answer();
    go({ text: draft.value, pins: [] });
    note({ second: second.value });
  };
  return (
    <header class="top">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the view</a>
      <h1 class="brand">regard</h1>
      <Models />
      <form onSubmit={(event) => { event.preventDefault(); start(); }}>
        <textarea ref={field} rows={1} aria-label={answers ? "Story" : "Text"} value={draft.value} spellcheck={false}
          placeholder={answers ? "A story, a sentence a line" : "Type a text"} maxLength={models.value?.bounds.letters}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            start();
          }} />
        {(answers || second.value) && (
          <input type="text" class="second" aria-label={answers ? "Question" : "Second text"} value={second.value}
            placeholder={answers ? "A question" : "The second text"} onInput={(event) => (second.value = event.currentTarget.value)} />
        )}
        {going.value
          ? <button type="button" class="main stop" onClick={cancel}>Stop</button>
          : <button type="submit" class="main" disabled={!modelName.value}>Run</button>}
      </form>
      <div class="tools">
        <button type="button" class="icon" aria-label={`Use the ${theme.value === "dark" ? "light" : "dark"} theme`} title="Light or dark" onClick={turn}><Icon name="theme" /></button>
        <Takings make={() => exhibit.value?.() ?? null} label="Save the picture"><Icon name="save" /></Takings>
        <button type="button" class="icon" aria-label="Copy a link to what you see" title="Copy a link" onClick={() => void copy(link(), "Link")}><Icon name="link" /></button>
        <button type="button" class="icon" aria-label="Keys" title="Keys" onClick={help}><Icon name="keys" /></button>
      </div>
    </header>
  );
}
