/** What moves the camera of a map: wheel, pinch, drag, keys. */
import { useEffect, useRef } from "preact/hooks";
import { signal, type Signal } from "@preact/signals";
import { duration } from "../../theme";
import { bounded, pushed, whole, zoomed, type Camera, type MapSheet } from "./camera";

export interface MapMotion {
  camera: Signal<Camera | null>;
  /** Go there, by a short flight. */
  move: (camera: Camera) => void;
  zoomBy: (factor: number) => void;
  keys: (event: KeyboardEvent) => void;
}

const STEP = 80; // pixels that an arrow key moves
const FLIGHT = 180; // milliseconds

interface SheetPoint {
  x: number;
  y: number;
}

/** A camera over a canvas with rulers at its left and top; `start` is where it begins on a new sheet. */
export function useCamera(
  canvas: HTMLCanvasElement | null,
  sheet: MapSheet,
  corner: SheetPoint,
  start: () => Camera | null,
): MapMotion {
  const camera = useRef(signal<Camera | null>(null)).current;
  const flight = useRef(0);
  const current = useRef(sheet);
  current.current = sheet;

  const set = (next: Camera) => {
    cancelAnimationFrame(flight.current);
    camera.value = bounded(next, current.current);
  };
  useEffect(() => {
    if (!canvas) return;
    set(start() ?? whole(sheet));
    const pointers = new Map<number, SheetPoint>();
    const pointOf = (event: MouseEvent): SheetPoint => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left - corner.x, y: event.clientY - box.top - corner.y };
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 0.05 : event.deltaMode === 2 ? 1 : 0.002;
      const factor = 2 ** Math.min(1, Math.max(-1, -event.deltaY * unit * (event.ctrlKey ? 5 : 1)));
      if (camera.peek()) set(zoomed(camera.peek()!, factor, pointOf(event), sheet));
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, pointOf(event));
    };
    const drag = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      const view = camera.peek();
      if (!before || !view) return;
      const now = pointOf(event);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      if (!other) return set(pushed(view, now.x - before.x, now.y - before.y, sheet));
      const apart = (point: SheetPoint) => Math.max(8, Math.hypot(point.x - other.x, point.y - other.y));
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      const moved = pushed(view, (now.x - before.x) / 2, (now.y - before.y) / 2, sheet);
      set(zoomed(moved, apart(now) / apart(before), middle, sheet));
    };
    const up = (event: PointerEvent) => void pointers.delete(event.pointerId);
    canvas.addEventListener("wheel", wheel, { passive: false });
    canvas.addEventListener("pointerdown", down);
    canvas.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, up);
    return () => {
      cancelAnimationFrame(flight.current);
      canvas.removeEventListener("wheel", wheel);
      canvas.removeEventListener("pointerdown", down);
      canvas.removeEventListener("pointermove", drag);
      for (const name of ["pointerup", "pointercancel"] as const) canvas.removeEventListener(name, up);
    };
  }, [canvas, sheet, corner.x, corner.y]);

  const move = (to: Camera) => {
    const from = camera.peek();
    const end = bounded(to, current.current);
    const time = duration(FLIGHT);
    cancelAnimationFrame(flight.current);
    if (!from || !time) return void (camera.value = end);
    const begun = performance.now();
    const fly = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - begun) / time));
      const eased = 1 - (1 - share) ** 3;
      const mix = (a: number, b: number) => a + (b - a) * eased;
      const zoom = (a: number, b: number) => a * (b / a) ** eased;
      camera.value =
        share === 1
          ? end
          : { x: mix(from.x, end.x), y: mix(from.y, end.y), kx: zoom(from.kx, end.kx), ky: zoom(from.ky, end.ky) };
      if (share < 1) flight.current = requestAnimationFrame(fly);
    };
    flight.current = requestAnimationFrame(fly);
  };
  const zoomBy = (factor: number) => {
    const view = camera.peek();
    if (!view) return;
    const across = Math.min(sheet.width, (sheet.columns - view.x) * view.kx);
    const down = Math.min(sheet.height, (sheet.rows - view.y) * view.ky);
    set(zoomed(view, factor, { x: across / 2, y: down / 2 }, sheet)); // about the middle of the weights that are seen
  };
  const keys = (event: KeyboardEvent) => {
    const view = camera.peek();
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const push = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
    if (push) set(pushed(view, push[0]!, push[1]!, sheet));
    else if (event.key === "+" || event.key === "=") zoomBy(1.6);
    else if (event.key === "-" || event.key === "_") zoomBy(1 / 1.6);
    else if (event.key === "0") move(whole(sheet));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { camera, move, zoomBy, keys };
}
