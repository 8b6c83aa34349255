/** Words or labels with their probabilities: bars, and the table behind them. */
import { barScene, type Bar } from "../scene/bars";
import type { DataTable } from "../scene/table";
import { palette } from "../theme";
import { python } from "../python";
import { Figure } from "./figure";
import { SvgPicture } from "./picture";
import { useWidth } from "./width";

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
  const [box, width] = useWidth(440);
  const scene = barScene(bars, palette.value, { width: Math.max(260, Math.min(640, width - 34)) });
  return (
    <div class="card" ref={box}>
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
