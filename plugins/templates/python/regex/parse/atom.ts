/** Parses a character, class, escape or anchor. */
import { ASCII, DOTALL, IGNORECASE, MULTILINE, type Node } from "./ast.ts";
import { readEscape, takeEscape } from "./escapes.ts";
import { anchorNode, anyNode, categoryNode, classNode, literalNode, plainEscape } from "./nodes.ts";
import { BACKSLASH, skip } from "./reader.ts";
import { casingOf, type Parse, referenceNode } from "./state.ts";

const [DOT, CARET, DOLLAR, BRACKET] = [46, 94, 36, 91];

export function parseAtom(parse: Parse, code: number, flags: number): Node {
  const { reader } = parse;
  const ascii = (flags & ASCII) !== 0;
  const multiline = (flags & MULTILINE) !== 0;
  if (code === BACKSLASH) {
    const plain =
      (flags & (ASCII | IGNORECASE)) === 0
        ? plainEscape(reader.text.charCodeAt(reader.position + 1))
        : undefined;
    if (plain !== undefined) {
      skip(reader, 2);
      return plain;
    }
    const read = readEscape(reader, takeEscape(reader), parse.groups);
    switch (read.kind) {
      case "code":
        return literalNode(read.code, casingOf(flags));
      case "anchor":
        return anchorNode(read.anchor, ascii);
      case "category":
        return categoryNode(read.category, read.negated, ascii);
      case "reference":
        return referenceNode(parse, read.group, casingOf(flags));
    }
  }
  if (code >= 0xd800 && code <= 0xdbff) {
    const point = reader.text.codePointAt(reader.position) ?? code;
    skip(reader, point > 0xffff ? 2 : 1);
    return literalNode(point, casingOf(flags));
  }
  skip(reader, 1);
  switch (code) {
    case BRACKET:
      return classNode(reader, casingOf(flags), ascii);
    case DOT:
      return anyNode((flags & DOTALL) !== 0);
    case CARET:
      return anchorNode(multiline ? "lineStart" : "textStart", ascii);
    case DOLLAR:
      return anchorNode(multiline ? "lineEnd" : "textEnd", ascii);
    default:
      return literalNode(code, casingOf(flags));
  }
}
