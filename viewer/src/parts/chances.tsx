/** Words or labels with their probabilities: bars, and the table behind them. */
import { barScene, type Bar } from "../scene/bars";
import type { DataTable } from "../scene/table";
import { palette } from "../theme";
import { python } from "../python";
import { Figure } from "./figure";
import { SvgPicture } from "./picture";

interface ChancesProps {
  title: string;
  bars: Bar[];
  columns: string[];
  rows: DataTable["rows"];
  /** The last line of the Python that gives them. */
  tail: string;
  first?: boolean;
}

export function Chances({ title, bars, columns, rows, tail, first }: ChancesProps) {
  const scene = barScene(bars, palette.value, { width: 440 });
  return (
    <div class="card">
      <Figure
        title={title}
        of={[rows]}
        first={first}
        make={() => ({ title, scene, python: python([tail]), table: { caption: title, columns, rows } })}
      >
        <SvgPicture scene={scene} label={title} />
      </Figure>
    </div>
  );
}
