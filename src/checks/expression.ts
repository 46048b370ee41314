/** JSONata: expressions over records. What they name is data: no function of the host is bound. */
import { ServiceError } from "../base/errors.ts";

/** Loaded by the first check that has an expression: others pay nothing for it. */
const library = async () => (await import("jsonata")).default;

/** What is wrong with an expression; undefined when it may be used. */
export async function expressionFault(text: string): Promise<string | undefined> {
  try {
    (await library())(text);
    return undefined;
  } catch (error) {
    return `is no JSONata expression: ${wordsOf(error)}`;
  }
}

/**
 * The value as JSON text; nothing found is null. Takes what time and memory it wants: only where it can be killed.
 * @throws ServiceError ParseError
 */
export async function evaluate(expression: string, json: string): Promise<string> {
  try {
    const value: unknown = await (await library())(expression).evaluate(JSON.parse(json));
    return (
      JSON.stringify(value ?? null, (_, member: unknown) => (isFunction(member) ? null : member)) ?? "null"
    );
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new ServiceError("ParseError", `The expression failed: ${wordsOf(error)}`);
  }
}

/** Those of the library are objects, and hold what they were made in. */
function isFunction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  return "_jsonata_function" in value || "_jsonata_lambda" in value;
}

/** The library throws objects that are no errors. */
function wordsOf(error: unknown): string {
  const told = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(told).slice(0, 300);
}
