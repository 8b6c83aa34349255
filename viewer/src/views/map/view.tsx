/** Map: all weights of one head, however many; pan and zoom as on a street map. */
import { effect, useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { setMore, moreText } from "../../address";
import type { CellPooling } from "../../api";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { Legend } from "../../parts/legend";
import { Failed, NoRun } from "../../parts/states";
import { roomBelow } from "../../parts/room";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { paintMarks } from "../../scene/paint";
import { ceiling } from "../../scene/shade";
import { count, short, visible } from "../../scene/signs";
import { columnOf, columnText, rowOf, rowText, sinks, spotOfColumn, spotOfRow } from "../../sides";
import { focus, underway, head, hover, pin, pins, layer, pointerText, run, scale, renewIfDropped } from "../../store";
import { palette, theme } from "../../theme";
import { centred, isWhole, levelAt, parsed, seen, sheetFor, spelled, under, whole, type Camera } from "./camera";
import { mapMarks, mapScene, mapSize, overviewSize, paintGround, paintOverview, rulersFor } from "./draw";
import type { GridLines, MapDrawing } from "./draw";
import { FindToken, Strongest } from "./find";
import { useCamera } from "./motion";
import { Atlas, type MapTile, type StrongCell } from "./tiles";

const CORNER = 116;
const CLOSE = 32; // pixels a weight, after a double click
const ABOVE = 198; // pixels of what stands between the top of the view and the map
const CALM = 250; // milliseconds without movement
const AHEAD = 220; // pixels around the sheet that are asked for once all in sight is there

export function MapView() {
  const shown = run.value;
  if (!shown || !layer.value) {
    return <NoRun>Run a text of any length: this view then is a map of all its weights.</NoRun>;
  }
  return <Mapped key={shown.id} />;
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

function resize(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return canvas.getContext("2d");
}

/** What the words around the map say of it. */
interface Sight {
  level: number;
  top: number;
  late: boolean;
  all: boolean;
}

function Mapped() {
  const [shown, here, number] = [run.value!, layer.value!, head.value];
  const how: CellPooling = moreText("how") === "max" ? "max" : "mean";
  const [box, width] = useWidth(0);
  const [canvas, hold] = useState<HTMLCanvasElement | null>(null);
  const [corner, holdCorner] = useState<HTMLCanvasElement | null>(null);
  const arrived = useSignal(0); // tiles that came
  const calm = useSignal(0); // times that nothing moved for a while
  const strong = useSignal<StrongCell[]>([]);
  const sight = useSignal<Sight>({ level: here.levels - 1, top: 1, late: true, all: true });
  const words = useMemo(
    () => ({
      row: (index: number) => visible(rowText(shown, here, index)),
      column: (index: number) => visible(columnText(shown, here, index)),
    }),
    [shown, here],
  );
  const isWide = width > 760;
  const height = isWide ? roomBelow(ABOVE, 380) : Math.max(320, innerHeight - 320);
  const rulers = useMemo(
    () => rulersFor({ rows: here.queries, columns: here.keys }, words, innerWidth < 720),
    [here, words],
  );
  const sheet = useMemo(
    () => sheetFor(here, width - rulers.left - (isWide ? 250 : 40), height - rulers.top),
    [here, width, height, rulers],
  );
  const { camera, move, zoomBy, keys } = useCamera(
    width ? canvas : null,
    sheet,
    { x: rulers.left, y: rulers.top },
    () => parsed(moreText("at"), sheet),
  );
  const atlas = useMemo(
    () => new Atlas(shown.id, here, number, how, [...sinks(shown, here)], () => void arrived.value++),
    [shown.id, here, number, how],
  );
  useEffect(() => () => atlas.close(), [atlas]);

  const fine = Math.min(3, devicePixelRatio || 1);
  const tilesOf = (view: Camera, level: number): MapTile[] =>
    seen(view, sheet, level).flatMap((need) => atlas.tile(need) ?? []);
  const drawingOf = (view: Camera, top: number): MapDrawing => ({
    atlas,
    camera: view,
    sheet,
    rulers,
    words,
    lines: bands(),
    colours: palette.value,
    shade: { scale: scale.value, top, theme: theme.value },
    causal: /causal/.test(here.mask) && here.rows === here.columns,
  });

  useEffect(() => {
    if (!canvas || !corner || !width) return;
    let [request, timer, soon] = [0, 0, false];
    const coarsest = { level: here.levels - 1, row: 0, column: 0 }; // stands in for whatever is not there yet
    const draw = () => {
      soon = false;
      const view = camera.peek();
      if (!view) return;
      const level = levelAt(view, sheet, fine);
      const needs = seen(view, sheet, level);
      const tiles = tilesOf(view, level);
      const late = !atlas.problem && tiles.length < needs.length;
      const largest = Math.max(0, ...tiles.map((tile) => atlas.largest(tile, scale.peek() === "sinkless")));
      const top = tiles.length ? ceiling(largest) : sight.peek().top; // what is not there yet does not change colours
      const still = calm.peek() > 0 && !late;
      atlas.want([coarsest, ...needs, ...(still ? seen(view, sheet, level, AHEAD) : [])]);
      if (atlas.problem) renewIfDropped(atlas.problem);
      const all = isWhole(view, sheet);
      const before = sight.peek();
      if (before.level !== level || before.top !== top || before.late !== late || before.all !== all)
        sight.value = { level, top, late, all };
      const drawing = drawingOf(view, top);
      const size = mapSize(drawing);
      const context = resize(canvas, Math.round(size.width * fine), Math.round(size.height * fine));
      if (!context) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = drawing.colours.paper;
      context.fillRect(0, 0, canvas.width, canvas.height);
      atlas.begin();
      paintGround(context, drawing, fine);
      paintMarks(context, mapMarks(drawing), fine);
      const small = overviewSize(sheet, CORNER);
      const above = all ? null : resize(corner, small.width, small.height);
      if (above) paintOverview(above, drawing, CORNER);
      if (atlas.isBehind) ask();
    };
    const ask = () => {
      if (!soon) request = requestAnimationFrame(draw); // several changes in one frame are one picture
      soon = true;
    };
    const settle = () => {
      const view = camera.peek();
      if (!view) return;
      calm.value++;
      const { level, top } = sight.peek();
      strong.value = atlas.strongest(tilesOf(view, level), top / 50, 8);
      setMore({ at: isWhole(view, sheet) ? "" : spelled(view, sheet) });
      ask();
    };
    const stop = effect(() => {
      void [camera.value, arrived.value, scale.value, theme.value, palette.value, focus.value, pins.value];
      ask();
      clearTimeout(timer);
      timer = window.setTimeout(settle, CALM);
    });
    return () => {
      stop();
      cancelAnimationFrame(request);
      clearTimeout(timer);
    };
  }, [canvas, corner, atlas, sheet, rulers, width]);

  const at = (event: MouseEvent) => {
    const frame = canvas!.getBoundingClientRect();
    const view = camera.peek() ?? whole(sheet);
    return under(event.clientX - frame.left - rulers.left, event.clientY - frame.top - rulers.top, view, sheet);
  };
  const over = (event: PointerEvent) => {
    if (event.buttons) return; // while it is dragged the map says nothing
    const spot = at(event);
    hover.value = spot && here.rows !== here.columns ? spotOfRow(shown, here, spot.row) : null;
    const weightHere = spot && atlas.value(spot.row, spot.column, sight.peek().level);
    const pooled =
      weightHere && weightHere.cell > 1 ? `${how} of ${weightHere.cell} × ${weightHere.cell} weights: ` : "";
    const weight = weightHere
      ? pooled + (pooled ? String(Number(weightHere.number.toPrecision(3))) : short(weightHere.number, 3))
      : "…";
    const from = spot && `“${words.row(spot.row)}” (${count(spot.row)})`;
    const to = spot && `“${words.column(spot.column)}” (${count(spot.column)})`;
    pointerText.value = spot && `${here.name} · head ${number} · ${from} → ${to}: ${weight}`;
  };
  const leave = () => (hover.value = pointerText.value = null);
  const jumpTo = (row: number, column: number, closest = CLOSE) => {
    const view = camera.peek() ?? whole(sheet);
    const near = [Math.max(view.kx, closest), Math.max(view.ky, closest)] as const;
    move(centred(row + 0.5, column + 0.5, near, sheet));
  };
  const near = (event: MouseEvent) => {
    const spot = at(event);
    if (!spot) return;
    jumpTo(spot.row, spot.column);
    pin([spotOfRow(shown, here, spot.row)], false);
    pin([spotOfColumn(shown, here, spot.column)], false);
  };
  const jump = (event: PointerEvent) => {
    const view = camera.peek();
    if (!(event.buttons & 1) || !view) return;
    const frame = corner!.getBoundingClientRect();
    const row = ((event.clientY - frame.top) * sheet.rows) / frame.height;
    const column = ((event.clientX - frame.left) * sheet.columns) / frame.width;
    camera.value = centred(row, column, [view.kx, view.ky], sheet);
  };

  const { level, top, late, all } = sight.value;
  const title = `Map of ${here.name}, head ${number}`;
  const cell = 2 ** level;
  const says = level === 0 ? "exact" : `a cell is ${how === "mean" ? "the mean" : "the largest"} of ${cell} × ${cell}`;
  const table = () => {
    const view = camera.peek() ?? whole(sheet);
    return {
      caption: `the strongest cells in sight; a cell is ${cell} × ${cell}`,
      columns: ["row", "token", "column", "looks at", "weight"],
      rows: atlas
        .strongest(tilesOf(view, level), top / 50, 400)
        .map(({ row, column, number }) => [row, words.row(row), column, words.column(column), number]),
    };
  };
  const make = () => ({
    title,
    scene: mapScene(drawingOf(camera.peek() ?? whole(sheet), top), 2),
    python: python([
      `print(pattern[0, ${number}])  # a region: pattern[0, ${number}, 100:200, 0:100]; an overview: pattern.pool(64, 64)`,
    ]),
    table: table(),
  });
  const { width: wide, height: tall } = mapSize({ sheet, rulers });
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
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
        <FindToken go={(row, column) => jumpTo(row, column, 14)} />
        <span class="faint small" data-says="level">
          {count(here.queries)} × {count(here.keys)} weights, {says}
          <OnTheirWay atlas={atlas} arrived={arrived} />
        </span>
      </div>
      {atlas.problem instanceof Error && !underway.value && <Failed line={atlas.problem.message} />}
      <div class="card">
        <Figure
          title={title}
          of={[calm.value, atlas, late]}
          first
          late={late}
          make={make}
          table={table}
          legend={<Legend top={top} />}
        >
          <div class="mapped">
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
                data-ruler={`${rulers.left},${rulers.top}`}
                style={{ width: `${wide}px`, height: `${tall}px` }}
                onPointerMove={over}
                onPointerLeave={leave}
                onDblClick={near}
              />
              <canvas
                ref={holdCorner}
                class={all ? "corner gone" : "corner"}
                aria-hidden="true"
                onPointerDown={jump}
                onPointerMove={jump}
              />
            </div>
            <Strongest cells={strong} words={words} go={jumpTo} cell={cell} />
          </div>
        </Figure>
      </div>
    </div>
  );
}

function OnTheirWay({ atlas, arrived }: { atlas: Atlas; arrived: Signal<number> }) {
  void arrived.value;
  return <>{atlas.waiting > 0 && `, ${atlas.waiting} tiles on their way`}</>;
}
