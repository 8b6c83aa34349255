/** A picture with its name, its table, and everything that can be taken away from it. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { Exhibit } from "../scene/offline";
import type { DataTable } from "../scene/table";
import { IsCurrent } from "./current";
import { Frame } from "./frame";
import { Icon } from "./icon";
import { Numbers } from "./numbers";
import { SaveMenu } from "./save_menu";

/** The first picture of the view: what the page's own menu saves. */
export const exhibit = signal<(() => Exhibit | null) | null>(null);

interface FigureProps {
  title: string;
  make: () => Exhibit;
  children: ComponentChildren;
  legend?: ComponentChildren;
  /** The picture that the page's own menu saves. */
  first?: boolean;
  /** What the table is made from: while it is open it is made again when one of these changes. */
  of: unknown[];
  /** The table alone, where the picture takes longer. */
  table?: () => DataTable;
  /** What is drawn is not yet what the title says: it cannot be taken along. */
  late?: boolean;
}

export function Figure({ title, make, children, legend, first, of, table, late = false }: FigureProps) {
  const ready = () => (late ? null : make());
  const latest = useRef(ready);
  latest.current = ready;
  const isSaved = useContext(IsCurrent) && first;
  useEffect(() => {
    if (!isSaved) return;
    const latestExhibit = () => latest.current();
    exhibit.value = latestExhibit;
    return () => {
      if (exhibit.peek() === latestExhibit) exhibit.value = null;
    };
  }, [isSaved]);
  return (
    <figure class="figure" aria-busy={late}>
      <figcaption class="row">
        <h2>{title}</h2>
        <SaveMenu make={ready} label={`Save “${title}”`}>
          <Icon name="save" />
        </SaveMenu>
      </figcaption>
      {legend}
      <Frame label={title}>{children}</Frame>
      <Numbers make={table ?? (() => make().table)} of={of} />
    </figure>
  );
}
