/** What the number beside an answer is. */

/** Of a text that was written the logarithm is told, a sum over its tokens; of a label, a word or an answer the probability. */
export const scoreName = (task: string): string =>
  task === "translate" || task === "generate" ? "log-probability" : "probability";
