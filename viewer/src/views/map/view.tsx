/** Map: all weights of one head, however many; pan and zoom as on a street map. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { setMore, moreText } from "../../address";
import type { CellPooling } from "../../api";
import { Choice } from "../../parts/choice";
import { Chooser } from "../../parts/chooser";
import { Figure } from "../../parts/figure";
import { Legend } from "../../parts/legend";
import { Failed, NoRun } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { paint } from "../../scene/paint";
import type { Scene } from "../../scene/scene";
import { ceiling } from "../../scene/shade";
import { count, short, visible } from "../../scene/signs";
import { columnOf, columnText, rowOf, rowText, sinks, spotOfColumn, spotOfRow } from "../../sides";
import { focus, underway, head, hover, pin, pins, layer, pointerText, run, scale, renewIfDropped } from "../../store";
import { palette, theme } from "../../theme";
import { centred, levelAt, parsed, seen, sheetFor, spelled, under, whole } from "./camera";
import { LEFT, mapScene, overview, TOP, type GridLines } from "./draw";
import { useCamera } from "./motion";
import { Atlas } from "./tiles";

const CORNER = 116;
const CLOSE = 32; // pixels a weight, after a double click

export function MapView() {
  const shown = run.value;
  if (!shown || !layer.value) {
    return <NoRun>Run a text of any length: this view then is a map of all its weights.</NoRun>;
  }
  return <Mapped key={shown.id} />;
}

function draw(target: HTMLCanvasElement | null, scene: Scene, sharp: number): void {
  const context = target?.getContext("2d");
  if (!target || !context) return;
  const [across, down] = [Math.round(scene.width * sharp), Math.round(scene.height * sharp)];
  if (target.width !== across) target.width = across;
  if (target.height !== down) target.height = down;
  paint(context, scene, sharp, palette.value.paper);
}

/** The bands that are drawn: tokens that are pinned, and the one that is spoken of. */
function bands(): GridLines {
  const [shown, here, spoken] = [run.value!, layer.value!, focus.value];
  const across = here.rows !== here.columns; // where a text looks at itself, its rows say enough
  return {
    rows: pins.value.flatMap((spot) => rowOf(shown, here, spot) ?? []),
    columns: across ? pins.value.flatMap((spot) => columnOf(shown, here, spot) ?? []) : [],
    row: spoken && rowOf(shown, here, spoken),
    column: spoken && across ? columnOf(shown, here, spoken) : null,
  };
}

function Mapped() {
  const [shown, here, number] = [run.value!, layer.value!, head.value];
  const how: CellPooling = moreText("how") === "max" ? "max" : "mean";
  const [box, width] = useWidth(0);
  const [canvas, hold] = useState<HTMLCanvasElement | null>(null);
  const [corner, holdCorner] = useState<HTMLCanvasElement | null>(null);
  const [turn, again] = useState(0); // tiles that came
  const [calm, settle] = useState(0); // times that nothing moved for a while
  const height = Math.max(340, Math.min(820, innerHeight - 440));
  const sheet = useMemo(() => sheetFor(here, width - LEFT - 40, height), [here, width, height]);
  const { camera, move, zoomBy, keys } = useCamera(width ? canvas : null, sheet, () => parsed(moreText("at"), sheet));
  const atlas = useMemo(
    () => new Atlas(shown.id, here, number, how, [...sinks(shown, here)], () => again((value) => value + 1)),
    [shown.id, here, number, how],
  );
  useEffect(() => () => atlas.close(), [atlas]);

  const fine = Math.min(2, devicePixelRatio || 1);
  const view = camera ?? whole(sheet);
  const level = levelAt(view, sheet, fine);
  const needs = seen(view, sheet, level);
  const tiles = needs.flatMap((need) => atlas.tile(need) ?? []);
  const top = ceiling(Math.max(0, ...tiles.map((tile) => atlas.largest(tile, scale.value === "sinkless"))));
  const shade = { scale: scale.value, top, theme: theme.value };
  const lines = bands();
  const words = {
    row: (index: number) => visible(rowText(shown, here, index)),
    column: (index: number) => visible(columnText(shown, here, index)),
  };
  const scene = (sharp: number) => mapScene(atlas, view, sheet, shade, words, lines, palette.value, sharp);

  useEffect(() => {
    if (!camera) return;
    const coarsest = { level: here.levels - 1, row: 0, column: 0 }; // stands in for whatever is not there yet
    atlas.want([coarsest, ...needs]);
    if (atlas.problem) renewIfDropped(atlas.problem);
    const request = requestAnimationFrame(() => {
      draw(canvas, scene(fine), fine);
      draw(corner, overview(atlas, view, sheet, shade, palette.value, CORNER), 1);
    });
    const timer = setTimeout(() => {
      settle((value) => value + 1);
      setMore({ at: view.k / whole(sheet).k < 1.001 ? "" : spelled(view, sheet) });
    }, 250);
    return () => {
      cancelAnimationFrame(request);
      clearTimeout(timer);
    };
  }, [camera, turn, atlas, sheet, scale.value, top, theme.value, focus.value, pins.value]);

  const at = (event: MouseEvent) => {
    const frame = canvas!.getBoundingClientRect();
    return under(event.clientX - frame.left - LEFT, event.clientY - frame.top - TOP, view, sheet);
  };
  const over = (event: PointerEvent) => {
    const spot = at(event);
    hover.value = spot && here.rows !== here.columns ? spotOfRow(shown, here, spot.row) : null;
    const weightHere = spot && atlas.value(spot.row, spot.column, level);
    const pooled =
      weightHere && weightHere.cell > 1 ? `${how} of ${weightHere.cell} × ${weightHere.cell} weights: ` : "";
    const weight = weightHere
      ? pooled + (pooled ? weightHere.number.toPrecision(3) : short(weightHere.number, 3))
      : "…";
    const from = spot && `“${words.row(spot.row)}” (${count(spot.row)})`;
    const to = spot && `“${words.column(spot.column)}” (${count(spot.column)})`;
    pointerText.value = spot && `${here.name} · head ${number} · ${from} → ${to}: ${weight}`;
  };
  const leave = () => (hover.value = pointerText.value = null);
  const near = (event: MouseEvent) => {
    const spot = at(event);
    if (!spot) return;
    move(centred(spot.row + 0.5, spot.column + 0.5, CLOSE, sheet));
    pin([spotOfRow(shown, here, spot.row)], false);
    pin([spotOfColumn(shown, here, spot.column)], false);
  };
  const jump = (event: PointerEvent) => {
    if (!(event.buttons & 1)) return;
    const frame = corner!.getBoundingClientRect();
    const size = Math.max(sheet.rows, sheet.columns) / CORNER;
    move(centred((event.clientY - frame.top) * size, (event.clientX - frame.left) * size, view.k, sheet));
  };

  const late = !atlas.problem && tiles.length < needs.length;
  const title = `Map of ${here.name}, head ${number}`;
  const cell = 2 ** level;
  const says = level === 0 ? "exact" : `a cell is ${how === "mean" ? "the mean" : "the largest"} of ${cell} × ${cell}`;
  const make = () => ({
    title,
    scene: scene(2),
    python: python([
      `print(pattern[0, ${number}])  # a region: pattern[0, ${number}, 100:200, 0:100]; an overview: pattern.pool(64, 64)`,
    ]),
    table: {
      caption: `the strongest cells in sight; a cell is ${cell} × ${cell}`,
      columns: ["row", "token", "column", "looks at", "weight"],
      rows: atlas
        .strongest(tiles, top / 50, 400)
        .map((cellHere) => [
          cellHere.row,
          words.row(cellHere.row),
          cellHere.column,
          words.column(cellHere.column),
          cellHere.number,
        ]),
    },
  });
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <Chooser />
        {here.levels > 1 && (
          <Choice<CellPooling>
            label="What a cell is"
            value={how}
            choose={(next) => setMore({ how: next === "max" ? "max" : "" })}
            options={[
              ["mean", "mean of a cell"],
              ["max", "largest of a cell"],
            ]}
          />
        )}
        <div class="choice" role="group" aria-label="Zoom">
          <button type="button" aria-label="Nearer" onClick={() => zoomBy(2)}>
            +
          </button>
          <button type="button" aria-label="Farther" onClick={() => zoomBy(0.5)}>
            −
          </button>
          <button type="button" aria-label="All of it" onClick={() => move(whole(sheet))}>
            all
          </button>
        </div>
        <span class="faint small" data-says="level">
          {count(here.queries)} × {count(here.keys)} weights, {says}
          {atlas.waiting > 0 && `, ${atlas.waiting} tiles on their way`}
        </span>
      </div>
      {atlas.problem instanceof Error && !underway.value && <Failed line={atlas.problem.message} />}
      <div class="card">
        <Figure title={title} of={[calm, atlas, late]} first late={late} make={make} legend={<Legend top={top} />}>
          <div
            class="map"
            tabIndex={0}
            role="application"
            aria-label={`${title}: plus and minus zoom, arrows move, 0 shows all`}
            onKeyDown={keys}
          >
            <canvas
              ref={hold}
              data-map
              style={{ width: `${LEFT + sheet.width + 1}px`, height: `${TOP + sheet.height + 1}px` }}
              onPointerMove={over}
              onPointerLeave={leave}
              onDblClick={near}
            />
            <canvas
              ref={holdCorner}
              class={view.k > whole(sheet).k * 1.01 ? "corner" : "corner gone"}
              aria-hidden="true"
              onPointerDown={jump}
              onPointerMove={jump}
            />
          </div>
        </Figure>
      </div>
    </div>
  );
}
