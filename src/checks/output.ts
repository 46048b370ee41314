/** Extracts the text of a driver result. */

/** For a structured result (output, error, exit status) the text is its `output`. */
function textWithin(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  return typeof output === "object" &&
    output !== null &&
    "output" in output &&
    typeof output.output === "string"
    ? output.output
    : undefined;
}

/** Whether the result has no text, so that its JSON is used. */
export const isStructure = (output: unknown): boolean => textWithin(output) === undefined;

export const textOf = (output: unknown): string => textWithin(output) ?? JSON.stringify(output) ?? "";
