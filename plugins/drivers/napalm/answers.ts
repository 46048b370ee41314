/** The answers of one job: each question is asked once, whoever asks it, and may be shown beside the results. */
import { PluginError } from "patchbay/plugin";
import type { Answers } from "./system.ts";

/** Of all answers of a job together, in characters. */
const mostChars = 64 * 1024 * 1024;

export interface JobAnswers {
  /** What one method asks through: its questions are remembered under its name. */
  of(method: string): Answers;
  /** From here on the device is asked anew: what it says may be another thing now. */
  forget(): void;
  /** Raw answers by method, then by question. */
  raw(): Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Asked {
  readonly answer: Promise<unknown>;
  /** By the function that reads: the same one gives the same kind of value. */
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
      chars += sizeOf(answer, mostChars - chars);
      if (chars > mostChars)
        throw new PluginError(
          "OutputTooLarge",
          `The answers of the device are larger than ${mostChars / 1024 / 1024} MiB together.`,
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

/** What a value of a structure takes beside its text. */
const valueChars = 16;

/** About as many characters as its text has; no further than to `most`. */
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
