/** What the chapters of Learn are, and the numbers of each, asked again whenever what they are made from changes. */
import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { address, go, moreText, type View } from "../../address";
import { api, type Grid, type LessonNumbers } from "../../api";
import { useQuery, type QueryResult } from "../../parts/query";

export type LessonInputs = Record<string, unknown>;

export interface LessonProps {
  lesson: LessonNumbers;
  /** Change some of what the numbers are made from. */
  give: (change: LessonInputs) => void;
}

/** A question that the reader answers by moving things: the numbers themselves say when it is done. */
export interface Experiment {
  ask: string;
  isDone: (lesson: LessonNumbers) => boolean;
  answer: string;
}

/** One idea: its name, four lines, the thing to move with its picture, and the equation with the numbers of now. */
export interface LessonPage {
  topic: string;
  title: string;
  text: string;
  Body: ComponentType<LessonProps>;
  equation: (lesson: LessonNumbers) => ComponentChildren;
  experiment: Experiment;
  /** The view that shows the same of a sentence of one's own, and what to look for there. */
  elsewhere: { view: View; says: string };
}

const inputsByTopic = signal<Record<string, LessonInputs>>({});
const stepByTopic = signal<Record<string, number>>({});
/** Experiments that were done. */
export const solved = signal<ReadonlySet<string>>(new Set());

function parsed(text: string): LessonInputs {
  try {
    const read: unknown = JSON.parse(text || "{}");
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as LessonInputs) : {};
  } catch {
    return {};
  }
}

/** The chapter that is read stands in the address, with all that was moved in it. */
export function settle(topic: string): void {
  const inputs = inputsByTopic.peek()[topic];
  const step = stepByTopic.peek()[topic];
  const more = {
    ...address.peek().more,
    ...{ topic, inputs: inputs ? JSON.stringify(inputs) : "", step: step ? String(step) : "" },
  };
  go({ more }, false);
}

/** An address says what was moved in its chapter. */
export function adopt(): void {
  const topic = moreText("topic");
  if (!topic) return;
  const [inputs, step] = [moreText("inputs"), Number(moreText("step") || 0)];
  if (inputs !== JSON.stringify(inputsByTopic.peek()[topic] ?? "") && (inputs || inputsByTopic.peek()[topic]))
    inputsByTopic.value = { ...inputsByTopic.peek(), [topic]: parsed(inputs) };
  if (step !== (stepByTopic.peek()[topic] ?? 0)) stepByTopic.value = { ...stepByTopic.peek(), [topic]: step };
}

export function giveTo(topic: string, change: LessonInputs): void {
  inputsByTopic.value = { ...inputsByTopic.peek(), [topic]: { ...inputsByTopic.peek()[topic], ...change } };
  settle(topic);
}

/** Which step of a chapter one is at. */
export const stepOf = (topic: string, most: number): number =>
  Math.min(most, Math.max(0, stepByTopic.value[topic] ?? 0));

export function setStep(topic: string, step: number): void {
  stepByTopic.value = { ...stepByTopic.peek(), [topic]: step };
  settle(topic);
}

export function useLesson(topic: string, isNear: boolean): QueryResult<LessonNumbers> {
  const inputs = inputsByTopic.value[topic] ?? {};
  return useQuery(
    isNear ? (signal) => api.lesson(topic, inputs, signal) : null,
    [topic, isNear, JSON.stringify(inputs)],
    15,
  );
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

/** All numbers of a grid that are there. */
export const numbersOf = (lesson: LessonNumbers, name: string): number[] =>
  grid(lesson, name)
    .numbers.flat()
    .filter((value): value is number => value !== null);
