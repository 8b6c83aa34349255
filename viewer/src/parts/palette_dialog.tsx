/** Ctrl-K: everything that the page can do, found by typing. */
import { useSignal } from "@preact/signals";
import { address, go, setMore } from "../address";
import { home } from "../home";
import { exampleOf } from "../examples";
import { add, canRedo, canUndo, change, changes, isFrozen, models, model, redo, run, undo } from "../store";
import { switchTheme } from "../theme";
import { useModal } from "./modal";
import { shareLink } from "./save_formats";
import { layerWords } from "./names";
import { roleOf, ROLES } from "./roles";

interface Command {
  name: string;
  more?: string;
  act: () => void;
}

export interface NamedView {
  name: string;
  open: () => void;
}

function commandsOf(views: NamedView[]): Command[] {
  const shown = run.value;
  const example = exampleOf(model.value);
  const here = address.value;
  return [
    ...views.map((view) => ({ name: `Go to ${view.name}`, act: view.open })),
    { name: "Type a text", more: "/", act: () => home.root.querySelector<HTMLElement>(".top textarea")?.focus() },
    ...(example && !isFrozen.value
      ? [{ name: `Run the example “${example.text}”`, act: () => go({ text: example.text, pins: [] }) }]
      : []),
    { name: "Light or dark", act: switchTheme },
    {
      name: here.words ? "Show the pieces that the model reads" : "Show whole words",
      more: "w",
      act: () => go({ words: !here.words }),
    },
    ...(home.alone ? [{ name: "Copy a link to what you see", act: () => void shareLink() }] : []),
    ...(canUndo.value ? [{ name: "Undo the last edit", more: "Ctrl+Z", act: undo }] : []),
    ...(canRedo.value ? [{ name: "Redo the edit", more: "Ctrl+Shift+Z", act: redo }] : []),
    ...(changes.value.length ? [{ name: "Take all edits back", act: () => change([]) }] : []),
    ...(shown
      ? [
          { name: "Compare with another head", act: () => setMore({ compare: `head:${shown.layers[0]?.name}:0` }) },
          { name: "Compare with another text", act: () => setMore({ compare: "text" }) },
          { name: "Compare with nothing", act: () => setMore({ compare: "", rival: "", against: "" }) },
          { name: "Colour the dots by importance", act: () => setMore({ dots: "importance" }) },
          { name: "Colour the dots by role", act: () => setMore({ dots: "" }) },
        ]
      : []),
    ...(isFrozen.value ? [] : (models.value?.models ?? []))
      .filter((entry) => !entry.problem)
      .map((entry) => ({
        name: `Use the model ${entry.name}`,
        more: entry.task,
        act: () =>
          go({
            model: entry.name,
            layer: "",
            head: 0,
            pins: [],
            changes: [],
            text: exampleOf(entry)?.text ?? here.text,
          }),
      })),
    ...(shown?.layers ?? []).flatMap((layer) =>
      Array.from({ length: layer.heads }, (_, head) => {
        const role = roleOf(layer.name, head);
        const words = `${layerWords(layer.name, shown!.layers)}, head ${head}`;
        const does = role ? `${ROLES[role.kind]?.name ?? role.kind} · ` : "";
        return { name: words, more: `${does}${layer.name}:${head}`, act: () => go({ layer: layer.name, head }) };
      }),
    ),
    ...(isFrozen.value ? [] : (shown?.layers ?? [])).flatMap((layer) =>
      Array.from({ length: layer.heads }, (_, head) => ({
        name: `Switch off ${layerWords(layer.name, shown!.layers)}, head ${head}`,
        more: `${layer.name}:${head}`,
        act: () => add({ do: "scale", layer: layer.name, heads: [head], factor: 0 }),
      })),
    ),
  ];
}

const MOST = 12;

export function CommandPalette({ open, close, views }: { open: boolean; close: () => void; views: NamedView[] }) {
  const wanted = useSignal("");
  const at = useSignal(0);
  const modal = useModal(open, close, () => {
    wanted.value = "";
    at.value = 0;
  });
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = open
    ? commandsOf(views).filter(({ name, more = "" }) =>
        words.every((word) => `${name} ${more}`.toLowerCase().includes(word)),
      )
    : [];
  const shown = matching.slice(0, MOST);
  const take = (command: Command | undefined) => {
    if (!command) return;
    close();
    home.root.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
    command.act();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length) at.value = (at.value + step + shown.length) % shown.length;
    else if (event.key === "Enter") take(shown[at.value]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog {...modal} aria-label="Commands" class="palette">
      {open && (
        <div class="stack tight" onKeyDown={keys}>
          <input
            type="text"
            role="combobox"
            aria-label="What to do"
            aria-expanded="true"
            aria-controls="regard-commands"
            aria-activedescendant={shown.length ? `regard-command-${at.value}` : undefined}
            placeholder="Type what to do: a view, a head, a model …"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
              at.value = 0;
            }}
          />
          <ul id="regard-commands" role="listbox" aria-label="Commands">
            {shown.map((command, index) => (
              <li
                key={command.name}
                id={`regard-command-${index}`}
                role="option"
                aria-selected={index === at.value}
                onPointerEnter={() => (at.value = index)}
                onClick={() => take(command)}
              >
                <span>{command.name}</span>
                <span class="faint small">{command.more}</span>
              </li>
            ))}
          </ul>
          {!shown.length && <p class="faint">Nothing is called “{wanted.value}”.</p>}
          {matching.length > MOST && <p class="faint small">and {matching.length - MOST} more: type on</p>}
        </div>
      )}
    </dialog>
  );
}
