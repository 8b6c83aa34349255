/** Map: all weights of one head, however many; pan and zoom as on a street map. */
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { note, noted } from "../../address";
import type { How } from "../../api";
import { Choice } from "../../parts/choice";
import { Chooser } from "../../parts/chooser";
import { Figure } from "../../parts/figure";
import { Legend } from "../../parts/legend";
import { Failed, NoRun } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { paint } from "../../scene/paint";
import { ceiling } from "../../scene/shade";
import { count, short, visible } from "../../scene/signs";
import type { Cell } from "../../scene/table";
import { columnOf, columnText, rowOf, rowText, sinks, spotOfColumn, spotOfRow } from "../../sides";
import { focus, going, head, hover, pin, pins, place, pointed, run, scale, stale } from "../../store";
import { palette, theme } from "../../theme";
import { levelAt, NEAREST, parsed, seen, spelled, whole, type Camera, type Sheet } from "./camera";
import { LEFT, mapScene, overview, TOP, type Lines } from "./draw";
import { Atlas, TILE, type Tile } from "./tiles";

const CORNER = 116;
const SMALL = 96; // tokens: such a map is as large as it is, without a margin

export function MapView() {
  const shown = run.value;
  const here = place.value;
  if (!shown || !here) return <NoRun>Run a text of any length: this view then is a map of all its weights.</NoRun>;
  return <Mapped key={`${shown.id}`} />;
}

function Mapped() {
  const shown = run.value!;
  const here = place.value!;
  const number = head.value;
  const how: How = noted("how") === "max" ? "max" : "mean";
  const [box, width] = useWidth(0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const corner = useRef<HTMLCanvasElement>(null);
  const camera = useRef<Camera | null>(null);
  const zooming = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const [turn, again] = useState(0); // a tile came, or the camera moved
  const [calm, settle] = useState(0); // nothing moved for a while
  const height = Math.max(340, Math.min(820, innerHeight - 400));
  const sheet: Sheet = useMemo(
    () => {
      const across = Math.min(Math.max(120, width - LEFT - 40), here.keys * NEAREST);
      const down = Math.min(height, Math.max(90, Math.ceil(here.queries * Math.min(NEAREST, across / here.keys)))); // no taller than all of it
      const fits = Math.max(here.keys, here.queries) <= SMALL ? Math.min(NEAREST, across / here.keys, down / here.queries) : null;
      if (fits) return { width: here.keys * fits, height: here.queries * fits, rows: here.queries, columns: here.keys, levels: here.levels };
      return { width: across, height: down, rows: here.queries, columns: here.keys, levels: here.levels };
    },
    [width, height, here],
  );
  const atlas = useMemo(
    () => new Atlas(shown.id, here, number, how, [...sinks(shown, here)], () => again((value) => value + 1)),
    [shown.id, here, number, how],
  );
  useEffect(() => () => atlas.close(), [atlas]);
  const fine = Math.min(2, devicePixelRatio || 1);

  const move = (next: Camera) => {
    if (!canvas.current || !zooming.current) return;
    select(canvas.current).call(zooming.current.transform, zoomIdentity.translate(LEFT - next.x * next.k, TOP - next.y * next.k).scale(next.k));
  };
  useEffect(() => {
    if (!canvas.current || width < 1) return;
    const all = whole(sheet);
    const behaviour = zoom<HTMLCanvasElement, unknown>()
      .extent([[LEFT, TOP], [LEFT + sheet.width, TOP + sheet.height]])
      .scaleExtent([Math.min(all.k, NEAREST), NEAREST])
      .translateExtent([[Math.min(0, all.x), Math.min(0, all.y)], [sheet.columns - Math.min(0, all.x), sheet.rows - Math.min(0, all.y)]])
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        const { x, y, k } = event.transform;
        camera.current = { x: (LEFT - x) / k, y: (TOP - y) / k, k };
        again((value) => value + 1);
      });
    zooming.current = behaviour;
    const target = select(canvas.current);
    target.call(behaviour).on("dblclick.zoom", null);
    move(parsed(noted("at"), sheet) ?? all);
    return () => void target.on(".zoom", null);
  }, [sheet]);

  const now = camera.current;
  const level = now ? levelAt(now, sheet, fine) : 0;
  const visibleTiles: Tile[] = now ? seen(now, sheet, level).flatMap((need) => atlas.tile(need) ?? []) : [];
  const top = ceiling(Math.max(0, ...visibleTiles.map((tile) => atlas.largest(tile, scale.value === "sinkless"))));
  const shade = { scale: scale.value, top, theme: theme.value };
  const spoken = focus.value;
  const lines: Lines = {
    rows: pins.value.flatMap((spot) => rowOf(shown, here, spot) ?? []),
    columns: here.rows === here.columns ? [] : pins.value.flatMap((spot) => columnOf(shown, here, spot) ?? []),
    row: spoken && rowOf(shown, here, spoken),
    column: spoken && here.rows !== here.columns ? columnOf(shown, here, spoken) : null,
  };
  const words = { row: (index: number) => rowText(shown, here, index), column: (index: number) => columnText(shown, here, index) };
  const made = (sharp: number) => mapScene(atlas, camera.current ?? whole(sheet), sheet, shade, words, lines, palette.value, sharp);

  useEffect(() => {
    if (!now || !canvas.current) return;
    const coarsest = { level: here.levels - 1, row: 0, column: 0 }; // stands in for whatever is not there yet
    atlas.want([coarsest, ...seen(now, sheet, level)]);
    if (atlas.problem) stale(atlas.problem);
    const request = requestAnimationFrame(() => {
      const paper = palette.value.paper;
      const draw = (target: HTMLCanvasElement | null, scene: ReturnType<typeof made>, sharp: number) => {
        const context = target?.getContext("2d");
        if (!target || !context) return;
        const [across, down] = [Math.round(scene.width * sharp), Math.round(scene.height * sharp)];
        if (target.width !== across || target.height !== down) {
          target.width = across;
          target.height = down;
        }
        paint(context, scene, sharp, paper);
      };
      draw(canvas.current, made(fine), fine);
      draw(corner.current, overview(atlas, now, sheet, shade, palette.value, CORNER), 1);
    });
    const timer = setTimeout(() => {
      settle((value) => value + 1);
      const all = whole(sheet);
      const still = Math.abs(now.k / all.k - 1) < 1e-3;
      note({ at: still ? "" : spelled(now, sheet) });
    }, 250);
    return () => {
      cancelAnimationFrame(request);
      clearTimeout(timer);
    };
  }, [turn, atlas, sheet, shade.scale, top, shade.theme, spoken, pins.value]);

  /** Which weight is under the pointer. */
  const at = (event: MouseEvent) => {
    const frame = canvas.current!.getBoundingClientRect();
    const view = camera.current;
    if (!view) return null;
    const column = Math.floor((event.clientX - frame.left - LEFT) / view.k + view.x);
    const row = Math.floor((event.clientY - frame.top - TOP) / view.k + view.y);
    return row >= 0 && column >= 0 && row < sheet.rows && column < sheet.columns && event.clientX - frame.left >= LEFT && event.clientY - frame.top >= TOP ? { row, column } : null;
  };
  const value = (row: number, column: number): string => {
    for (let step = level; step < here.levels; step++) {
      const cell = 2 ** step;
      const tile = atlas.tile({ level: step, row: Math.floor(row / (cell * TILE)), column: Math.floor(column / (cell * TILE)) });
      const found = tile?.numbers[(Math.floor(row / cell) - tile.row * TILE) * tile.columns + Math.floor(column / cell) - tile.column * TILE];
      if (found !== undefined) return step === 0 ? short(found, 3) : `${how} of ${cell} × ${cell} weights: ${found.toPrecision(3)}`;
    }
    return "…";
  };
  const over = (event: PointerEvent) => {
    const spot = at(event);
    hover.value = spot && here.rows !== here.columns ? spotOfRow(shown, here, spot.row) : null;
    pointed.value = spot && `${here.name} · head ${number} · “${visible(words.row(spot.row))}” (${count(spot.row)}) → “${visible(words.column(spot.column))}” (${count(spot.column)}): ${value(spot.row, spot.column)}`;
  };
  const near = (event: MouseEvent) => {
    const spot = at(event);
    if (!spot) return;
    const k = 32;
    move({ k, x: spot.column + 0.5 - sheet.width / k / 2, y: spot.row + 0.5 - sheet.height / k / 2 });
    pin([spotOfRow(shown, here, spot.row)], false);
    pin([spotOfColumn(shown, here, spot.column)], false);
  };
  const keys = (event: KeyboardEvent) => {
    const view = camera.current;
    const behaviour = zooming.current;
    if (!view || !behaviour || !canvas.current) return;
    const target = select(canvas.current);
    const far = 80 / view.k;
    const shift: Record<string, [number, number]> = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    const push = shift[event.key];
    if (push) behaviour.translateBy(target, ...push);
    else if (event.key === "+" || event.key === "=") behaviour.scaleBy(target, 1.6);
    else if (event.key === "-" || event.key === "_") behaviour.scaleBy(target, 1 / 1.6);
    else if (event.key === "0") move(whole(sheet));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const jump = (event: PointerEvent) => {
    if (!(event.buttons & 1) || !now) return;
    const frame = corner.current!.getBoundingClientRect();
    const size = Math.max(sheet.rows, sheet.columns) / CORNER;
    move({ k: now.k, x: (event.clientX - frame.left) * size - sheet.width / now.k / 2, y: (event.clientY - frame.top) * size - sheet.height / now.k / 2 });
  };

  const title = `Map of ${here.name}, head ${number}`;
  const strongest = (): Cell[][] => {
    const cell = 2 ** level;
    const found = visibleTiles.flatMap((tile) => [...tile.numbers.entries()].filter(([, weight]) => weight > top / 50).map(([index, weight]) => {
      const row = (tile.row * TILE + Math.floor(index / tile.columns)) * cell;
      const column = (tile.column * TILE + (index % tile.columns)) * cell;
      return [row, visible(words.row(row)), column, visible(words.column(column)), weight] as [number, string, number, string, number];
    }));
    return found.sort((one, other) => other[4] - one[4]).slice(0, 400);
  };
  const cell = 2 ** level;
  const partly = whole(sheet);
  const zoomed = now !== null && now.k > partly.k * 1.01;
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        <Chooser />
        {here.levels > 1 && <Choice<How> label="What a cell is" value={how} choose={(next) => note({ how: next === "max" ? "max" : "" })} options={[["mean", "mean of a cell"], ["max", "largest of a cell"]]} />}
        <div class="choice" role="group" aria-label="Zoom">
          <button type="button" aria-label="Nearer" onClick={() => canvas.current && zooming.current?.scaleBy(select(canvas.current), 2)}>+</button>
          <button type="button" aria-label="Farther" onClick={() => canvas.current && zooming.current?.scaleBy(select(canvas.current), 0.5)}>−</button>
          <button type="button" aria-label="All of it" onClick={() => move(whole(sheet))}>all</button>
        </div>
        <span class="faint small" data-says="level">
          {count(here.queries)} × {count(here.keys)} weights, {level === 0 ? "exact" : `a cell is ${how === "mean" ? "the mean" : "the largest"} of ${cell} × ${cell}`}
          {atlas.waiting > 0 && `, ${atlas.waiting} tiles on their way`}
        </span>
      </div>
      {atlas.problem instanceof Error && !going.value && visibleTiles.length === 0 && <Failed line={atlas.problem.message} />}
      <div class="card"><Figure title={title} of={[calm, atlas]} first legend={<Legend top={top} left_out="the first token and special ones are" />}
        make={() => ({
          title, scene: made(2), python: python([`print(pattern[0, ${number}])  # or a region: pattern[0, ${number}, 100:200, 0:100]; an overview: pattern.pooled(64, 64)`]),
          table: { caption: `the strongest cells in sight; a cell is ${cell} × ${cell}`, columns: ["row", "token", "column", "looks at", "weight"], rows: strongest() },
        })}>
        <div class="map" tabIndex={0} role="application" aria-label={`${title}: plus and minus zoom, arrows move, 0 shows all`} onKeyDown={keys}>
          <canvas ref={canvas} data-map style={{ width: `${LEFT + sheet.width + 1}px`, height: `${TOP + sheet.height + 1}px` }}
            onPointerMove={over} onPointerLeave={() => { hover.value = null; pointed.value = null; }} onDblClick={near} />
          <canvas ref={corner} class={zoomed ? "corner" : "corner gone"} aria-hidden="true" onPointerDown={jump} onPointerMove={jump} />
        </div>
      </Figure></div>
    </div>
  );
}
