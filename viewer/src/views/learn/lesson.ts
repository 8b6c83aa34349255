/** The numbers of a page of Learn, asked again whenever what they are made from changes. */
import type { ComponentType } from "preact";
import { address, note, noted } from "../../address";
import { api, type Grid, type Lesson } from "../../api";
import { useAsked, type Asked } from "../../parts/asked";

export type Given = Record<string, unknown>;

export interface Taught {
  lesson: Lesson;
  /** Change some of what the numbers are made from. */
  give: (change: Given) => void;
}

/** One idea: its name, four lines, the thing to move with its picture, and the equation with the numbers of now. */
export interface Page {
  topic: string;
  title: string;
  text: string;
  Body: ComponentType<Taught>;
  equation: (lesson: Lesson) => string;
}

function kept(): Given {
  try {
    const read: unknown = JSON.parse(noted("given") || "{}");
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Given) : {};
  } catch {
    return {};
  }
}

export function give(change: Given): void {
  note({ given: JSON.stringify({ ...kept(), ...change }) });
}

export function useLesson(topic: string): Asked<Lesson> {
  const given = address.value.more["given"] ?? "";
  return useAsked((signal) => api.lesson(topic, kept(), signal), [topic, given], 15);
}

export function grid(lesson: Lesson, name: string): Grid {
  return (
    lesson.grids.find((one) => one.name === name) ?? {
      name,
      kind: "numbers",
      rows: [],
      columns: [],
      numbers: [],
      notes: [],
    }
  );
}

export const fact = (lesson: Lesson, name: string): string | number | boolean | undefined =>
  lesson.facts.find((one) => one.name === name)?.value ?? undefined;

export const number = (lesson: Lesson, name: string, row: number, column: number): number =>
  grid(lesson, name).numbers[row]?.[column] ?? Number.NaN;
