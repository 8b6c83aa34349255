import { font, type SceneMark, type Scene } from "./scene";

/** Paint marks with a canvas, one scene unit to `scale` pixels. */
export function paint(context: CanvasRenderingContext2D, scene: Scene, scale: number, background?: string): void {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, scene.width, scene.height);
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, scene.width, scene.height);
  }
  paintMarks(context, scene.marks, scale);
}

/** Marks alone, over what is there. */
export function paintMarks(context: CanvasRenderingContext2D, marks: SceneMark[], scale: number): void {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  for (const mark of marks) {
    context.save();
    context.globalAlpha = mark.opacity ?? 1;
    paintMark(context, mark);
    context.restore();
  }
}

function paintMark(context: CanvasRenderingContext2D, mark: SceneMark): void {
  switch (mark.kind) {
    case "box": {
      context.beginPath();
      context.roundRect(mark.x, mark.y, Math.max(0, mark.width), Math.max(0, mark.height), mark.round ?? 0);
      if (mark.fill) {
        context.fillStyle = mark.fill;
        context.fill();
      }
      if (mark.stroke) {
        context.strokeStyle = mark.stroke;
        context.lineWidth = mark.thickness ?? 1;
        context.stroke();
      }
      return;
    }
    case "stroke": {
      if (mark.shift) context.translate(...mark.shift);
      const path = new Path2D(mark.d);
      if (mark.fill) {
        context.fillStyle = mark.fill;
        context.fill(path);
      }
      context.strokeStyle = mark.stroke;
      context.lineWidth = mark.thickness ?? 1;
      context.lineCap = "round";
      if (mark.dashes) context.setLineDash(mark.dashes.split(" ").map(Number));
      context.stroke(path);
      return;
    }
    case "label": {
      context.font = font(mark);
      context.fillStyle = mark.fill;
      context.textAlign = mark.anchor === "middle" ? "center" : (mark.anchor ?? "start");
      context.translate(mark.x, mark.y);
      if (mark.turn) context.rotate((mark.turn * Math.PI) / 180);
      context.fillText(mark.text, 0, 0);
      return;
    }
    case "raster": {
      context.imageSmoothingEnabled = mark.smooth ?? false;
      context.drawImage(mark.pixels, mark.x, mark.y, mark.width, mark.height);
    }
  }
}

/** The scene on a canvas of its own. */
export function canvasOf(scene: Scene, background: string, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(scene.width * scale);
  canvas.height = Math.ceil(scene.height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser gives no canvas to paint on");
  paint(context, scene, scale, background);
  return canvas;
}

/** The scene as a PNG, twice as fine as the screen's units. */
export async function png(scene: Scene, background: string, scale = 2): Promise<Blob> {
  const canvas = canvasOf(scene, background, scale);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for a PNG"))),
      "image/png",
    ),
  );
}
