/** Evaluates JSONata expressions over records. No host function is bound. */
import { ServiceError } from "../base/errors.ts";

/** Loaded on first use. */
const library = async () => (await import("jsonata")).default;

/** The error in an expression; undefined if it is valid. */
export async function expressionFault(text: string): Promise<string | undefined> {
  try {
    (await library())(text);
    return undefined;
  } catch (error) {
    return `is not a JSONata expression: ${wordsOf(error)}`;
  }
}

/**
 * The value as JSON text; null if nothing matches. Time and memory are unbounded: call it only in a killable process.
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

/** Functions of the library are objects that reference their environment. */
function isFunction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  return "_jsonata_function" in value || "_jsonata_lambda" in value;
}

/** The library throws objects that are not instances of Error. */
function wordsOf(error: unknown): string {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(message).slice(0, 300);
}
