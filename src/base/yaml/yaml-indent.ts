/**
 * Indents the lines that continue a quoted text or a bracket. Python's parsers take such lines at any column, the
 * library only further right than their key; within quotes and brackets leading blanks mean nothing.
 */

/** Limits what is added to a text of many lines. */
const maxAdded = 8 * 1024 * 1024;
const deepestIndent = 200;

/** @returns undefined if there is no such line, or too many */
export function withIndentation(text: string): string | undefined {
  const lines = text.split("\n");
  const written: string[] = [];
  const open = new OpenText();
  /** Indentation of the line that began a block scalar, whose lines are further right. */
  let block: number | undefined;
  let added = 0;
  for (const line of lines) {
    if (open.isOpen) {
      const indent = open.indent - indentOf(line) + 1;
      const by = line.trim() === "" || indent <= 0 ? "" : " ".repeat(Math.min(indent, deepestIndent));
      added += by.length;
      if (added > maxAdded) return undefined;
      written.push(by + line);
      open.take(line, 0);
      continue;
    }
    written.push(line);
    const indent = indentOf(line);
    if (block !== undefined && (line.trim() === "" || indent > block)) continue;
    block = undefined;
    if (open.takeNodes(line, indent)) block = indent;
  }
  return added === 0 ? undefined : written.join("\n");
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Follows quotes and brackets over the lines. */
class OpenText {
  /** The column of the key that it belongs to. */
  indent = 0;
  #quote = "";
  #brackets = 0;

  get isOpen(): boolean {
    return this.#quote !== "" || this.#brackets > 0;
  }

  /** Reads nodes from a column on. @returns whether a block scalar begins */
  takeNodes(line: string, from: number): boolean {
    let at = from;
    this.indent = from;
    for (;;) {
      const [skipped = ""] = /^(?:[-?:](?=\s|$)|[!&][^\s]*|\s)*/.exec(line.slice(at)) ?? [];
      at += skipped.length;
      const sign = line[at];
      if (sign === undefined || sign === "#") return false;
      if (sign === "|" || sign === ">") return true;
      // The key of a nested mapping, as in `- - a: [`.
      this.indent = Math.min(at, deepestIndent);
      if (`"'[{`.includes(sign)) at = this.take(line, at);
      else {
        const end = /:(?=\s|$)|\s#/.exec(line.slice(at));
        if (end === null || line[at + end.index] !== ":") return false;
        at += end.index;
      }
      if (this.isOpen) return false;
      const [rest = ""] = /^\s*:(?=\s|$)/.exec(line.slice(at)) ?? [];
      if (rest === "") return false;
      at += rest.length;
    }
  }

  /** Reads on within quotes or brackets. @returns the index after their end, or the end of the line */
  take(line: string, from: number): number {
    let at = from;
    while (at < line.length) {
      const sign = line.charAt(at++);
      if (this.#quote === '"' && sign === "\\") at++;
      else if (this.#quote === "'" && sign === "'" && line[at] === "'") at++;
      else if (sign === this.#quote) this.#quote = "";
      else if (this.#quote !== "") continue;
      else if (`"'`.includes(sign) && /^[\s,:[{]?$/.test(line.charAt(at - 2))) this.#quote = sign;
      else if (sign === "[" || sign === "{") this.#brackets++;
      else if (sign === "]" || sign === "}") this.#brackets--;
      else if (sign === "#" && /^\s?$/.test(line.charAt(at - 2))) return line.length;
      if (!this.isOpen) return at;
    }
    return at;
  }
}
