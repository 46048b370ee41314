/** Parses JSON typed by a person; errors include the position, as far as the browser reports it. */
import * as v from "valibot";
import { parseExact } from "../../base/json/exact-json.ts";

export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
  /** 1-based. */
  readonly at: { readonly line: number; readonly column: number } | undefined;

  constructor(subject: string, error: unknown, text: string) {
    const message = error instanceof Error ? error.message : String(error);
    super(`${subject}: ${message}`);
    const offset = /position (\d+)/.exec(message)?.[1];
    const before = offset === undefined ? undefined : text.slice(0, Number(offset)).split("\n");
    this.at = before && { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** @throws JsonProblem. An empty text is an empty object. */
export function readJson(subject: string, text: string): unknown {
  try {
    return parseExact(text.trim() === "" ? "{}" : text);
  } catch (error) {
    throw new JsonProblem(subject, error, text);
  }
}

const object = v.record(v.string(), v.unknown());

/** @throws JsonProblem */
export function readJsonObject(subject: string, text: string): Record<string, unknown> {
  const value = readJson(subject, text);
  const read = v.safeParse(object, value);
  // The schema takes an array for an object.
  if (read.success && !Array.isArray(value)) return read.output;
  throw new JsonProblem(subject, "it must be an object", text);
}
