/** The lines of Python that give the same numbers. */
import { model, place, run } from "./store";
import { noted } from "./address";
import type { Run } from "./payload";

/** A value as a literal; JSON's three names are other words there. */
export function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value as object)
      .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

function call(shown: Run): string {
  const options: string[] = [];
  const whole = (name: string) => (/^\d+$/.test(noted(name)) ? Number(noted(name)) : null);
  if (shown.task === "translate") options.push(`beam=${whole("beam") ?? 4}`);
  if (shown.task === "generate") {
    options.push(`max_length=${whole("tokens") ?? 32}`);
    if (whole("beam")) options.push(`beam=${whole("beam")}`);
  }
  const heat = Number(noted("temperature"));
  if (heat > 0) options.push(`sample=Sample(temperature=${heat})`, `seed=${whole("seed") ?? 0}`);
  const text = literal(shown.text);
  const given =
    shown.second === null
      ? text
      : shown.task === "answer"
        ? `${text}, ${literal(shown.second)}`
        : `(${text}, ${literal(shown.second)})`;
  return `model(${[given, ...options].join(", ")})`;
}

/** Load, run and watch as the page did, then `tail`, in which `pattern` is the chosen layer. */
export function python(tail: string[]): string {
  const shown = run.value;
  if (!shown) return "import regard\n";
  const sampled = Number(noted("temperature")) > 0;
  const edited = shown.edits.length > 0;
  const watching = "regard.watch(model.model) as seen";
  return [
    "import regard",
    ...(sampled ? ["from regard.decoding import Sample"] : []),
    "",
    `model = regard.load(${literal(shown.model)})${model.value?.where === "folder" ? "  # the path of its folder" : ""}`,
    ...(edited ? [`edits = ${literal(shown.edits)}`] : []),
    `with ${edited ? `regard.edit(model.model, edits), ${watching}` : watching}:`,
    `    answer = ${call(shown)}`,
    "print(answer)",
    ...(place.value ? [`pattern = seen[${literal(place.value.name)}]`] : []),
    ...tail,
    "",
  ].join("\n");
}
