/** The text under the own matcher: code points, also where one takes two code units, and anchors. */
import type { CaseRule } from "./ast.ts";
import type { CodeSets } from "./code-set.ts";

export interface Subject {
  readonly text: string;
  readonly length: number;
  codeAt(position: number): number;
  /** Start of the code point that ends at `position`. */
  before(position: number): number;
  holds(anchor: string, ascii: boolean, position: number): boolean;
  /** Where the text between `from` and `to` ends when it stands at `position` again, or -1. */
  repeats(from: number, to: number, position: number, casing: CaseRule): number;
}

export function createSubject(text: string, wide: boolean, sets: CodeSets): Subject {
  const { length } = text;

  const codeAt = wide
    ? (position: number) => text.codePointAt(position) ?? -1
    : (position: number) => text.charCodeAt(position);

  function before(position: number): number {
    if (!wide || position < 2) return position - 1;
    const pair = text.codePointAt(position - 2) ?? 0;
    return pair > 0xffff ? position - 2 : position - 1;
  }

  const isWordAt = (position: number, ascii: boolean) =>
    position >= 0 && position < length && sets.word(ascii).has(codeAt(position));

  return {
    text,
    length,
    codeAt,
    before,
    repeats(from, to, position, casing) {
      if (casing === "exact")
        return text.startsWith(text.slice(from, to), position) ? position + to - from : -1;
      const fold = (code: number) => (casing === "ascii" && code > 127 ? code : sets.lower(code));
      let end = position;
      for (let at = from; at < to; ) {
        if (end >= length) return -1;
        const wanted = codeAt(at);
        const code = codeAt(end);
        if (fold(wanted) !== fold(code)) return -1;
        at += wanted > 0xffff ? 2 : 1;
        end += code > 0xffff ? 2 : 1;
      }
      return end;
    },
    holds(anchor, ascii, position) {
      switch (anchor) {
        case "textStart":
          return position === 0;
        case "lineStart":
          return position === 0 || text.charCodeAt(position - 1) === 10;
        case "textEnd":
          return position === length || (position === length - 1 && text.charCodeAt(position) === 10);
        case "lineEnd":
          return position === length || text.charCodeAt(position) === 10;
        case "absoluteEnd":
          return position === length;
        default: {
          // Python finds neither a boundary nor its opposite in an empty text.
          if (length === 0) return false;
          const differs = isWordAt(before(position), ascii) !== isWordAt(position, ascii);
          return differs === (anchor === "boundary");
        }
      }
    },
  };
}
