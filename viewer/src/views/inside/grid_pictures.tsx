/** Matrices that were measured, as one picture with its table. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Grid } from "../../api";
import { Figure } from "../../parts/figure";
import { CanvasPicture } from "../../parts/picture";
import { python } from "../../python";
import { commonHeadRoom, gridTable, largest, matrixScene, sideBySide } from "../../scene/matrix";
import { measure } from "../../scene/scene";
import { ceiling } from "../../scene/shade";
import { short, plainly, visible } from "../../scene/signs";
import { pointerText } from "../../store";
import { palette } from "../../theme";

const NAMES: Record<string, string> = { own: "of its own side", source: "of the source", chances: "likeliest word" };

/** Tokens as they can be shown; a name that says what the matrix is. */
function withRowNames(grid: Grid): Grid {
  return {
    ...grid,
    name: NAMES[grid.name] ?? grid.name,
    rows: grid.rows.map(visible),
    columns: grid.columns.map(visible),
    notes: grid.notes.map((line) => line.map(plainly)),
  };
}

const SMALL = 20; // pixels of a square, from which on several matrices stand beside each other

interface PicturedProps {
  title: string;
  grids: Grid[];
  width: number;
  lines: string[];
  legend: ComponentChildren;
  first?: boolean;
  late?: boolean;
  /** What a click on a square does, if anything. */
  press?: (row: string, column: number) => (() => void) | undefined;
  /** The row and column of the square that is framed. */
  chosen?: readonly [string, number];
}

export function GridPictures({ title, grids, width, lines, legend, first, late, press, chosen }: PicturedProps) {
  const colours = palette.value;
  const all = useMemo(() => grids.map(withRowNames), [grids]);
  const scene = useMemo(() => {
    const columns = all.reduce((sum, grid) => sum + grid.columns.length, 0);
    const names = Math.min(200, 20 + Math.max(0, ...all.flatMap((grid) => grid.rows.map((name) => measure(name, 12)))));
    const most = Math.max(1, ...all.map((grid) => grid.columns.length));
    const together = (width - 40 - (names + 26) * all.length) / Math.max(1, columns);
    const room = together >= SMALL ? together : (width - 40 - names) / most; // one below the other
    const cell = Math.max(14, Math.min(52, Math.floor(room))); // as large as the card
    const isShare = all.every((grid) => grid.kind === "weights" && !grid.notes.length);
    const top = isShare ? ceiling(Math.max(...all.map(largest))) : undefined;
    const above = all.some((grid) => grid.notes.length) ? undefined : commonHeadRoom(all, cell);
    const drawn = all.map((grid) => {
      const row = chosen ? grid.rows.indexOf(chosen[0]) : -1;
      return matrixScene(grid, colours, {
        cell: grid.notes.length ? undefined : cell,
        title: all.length > 1 || Object.values(NAMES).includes(grid.name), // else the heading has said it
        above,
        top,
        texts: grid.notes.length ? grid.notes : null,
        chosen: chosen && row >= 0 && chosen[1] < grid.columns.length ? [row, chosen[1]] : null,
        touch: (row, column) => ({
          enter: () => {
            const note = grid.notes[row]?.[column];
            const value = short(grid.numbers[row]?.[column] ?? Number.NaN, 4);
            pointerText.value = `${grid.rows[row]} → ${grid.columns[column]}: ${note === undefined ? "" : `“${note}” `}${value}`;
          },
          leave: () => (pointerText.value = null),
          press: press?.(grid.rows[row]!, column),
        }),
      });
    });
    return sideBySide(drawn, Math.max(260, width - 40));
  }, [all, colours, width, chosen?.[0], chosen?.[1]]);
  return (
    <div class="card">
      <Figure
        title={title}
        of={[all]}
        first={first}
        late={late}
        make={() => ({ title, scene, table: gridTable(all), python: python(lines) })}
        legend={legend}
      >
        <CanvasPicture scene={scene} label={title} />
      </Figure>
    </div>
  );
}
