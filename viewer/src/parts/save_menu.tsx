/** The menu of ways to take a picture along. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Exhibit } from "../scene/offline";
import { say } from "./download";
import { SAVE_FORMATS, type SaveFormat } from "./save_formats";

interface SaveMenuProps {
  make: () => Exhibit | null;
  label: string;
  children: ComponentChildren;
}

export function SaveMenu({ make, label, children }: SaveMenuProps) {
  const [open, show] = useState(false);
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !here.current?.contains(event.target as Node))
        show(false);
    };
    addEventListener("pointerdown", away);
    addEventListener("keydown", away);
    return () => {
      removeEventListener("pointerdown", away);
      removeEventListener("keydown", away);
    };
  }, [open]);
  const take = async (format: SaveFormat) => {
    show(false);
    try {
      if (format.run) return await format.run();
      const exhibit = make();
      if (!exhibit) return say("There is no picture to save yet");
      await format.picture?.(exhibit);
    } catch (problem) {
      say(problem instanceof Error ? problem.message : String(problem));
    }
  };
  return (
    <div class="menu" ref={here}>
      <button
        type="button"
        class="icon"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        title={label}
        onClick={() => show(!open)}
      >
        {children}
      </button>
      {open && (
        <div role="menu">
          {SAVE_FORMATS.filter((format) => !format.isLeftOut?.()).map((format) => {
            const note = format.note?.() ?? "";
            return (
              <button
                key={format.name}
                type="button"
                role="menuitem"
                data-take={format.name}
                onClick={() => void take(format)}
              >
                {format.shown}
                {note && <span class="faint"> ({note})</span>}
              </button>
            );
          })}
        </div>
      )}
    </div>
  );
}
