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

interface CachedAnswer {
  readonly answer: Promise<unknown>;
  /** Keyed by the parse function: the same function returns the same type. */
  readonly readings: Map<unknown, Promise<unknown>>;
}

export function createAnswers(): JobAnswers {
  const cache = new Map<string, CachedAnswer>();
  const received = new Map<string, unknown>();
  const questions = new Map<string, Set<string>>();
  let chars = 0;

  function ask(question: string, fetchAnswer: () => Promise<unknown>): CachedAnswer {
    const before = cache.get(question);
    if (before !== undefined) return before;
    const answer = fetchAnswer().then((answer) => {
      chars += sizeOf(answer, maxChars - chars);
      if (chars > maxChars)
        throw new PluginError(
          "OutputTooLarge",
          `The device's responses exceed ${maxChars / 1024 / 1024} MiB in total.`,
        );
      received.set(question, answer);
      return answer;
    });
    const entry = { answer, readings: new Map() };
    cache.set(question, entry);
    return entry;
  }

  return {
    of(method) {
      const methodQuestions = questions.get(method) ?? new Set();
      questions.set(method, methodQuestions);
      function once(question: string, fetchAnswer: () => Promise<string>): Promise<string>;
      function once<T>(
        question: string,
        fetchAnswer: () => Promise<string>,
        read: (answer: string) => T,
      ): Promise<T>;
      function once<T>(question: string, fetchAnswer: () => Promise<string>, read?: (answer: string) => T) {
        methodQuestions.add(question);
        const { answer, readings } = ask(question, fetchAnswer);
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
        structure(question, fetchAnswer) {
          methodQuestions.add(question);
          return ask(question, fetchAnswer).answer;
        },
      };
    },
    forget: () => cache.clear(),
    raw: () =>
      Object.fromEntries(
        [...questions].map(([method, methodQuestions]) => [
          method,
          Object.fromEntries(
            [...methodQuestions]
              .filter((question) => received.has(question))
              .map((question) => [question, received.get(question)]),
          ),
        ]),
      ),
  };
}

/** Overhead of a structured value besides its text. */
const valueChars = 16;

/** Approximate size of a value as text; stops counting at `maxSize`. */
function sizeOf(answer: unknown, maxSize: number): number {
  if (typeof answer === "string") return answer.length;
  let size = 0;
  const pending: unknown[] = [answer];
  while (pending.length > 0 && size <= maxSize) {
    const value = pending.pop();
    size += valueChars + (typeof value === "string" ? value.length : 0);
    if (Array.isArray(value)) for (const item of value) pending.push(item);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        size += key.length;
        pending.push(item);
      }
  }
  return size;
}

const textOf = (answer: unknown): string => (typeof answer === "string" ? answer : JSON.stringify(answer));
