import { useModal } from "./modal";

const KEYS: [string[], string][] = [
  [["Ctrl+K"], "everything that the page can do, found by typing"],
  [["/"], "type a text; Enter runs it, Shift+Enter breaks the line"],
  [["1", "…", "8"], "the views, from Text to Learn"],
  [["[", "]"], "the layer before, the layer after"],
  [[",", "."], "the head before, the head after"],
  [["w"], "whole words, or the pieces that the model reads"],
  [["←", "→"], "on the tokens: the one before, the one after; Enter pins"],
  [["↓"], "on a token that is pinned: what can be done with it"],
  [["Shift+click"], "on a dot of the model: compare with that head"],
  [["Esc"], "let go of all pinned tokens"],
  [["+", "−", "0", "arrows"], "on the map: nearer, farther, all of it, move"],
  [["Ctrl+Z", "Ctrl+Shift+Z"], "take an edit back, do it again"],
];

/** The keys, in a window of its own. */
export function Help({ open, close }: { open: boolean; close: () => void }) {
  const modal = useModal(open, close);
  return (
    <dialog {...modal} aria-label="Keys">
      <div class="stack">
        <h2>Keys</h2>
        <table>
          <tbody>
            {KEYS.map(([keys, what]) => (
              <tr key={what}>
                <td>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div>
          <button type="button" class="plain" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </dialog>
  );
}
