/** The text under the own matcher: code points, also where one takes two code units, and anchors. */
import type { CodeSet } from "./program.ts";

export interface Subject {
  readonly text: string;
  readonly length: number;
  codeAt(position: number): number;
  /** Start of the code point that ends at `position`. */
  before(position: number): number;
  holds(anchor: string, ascii: boolean, position: number): boolean;
}

export function createSubject(text: string, isWord: CodeSet, isAsciiWord: CodeSet): Subject {
  const { length } = text;
  const wide = /[\ud800-\udfff]/.test(text);

  const codeAt = wide
    ? (position: number) => text.codePointAt(position) ?? -1
    : (position: number) => text.charCodeAt(position);

  function before(position: number): number {
    if (!wide || position < 2) return position - 1;
    const pair = text.codePointAt(position - 2) ?? 0;
    return pair > 0xffff ? position - 2 : position - 1;
  }

  const isWordAt = (position: number, ascii: boolean) =>
    position >= 0 && position < length && (ascii ? isAsciiWord : isWord).has(codeAt(position));

  return {
    text,
    length,
    codeAt,
    before,
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
