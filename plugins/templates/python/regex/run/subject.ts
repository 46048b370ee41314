/** The text of the backtracking matcher: access by code point, and anchors. */
import type { AnchorKind, CaseRule } from "../parse/ast.ts";
import { lowerCode } from "../parse/charset.ts";
import { wordSet } from "../parse/code-set.ts";

export class Subject {
  readonly length: number;

  /** @param wide the text has surrogate pairs. */
  constructor(
    readonly text: string,
    private readonly wide: boolean,
  ) {
    this.length = text.length;
  }

  codeAt(position: number): number {
    return this.wide ? (this.text.codePointAt(position) ?? -1) : this.text.charCodeAt(position);
  }

  /** Start of the code point that ends at `position`. */
  before(position: number): number {
    if (!this.wide || position < 2) return position - 1;
    const pair = this.text.codePointAt(position - 2) ?? 0;
    return pair > 0xffff ? position - 2 : position - 1;
  }

  /** End of a repetition of the text from `from` to `to` at `position`, or -1. */
  repeats(from: number, to: number, position: number, casing: CaseRule): number {
    const { text, length } = this;
    if (casing === "exact")
      return text.startsWith(text.slice(from, to), position) ? position + to - from : -1;
    const fold = (code: number) => (casing === "ascii" && code > 127 ? code : lowerCode(code));
    let end = position;
    for (let at = from; at < to; ) {
      if (end >= length) return -1;
      const otherCode = this.codeAt(at);
      const code = this.codeAt(end);
      if (fold(otherCode) !== fold(code)) return -1;
      at += otherCode > 0xffff ? 2 : 1;
      end += code > 0xffff ? 2 : 1;
    }
    return end;
  }

  holds(anchor: AnchorKind, ascii: boolean, position: number): boolean {
    const { text, length } = this;
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
        // Python matches neither a boundary nor its opposite in an empty text.
        if (length === 0) return false;
        const differs = this.isWord(this.before(position), ascii) !== this.isWord(position, ascii);
        return differs === (anchor === "boundary");
      }
    }
  }

  private isWord(position: number, ascii: boolean): boolean {
    return position >= 0 && position < this.length && wordSet(ascii).has(this.codeAt(position));
  }
}
