/** A text to begin with, where nobody gave one. */
import type { ModelInfo } from "./payload";

export interface Example {
  text: string;
  second: string;
}

const TEXTS: Record<string, (mask: string) => Example> = {
  translate: () => ({ text: "The old man gave his daughter a red bicycle.", second: "" }),
  generate: () => ({ text: "To be, or not to be", second: "" }),
  classify: () => ({ text: "A warm, funny film that I would see again.", second: "" }),
  embed: () => ({ text: "The animal didn't cross the road because it was too tired.", second: "" }),
  fill: (mask) => ({ text: `The capital of France is ${mask}.`, second: "" }),
  answer: () => ({
    text: "Mary got the milk there.\nJohn moved to the bedroom.\nMary travelled to the hallway.",
    second: "Where is the milk?",
  }),
};

/** BERT and its kin call a gap [MASK]; RoBERTa's and BART's call it <mask>. */
export function exampleOf(model: ModelInfo | null): Example | null {
  const mask = /roberta|bart|mpnet|longformer/i.test(model?.architecture ?? "") ? "<mask>" : "[MASK]";
  return TEXTS[model?.task ?? ""]?.(mask) ?? null;
}
