/** The lines of Python that give the same numbers. */
import { model, layer, run } from "./store";
import { moreText } from "./address";
import type { RunPayload } from "./payload";

/** A value as a literal; JSON's three names are other words there. */
export function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value as object)
      .map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

function call(shown: RunPayload): string {
  const options: string[] = [];
  const whole = (name: string) => (/^\d+$/.test(moreText(name)) ? Number(moreText(name)) : null);
  if (shown.task === "translate") options.push(`beam=${whole("beam") ?? 4}`);
  if (shown.task === "generate") {
    options.push(`max_new_tokens=${whole("tokens") ?? 32}`);
    if (whole("beam")) options.push(`beam=${whole("beam")}`);
  }
  const heat = Number(moreText("temperature"));
  if (heat > 0) options.push(`sample=Sampling(temperature=${heat})`, `seed=${whole("seed") ?? 0}`);
  const text = literal(shown.text);
  const input =
    shown.second === null
      ? text
      : shown.task === "answer"
        ? `${text}, ${literal(shown.second)}`
        : `(${text}, ${literal(shown.second)})`;
  return `model(${[input, ...options].join(", ")})`;
}

/** Load, run and watch as the page did, then `tail`, in which `pattern` is the chosen layer. */
export function python(tail: string[]): string {
  const shown = run.value;
  if (!shown) return "import regard\n";
  const sampled = Number(moreText("temperature")) > 0;
  const edited = shown.edits.length > 0;
  const watching = "regard.watch(model.model) as seen";
  return [
    "import regard",
    ...(sampled ? ["from regard.decoding import Sampling"] : []),
    "",
    `model = regard.load(${literal(shown.model)})${model.value?.where === "folder" ? "  # the path of its folder" : ""}`,
    ...(edited ? [`edits = ${literal(shown.edits)}`] : []),
    `with ${edited ? `regard.edit(model.model, edits), ${watching}` : watching}:`,
    `    answer = ${call(shown)}`,
    "print(answer)",
    ...(layer.value ? [`pattern = seen[${literal(layer.value.name)}]`] : []),
    ...tail,
    "",
  ].join("\n");
}
