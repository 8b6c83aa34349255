/** Token text as it can be shown: a faint sign for every space and break, and for what would hide or turn the line. */

const SPACES: Record<string, string> = { " ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽" };
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const JOINER = "\u200d"; // holds the parts of one emoji together

function sign(letter: string): string {
  const space = SPACES[letter];
  if (space) return space;
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code); // ␀ … ␟
  if (code === 0x7f) return "␡";
  if (letter !== JOINER && HIDDEN.test(letter)) return `\\u${code.toString(16).padStart(4, "0")}`;
  return letter;
}

/** What tokenisers call the tokens that are no text, in plain words. */
const PLAIN: Record<string, string> = {
  ...{ "<pad>": "start", "<s>": "start", "[CLS]": "start", "<bos>": "start" },
  ...{ "</s>": "end", "[SEP]": "end", "<eos>": "end", "<|endoftext|>": "end" },
  ...{ "<unk>": "unknown", "[UNK]": "unknown", "[MASK]": "gap", "<mask>": "gap" },
};

/** Parts of a letter that has no token of its own, as some tokenisers write them: `<0xF0><0x9F>`. */
const BYTES = /^( ?)((?:<0x[0-9A-F]{2}>)+)$/;

/** The text on one line, nothing invisible in it; spaces between the words of a whole sentence are plain ones. */
export function visible(text: string): string {
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text]!;
  const [, space, bytes] = BYTES.exec(text) ?? [];
  if (bytes)
    return `${space ? "·" : ""}${bytes.length > 6 ? "bytes" : "byte"} ${bytes.match(/[0-9A-F]{2}(?=>)/g)!.join(" ")}`;
  return /\S \S/.test(text) ? legible(text) : [...text].map(sign).join("");
}

/** A token in a sentence of ours: the space before a word goes without a sign. */
export const plainly = (text: string): string => visible(/^ \S/.test(text) ? text.slice(1) : text);

/** The same for running text: ordinary spaces stay spaces. */
export function legible(text: string): string {
  return [...text].map((letter) => (letter === " " ? " " : sign(letter))).join("");
}

/** .86 for a weight, -0.31 for a score: two digits until asked for more. */
export function short(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const text = value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"); // nothing is not less than nothing
  return Math.abs(value) < 1 ? text.replace(/^(-?)0\./, "$1.") : text;
}

/** Two digits that matter, and no exponent. */
export function plainNumber(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return short(value);
  if (size < 1e-6) return `less than ${value < 0 ? "-" : ""}.000001`;
  if (size >= 100) return count(Math.round(value));
  return value.toFixed(Math.max(0, Math.min(7, 1 - Math.floor(Math.log10(size))))).replace(/^(-?)0\./, "$1.");
}

/** Every digit that matters. */
export const long = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(7))) : String(value);

export const count = (value: number): string => value.toLocaleString("en-US");
