/** The numbers of a page of Learn, asked again whenever what they are made from changes. */
import type { ComponentType } from "preact";
import { address, setMore, moreText } from "../../address";
import { api, type Grid, type LessonNumbers } from "../../api";
import { useQuery, type QueryResult } from "../../parts/query";

export type LessonInputs = Record<string, unknown>;

export interface LessonProps {
  lesson: LessonNumbers;
  /** Change some of what the numbers are made from. */
  give: (change: LessonInputs) => void;
}

/** One idea: its name, four lines, the thing to move with its picture, and the equation with the numbers of now. */
export interface LessonPage {
  topic: string;
  title: string;
  text: string;
  Body: ComponentType<LessonProps>;
  equation: (lesson: LessonNumbers) => string;
}

function storedInputs(): LessonInputs {
  try {
    const read: unknown = JSON.parse(moreText("inputs") || "{}");
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as LessonInputs) : {};
  } catch {
    return {};
  }
}

export function give(change: LessonInputs): void {
  setMore({ inputs: JSON.stringify({ ...storedInputs(), ...change }) });
}

export function useLesson(topic: string): QueryResult<LessonNumbers> {
  const inputsText = address.value.more["inputs"] ?? "";
  return useQuery((signal) => api.lesson(topic, storedInputs(), signal), [topic, inputsText], 15);
}

export function grid(lesson: LessonNumbers, name: string): Grid {
  return (
    lesson.grids.find((entry) => entry.name === name) ?? {
      name,
      kind: "numbers",
      rows: [],
      columns: [],
      numbers: [],
      notes: [],
    }
  );
}

export const fact = (lesson: LessonNumbers, name: string): string | number | boolean | undefined =>
  lesson.facts.find((entry) => entry.name === name)?.value ?? undefined;

export const number = (lesson: LessonNumbers, name: string, row: number, column: number): number =>
  grid(lesson, name).numbers[row]?.[column] ?? Number.NaN;
