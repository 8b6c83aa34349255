/** Layers in words: "decoder, block 3 of 4, cross-attention". */
import type { LayerInfo } from "../payload";

interface LayerParts {
  stack: string;
  block: number;
  kind: string;
}

export function layerParts(name: string): LayerParts {
  const match = /^(\w+)\.(\d+)(?:\.(\w+))?$/.exec(name);
  return match
    ? { stack: match[1]!, block: Number(match[2]), kind: match[3] ?? "" }
    : { stack: name, block: 0, kind: "" };
}

const KINDS: Record<string, string> = { self: "self-attention", cross: "cross-attention" };

export function layerWords(name: string, layers: LayerInfo[]): string {
  const { stack, block, kind } = layerParts(name);
  const blocks = new Set(
    layers
      .map((layer) => layerParts(layer.name))
      .filter((entry) => entry.stack === stack)
      .map((entry) => entry.block),
  );
  if (stack === name) return name === "align" ? "the aligner" : name;
  const what =
    stack === "hop" ? `hop ${block + 1} of ${blocks.size}` : `${stack}, block ${block + 1} of ${blocks.size}`;
  return kind ? `${what}, ${KINDS[kind] ?? kind}` : what;
}

/** What a translator reads its alignment from, in words: `2 decoder.2.cross + decoder.0.cross:2 shifted`. */
export function alignmentWords(heads: string, layers: LayerInfo[]): string {
  const parts = heads.split(" + ").map((part) => {
    const match = /^(?:([\d.]+) )?([\w.]+?)(?::(\d+))?( shifted)?$/.exec(part.trim());
    if (!match) return part;
    const [, times, name = "", head, shifted] = match;
    const which = head === undefined ? "all heads" : `head ${head}`;
    const counted = times ? `, counted ${times === "2" ? "twice" : `${times} times`}` : "";
    return `${layerWords(name, layers)}, ${which}${counted}${shifted ? ", where the next token looks" : ""}`;
  });
  return `Read from ${parts.join("; and ")}.`;
}
