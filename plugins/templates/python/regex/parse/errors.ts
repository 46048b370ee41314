/** The error of an invalid pattern, with the message and position of Python's `re.compile`. */

import { TemplateError } from "../../errors.ts";
/** Thrown while parsing a pattern or replacement; engines add their own line and wording. */
export class PatternError extends TemplateError {
  /**
   * @param reason the message alone, such as `nothing to repeat`.
   * @param position offset in code points; undefined if Python gives none.
   */
  constructor(
    readonly reason: string,
    pattern = "",
    readonly position?: number,
  ) {
    super("TemplateSyntax", position === undefined ? reason : located(reason, pattern, position));
  }
}

function located(reason: string, pattern: string, position: number): string {
  const text = `${reason} at position ${position}`;
  if (!pattern.includes("\n")) return text;
  const before = Array.from(pattern).slice(0, position).join("");
  const line = before.split("\n").length;
  const column = position - Array.from(before.slice(0, before.lastIndexOf("\n") + 1)).length + 1;
  return `${text} (line ${line}, column ${column})`;
}
