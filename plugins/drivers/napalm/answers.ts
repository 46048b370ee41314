/** Caches the device's answers for one job: methods share them, and the result may include them raw. */
import { PluginError } from "patchbay/plugin";
import type { Answers } from "./system.ts";

/** Total size of all answers of a job, in characters. */
const maxChars = 64 * 1024 * 1024;

export interface JobAnswers {
  /** The view of one method; its queries are recorded under its name. */
  of(method: string): Answers;
  /** Clears the cache: the device may answer differently from now on. */
  forget(): void;
  /** Raw answers by method, then by query. */
  raw(): Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Asked {
  readonly answer: Promise<unknown>;
  /** Keyed by the parse function: the same function returns the same type. */
  readonly readings: Map<unknown, Promise<unknown>>;
}

export function createAnswers(): JobAnswers {
  const asked = new Map<string, Asked>();
  const known = new Map<string, unknown>();
  const questions = new Map<string, Set<string>>();
  let chars = 0;

  function ask(question: string, how: () => Promise<unknown>): Asked {
    const before = asked.get(question);
    if (before !== undefined) return before;
    const answer = how().then((answer) => {
      chars += sizeOf(answer, maxChars - chars);
      if (chars > maxChars)
        throw new PluginError(
          "OutputTooLarge",
          `The device's responses exceed ${maxChars / 1024 / 1024} MiB in total.`,
        );
      known.set(question, answer);
      return answer;
    });
    const entry = { answer, readings: new Map() };
    asked.set(question, entry);
    return entry;
  }

  return {
    of(method) {
      const own = questions.get(method) ?? new Set();
      questions.set(method, own);
      function once(question: string, how: () => Promise<string>): Promise<string>;
      function once<T>(question: string, how: () => Promise<string>, read: (answer: string) => T): Promise<T>;
      function once<T>(question: string, how: () => Promise<string>, read?: (answer: string) => T) {
        own.add(question);
        const { answer, readings } = ask(question, how);
        const text = async () => textOf(await answer);
        if (read === undefined) return text();
        const before = readings.get(read);
        if (before !== undefined) return before as Promise<T>;
        const reading = text().then(read);
        readings.set(read, reading);
        return reading;
      }
      return {
        once,
        structure(question, how) {
          own.add(question);
          return ask(question, how).answer;
        },
      };
    },
    forget: () => asked.clear(),
    raw: () =>
      Object.fromEntries(
        [...questions].map(([method, own]) => [
          method,
          Object.fromEntries(
            [...own]
              .filter((question) => known.has(question))
              .map((question) => [question, known.get(question)]),
          ),
        ]),
      ),
  };
}

/** Overhead of a structured value besides its text. */
const valueChars = 16;

/** Approximate size of a value as text; stops counting at `most`. */
function sizeOf(answer: unknown, most: number): number {
  if (typeof answer === "string") return answer.length;
  let size = 0;
  const left: unknown[] = [answer];
  while (left.length > 0 && size <= most) {
    const value = left.pop();
    size += valueChars + (typeof value === "string" ? value.length : 0);
    if (Array.isArray(value)) for (const item of value) left.push(item);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        size += key.length;
        left.push(item);
      }
  }
  return size;
}

const textOf = (answer: unknown): string => (typeof answer === "string" ? answer : JSON.stringify(answer));
