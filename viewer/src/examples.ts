/** A text to begin with, where nobody gave one. */
import type { ModelInfo } from "./payload";

export interface Example {
  text: string;
  second: string;
}

/** Its words are whole pieces, and German says them in another order. */
export const SENTENCE = "My little sister has found a red book in the garden.";

/** The same for a model that reads German, as its name says: `de-en`, `opus-mt-de-en`. */
const GERMAN = "Meine kleine Schwester hat im Garten ein rotes Buch gefunden.";
const READS_GERMAN = /(^|[-_/])de[-_][a-z]{2,3}$/i;

const TEXTS: Record<string, (mask: string, model: ModelInfo) => Example> = {
  translate: (_, { name }) => ({ text: READS_GERMAN.test(name) ? GERMAN : SENTENCE, second: "" }),
  generate: () => ({ text: "To be, or not to be", second: "" }),
  classify: () => ({ text: "A warm, funny film that I would see again.", second: "" }),
  embed: () => ({ text: "The animal didn't cross the road because it was too tired.", second: "" }),
  // the small model that comes with the install knows whom one is afraid of, and no capitals
  fill: (mask, { where }) => ({
    text: where === "built in" ? `She is afraid of ${mask}.` : `The capital of France is ${mask}.`,
    second: "",
  }),
  answer: () => ({
    text: "Mary got the milk there.\nJohn moved to the bedroom.\nMary travelled to the hallway.",
    second: "Where is the milk?",
  }),
};

/** BERT and its kin call a gap [MASK]; RoBERTa's and BART's call it <mask>. */
export function exampleOf(model: ModelInfo | null): Example | null {
  const mask = /roberta|bart|mpnet|longformer/i.test(model?.architecture ?? "") ? "<mask>" : "[MASK]";
  return (model && TEXTS[model.task]?.(mask, model)) ?? null;
}
