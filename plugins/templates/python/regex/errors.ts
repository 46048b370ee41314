/** The error of a pattern that Python's `re.compile` would refuse, with its text and position. */
import { TemplateError } from "patchbay/plugin";

/** Thrown while a pattern or a replacement is read; engines put their own line and wording around it. */
export class PatternError extends TemplateError {
  /**
   * @param reason the bare reason, such as `nothing to repeat`.
   * @param position code points from the start of the pattern; undefined where Python gives none.
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
