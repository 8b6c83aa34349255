/** A scene on the screen: as SVG where marks are touched one by one, as a canvas where there are many. */
import { useEffect, useRef } from "preact/hooks";
import { paint } from "../scene/paint";
import { MONO, SANS, type SceneMark, type Scene, type Touch } from "../scene/scene";
import { palette } from "../theme";

function handlers(touch: Touch | undefined) {
  if (!touch) return {};
  const press = touch.press;
  return {
    onPointerEnter: touch.enter,
    onPointerLeave: touch.leave,
    onFocus: touch.enter,
    onBlur: touch.leave,
    ...(press && {
      role: "button",
      tabIndex: 0,
      onClick: (event: MouseEvent) => press(event.shiftKey),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press(event.shiftKey);
      },
    }),
  };
}

function SceneShape({ mark }: { mark: SceneMark }) {
  const { opacity, title, touch, name } = mark;
  const common = { opacity, class: name, "aria-label": touch?.press ? title : undefined, ...handlers(touch) };
  const inside = title && <title>{title}</title>;
  switch (mark.kind) {
    case "box":
      return (
        <rect
          x={mark.x}
          y={mark.y}
          width={Math.max(0, mark.width)}
          height={Math.max(0, mark.height)}
          rx={mark.round}
          fill={mark.fill ?? "none"}
          stroke={mark.stroke}
          stroke-width={mark.thickness}
          {...common}
        >
          {inside}
        </rect>
      );
    case "stroke":
      return (
        <path
          d={mark.d}
          fill={mark.fill ?? "none"}
          stroke={mark.stroke}
          stroke-width={mark.thickness}
          stroke-linecap="round"
          stroke-dasharray={mark.dashes}
          {...common}
        >
          {inside}
        </path>
      );
    case "label":
      return (
        <text
          x={mark.x}
          y={mark.y}
          fill={mark.fill}
          font-size={mark.size ?? 12}
          text-anchor={mark.anchor}
          font-family={mark.mono ? MONO : SANS}
          font-weight={mark.bold ? 600 : undefined}
          xml:space="preserve"
          transform={mark.turn ? `rotate(${mark.turn} ${mark.x} ${mark.y})` : undefined}
          {...common}
        >
          {mark.text}
          {inside}
        </text>
      );
    case "raster":
      return null; // a scene with pixels is painted
  }
}

export function SvgPicture({ scene, label, zoom = 1 }: { scene: Scene; label: string; zoom?: number }) {
  return (
    <svg
      class="drawing"
      role="group"
      aria-label={label}
      width={scene.width * zoom}
      height={scene.height * zoom}
      viewBox={`0 0 ${scene.width} ${scene.height}`}
    >
      {scene.marks.map((mark, index) => (
        <SceneShape key={index} mark={mark} />
      ))}
    </svg>
  );
}

const MANY = 5000; // marks

/** Marks one by one; where there are too many for that, painted, and the square under the pointer is found. */
export function CanvasPicture({ scene, label }: { scene: Scene; label: string }) {
  if (scene.marks.length <= MANY) return <SvgPicture scene={scene} label={label} />;
  const at = (spot: { x: number; y: number } | null) =>
    scene.marks.find(
      (mark) =>
        mark.kind === "box" &&
        mark.touch &&
        spot &&
        spot.x >= mark.x &&
        spot.x < mark.x + mark.width &&
        spot.y >= mark.y &&
        spot.y < mark.y + mark.height,
    )?.touch;
  const left = scene.marks.find((mark) => mark.touch)?.touch?.leave;
  return (
    <Painting
      scene={scene}
      label={label}
      over={(spot) => (at(spot)?.enter ?? left)?.()}
      press={(spot, event) => at(spot)?.press?.(event.shiftKey)}
    />
  );
}

interface PaintingProps {
  scene: Scene;
  label: string;
  /** Where the pointer is, in the scene's units; null when it has left. */
  over?: (at: { x: number; y: number } | null) => void;
  press?: (at: { x: number; y: number }, event: PointerEvent) => void;
  drag?: (at: { x: number; y: number }) => void;
  keys?: (event: KeyboardEvent) => void;
  /** Where its parts stand, for whoever asks by script. */
  data?: string;
}

export function Painting({ scene, label, over, press, drag, keys, data }: PaintingProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const paper = palette.value.paper;
  useEffect(() => {
    const sheet = canvas.current;
    const context = sheet?.getContext("2d");
    if (!sheet || !context) return;
    const fine = Math.min(3, devicePixelRatio || 1);
    sheet.width = Math.round(scene.width * fine);
    sheet.height = Math.round(scene.height * fine);
    paint(context, scene, fine, paper);
  }, [scene, paper]);
  const pointOf = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) * scene.width) / box.width,
      y: ((event.clientY - box.top) * scene.height) / box.height,
    };
  };
  return (
    <canvas
      ref={canvas}
      class={press ? "painting live" : "painting"}
      role="img"
      aria-label={label}
      tabIndex={keys ? 0 : undefined}
      data-grid={data}
      style={{ width: `${scene.width}px`, aspectRatio: `${scene.width} / ${scene.height}` }}
      onPointerMove={(event) => {
        over?.(pointOf(event));
        if (event.buttons & 1) drag?.(pointOf(event));
      }}
      onPointerLeave={() => over?.(null)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        if (drag) canvas.current!.setPointerCapture(event.pointerId);
        press?.(pointOf(event), event);
      }}
      onKeyDown={keys}
    />
  );
}
