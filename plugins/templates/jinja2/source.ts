/** A template's text with its line ends made one, and where an offset stands in it. */
import { TemplateError } from "../../../src/plugin/template.ts";

export interface Source {
  readonly name: string | undefined;
  readonly text: string;
  place(at: number): Place;
  /** A syntax error at an offset. */
  error(message: string, at: number): TemplateError;
}

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly template?: string;
}

export function createSource(given: string, name: string | undefined, keepTrailingNewline: boolean): Source {
  let text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
  if (!keepTrailingNewline && text.endsWith("\n")) text = text.slice(0, -1);
  let starts: number[] | undefined;
  const place = (at: number): Place => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const column = at - (starts[low] ?? 0) + 1;
    return name === undefined ? { line: low + 1, column } : { line: low + 1, column, template: name };
  };
  return {
    name,
    text,
    place,
    error: (message, at) => new TemplateError("TemplateSyntax", message, place(at)),
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
