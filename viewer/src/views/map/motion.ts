/** The camera of a map and what moves it: wheel, pinch, drag, keys. */
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior } from "d3-zoom";
import { useEffect, useRef, useState } from "preact/hooks";
import { NEAREST, whole, type Camera, type MapSheet } from "./camera";
import { LEFT, TOP } from "./draw";

export interface MapMotion {
  camera: Camera | null;
  move: (camera: Camera) => void;
  zoomBy: (factor: number) => void;
  keys: (event: KeyboardEvent) => void;
}

const STEP = 80; // pixels that an arrow key moves

/** How far a view is moved back onto the map, given what it shows beyond either edge: what is smaller stays at its ruler. */
const clampShift = (before: number, after: number): number =>
  after > before ? before : Math.min(0, before) || Math.max(0, after);

/** A camera over a canvas with rulers at its left and top; `start` is where it begins on a new sheet. */
export function useCamera(canvas: HTMLCanvasElement | null, sheet: MapSheet, start: () => Camera | null): MapMotion {
  const [camera, set] = useState<Camera | null>(null);
  const behaviour = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const move = ({ x, y, k }: Camera) => {
    const there = zoomIdentity.translate(LEFT - x * k, TOP - y * k).scale(k);
    if (canvas && behaviour.current) select(canvas).call(behaviour.current.transform, there);
  };
  useEffect(() => {
    if (!canvas) return;
    const all = whole(sheet);
    behaviour.current = zoom<HTMLCanvasElement, unknown>()
      .extent(() => [
        [LEFT, TOP],
        [LEFT + sheet.width, TOP + sheet.height],
      ])
      .scaleExtent([all.k, NEAREST])
      .translateExtent([
        [0, 0],
        [sheet.columns, sheet.rows],
      ])
      .constrain((view, [[left, top], [right, bottom]], [[x0, y0], [x1, y1]]) =>
        view.translate(
          clampShift(view.invertX(left) - x0, view.invertX(right) - x1),
          clampShift(view.invertY(top) - y0, view.invertY(bottom) - y1),
        ),
      )
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        const { x, y, k } = event.transform;
        set({ x: (LEFT - x) / k, y: (TOP - y) / k, k });
      });
    const target = select(canvas);
    target.call(behaviour.current).on("dblclick.zoom", null); // a double click goes to a pair of tokens
    move(start() ?? all);
    return () => void target.on(".zoom", null);
  }, [canvas, sheet]);

  const zoomBy = (factor: number) => {
    if (!canvas || !camera) return;
    const across = Math.min(sheet.width, (sheet.columns - camera.x) * camera.k);
    const down = Math.min(sheet.height, (sheet.rows - camera.y) * camera.k);
    const middle: [number, number] = [LEFT + across / 2, TOP + down / 2]; // of the weights that are seen
    behaviour.current?.scaleBy(select(canvas), factor, middle);
  };
  const keys = (event: KeyboardEvent) => {
    if (!canvas || !camera || !behaviour.current) return;
    const far = STEP / camera.k;
    const push = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] }[event.key];
    if (push) behaviour.current.translateBy(select(canvas), push[0]!, push[1]!);
    else if (event.key === "+" || event.key === "=") zoomBy(1.6);
    else if (event.key === "-" || event.key === "_") zoomBy(1 / 1.6);
    else if (event.key === "0") move(whole(sheet));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { camera, move, zoomBy, keys };
}
