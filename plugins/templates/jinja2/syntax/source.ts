/** The source of a template with normalised line breaks, and the mapping of offsets to positions. */

import { TemplateError } from "../../python/index.ts";
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly template?: string;
}

export class Source {
  private starts: readonly number[] | undefined;
  constructor(
    readonly text: string,
    readonly name: string | undefined,
  ) {}

  place(at: number): Place {
    this.starts ??= lineStarts(this.text);
    const { starts, name } = this;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const column = at - (starts[low] ?? 0) + 1;
    return name === undefined ? { line: low + 1, column } : { line: low + 1, column, template: name };
  }

  /** A syntax error at an offset. */
  error(message: string, at: number): TemplateError {
    return new TemplateError("TemplateSyntax", message, this.place(at));
  }
}

export function createSource(raw: string, name: string | undefined, keepTrailingNewline: boolean): Source {
  const text = raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
  const keepsEnd = keepTrailingNewline || !text.endsWith("\n");
  return new Source(keepsEnd ? text : text.slice(0, -1), name);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
