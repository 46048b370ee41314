/** The text of what a driver gave: its own, or that of a structure. */

/** A driver that gives structure (output, error, exit status): the text is its `output`. */
function textWithin(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  return typeof output === "object" &&
    output !== null &&
    "output" in output &&
    typeof output.output === "string"
    ? output.output
    : undefined;
}

/** It has no text of its own: its JSON is taken. */
export const isStructure = (output: unknown): boolean => textWithin(output) === undefined;

export const textOf = (output: unknown): string => textWithin(output) ?? JSON.stringify(output) ?? "";
