import { MONO, SANS, type SceneMark, type Raster, type Scene } from "./scene";

const SVG = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number | undefined>;

function element(name: string, attributes: Attributes, text?: string): SVGElement {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}

function data(pixels: Raster["pixels"]): string {
  if (pixels instanceof HTMLCanvasElement) return pixels.toDataURL();
  const canvas = document.createElement("canvas");
  canvas.width = pixels.width;
  canvas.height = pixels.height;
  canvas.getContext("2d")?.drawImage(pixels, 0, 0);
  return canvas.toDataURL();
}

function markElement(mark: SceneMark): SVGElement {
  const { opacity } = mark;
  switch (mark.kind) {
    case "box": {
      const { x, y, width, height, round } = mark;
      return element("rect", {
        x,
        y,
        width: Math.max(0, width),
        height: Math.max(0, height),
        rx: round,
        opacity,
        fill: mark.fill ?? "none",
        stroke: mark.stroke,
        "stroke-width": mark.stroke && mark.thickness,
      });
    }
    case "stroke":
      return element("path", {
        d: mark.d,
        fill: mark.fill ?? "none",
        stroke: mark.stroke,
        "stroke-width": mark.thickness,
        "stroke-linecap": "round",
        "stroke-dasharray": mark.dashes,
        transform: mark.shift ? `translate(${mark.shift.join(" ")})` : undefined,
        opacity,
      });
    case "label": {
      const { x, y, turn } = mark;
      const label = element(
        "text",
        {
          x,
          y,
          fill: mark.fill,
          opacity,
          "font-size": mark.size ?? 12,
          "font-family": mark.mono ? MONO : SANS,
          "font-weight": mark.bold ? 600 : undefined,
          "text-anchor": mark.anchor,
          transform: turn ? `rotate(${turn} ${x} ${y})` : undefined,
        },
        mark.text,
      );
      label.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve");
      return label;
    }
    case "raster": {
      const { x, y, width, height } = mark;
      return element("image", {
        x,
        y,
        width,
        height,
        opacity,
        href: data(mark.pixels),
        preserveAspectRatio: "none",
        "image-rendering": mark.smooth ? undefined : "pixelated",
      });
    }
  }
}

/** The scene as an element of its own, with a title for every mark that has one. */
export function svg(scene: Scene, title: string, background: string): SVGElement {
  const { width, height } = scene;
  const root = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  root.append(element("title", {}, title), element("rect", { width, height, fill: background }));
  for (const mark of scene.marks) {
    const node = markElement(mark);
    if (mark.title) node.append(element("title", {}, mark.title));
    root.append(node);
  }
  return root;
}

/** The same as text; the serialiser escapes, and signs stand for what XML cannot hold (see signs.ts). */
export function svgText(scene: Scene, title: string, background: string): string {
  return new XMLSerializer().serializeToString(svg(scene, title, background)) + "\n";
}
