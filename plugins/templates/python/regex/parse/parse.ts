/** Parses a Python pattern into an AST; rejects what Python's `re` rejects, with its message and position. */

import { TemplateError } from "../../errors.ts";
import { textLength } from "../../text/codepoints.ts";
import {
  ASCII,
  DOTALL,
  IGNORECASE,
  MULTILINE,
  type Node,
  type ParsedPattern,
  UNICODE,
  VERBOSE,
} from "./ast.ts";
import { PatternError } from "./errors.ts";
import { readEscape, takeEscape } from "./escapes.ts";
import { combineFlags, isFlagLetter, readFlags } from "./flags.ts";
import { Groups } from "./groups.ts";
import {
  anchorNode,
  anyNode,
  categoryNode,
  choiceNode,
  classNode,
  emptySequence,
  literalNode,
  plainEscape,
  sequenceNode,
} from "./nodes.ts";
import {
  accept,
  BACKSLASH,
  createReader,
  peek,
  type Reader,
  refuse,
  refuseAt,
  skip,
  take,
} from "./reader.ts";
import { parseRepeat } from "./repeat.ts";
import { casingOf, type Parse, referenceNode } from "./state.ts";

const maxDepth = 400;

const [PIPE, OPEN, CLOSE, STAR, PLUS, QUESTION, BRACE, HASH] = [124, 40, 41, 42, 43, 63, 123, 35];

export function parsePattern(pattern: string, flags = 0): ParsedPattern {
  const reader = createReader(pattern);
  const parse: Parse = {
    reader,
    groups: new Groups(reader),
    globalFlags: flags,
    variableBehind: false,
    unusual: false,
    groupLoops: 0,
    variableParts: 0,
  };
  const root = parseChoice(parse, flags, 0);
  if ((parse.globalFlags & ASCII) === 0) parse.globalFlags |= UNICODE;
  else if ((parse.globalFlags & UNICODE) !== 0) {
    throw new PatternError("ASCII and UNICODE flags are incompatible");
  }
  if (peek(reader) >= 0) throw refuse(reader, "unbalanced parenthesis");
  parse.groups.checkConditions();
  if (parse.variableBehind) throw new PatternError("look-behind requires fixed-width pattern");
  const { unusual, groupLoops, variableParts, globalFlags, groups } = parse;
  return {
    source: pattern,
    flags: globalFlags,
    root,
    groups: groups.count() - 1,
    groupIndex: groups.names,
    unusual,
    groupLoops,
    variableParts,
  };
}

function parseChoice(parse: Parse, outerFlags: number, depth: number): Node {
  if (depth > maxDepth) throw new TemplateError("TemplateLimit", "regular expression: nested too deeply");
  const first = parseSequence(parse, outerFlags, depth, depth === 0);
  if (peek(parse.reader) !== PIPE) return first;
  const options = [first];
  while (accept(parse.reader, PIPE)) {
    options.push(parseSequence(parse, depth === 0 ? parse.globalFlags : outerFlags, depth, false));
  }
  return choiceNode(options);
}

function parseSequence(parse: Parse, outerFlags: number, depth: number, first: boolean): Node {
  const { reader } = parse;
  const items: Node[] = [];
  let flags = outerFlags;
  for (;;) {
    const code = peek(reader);
    if (code === -1 || code === PIPE || code === CLOSE) break;
    if ((flags & VERBOSE) !== 0 && skipVerbose(reader, code)) continue;
    switch (code) {
      case OPEN: {
        const group = parseGroup(parse, flags, depth, first && items.length === 0);
        if (typeof group === "number") flags = group;
        else if (group !== undefined) items.push(group);
        break;
      }
      case STAR:
      case PLUS:
      case QUESTION:
      case BRACE:
        parseRepeat(parse, code, items);
        break;
      default:
        items.push(parseAtom(parse, code, flags));
    }
  }
  return sequenceNode(items);
}

function skipVerbose(reader: Reader, code: number): boolean {
  if (code === 32 || (code >= 9 && code <= 13)) {
    skip(reader, 1);
    return true;
  }
  if (code !== HASH) return false;
  let skipped: string | undefined;
  do skipped = take(reader);
  while (skipped !== undefined && skipped !== "\n");
  return true;
}

/** Returns a node, the new flags after `(?i)`, or nothing for a comment. */
function parseGroup(parse: Parse, flags: number, depth: number, first: boolean): Node | number | undefined {
  const { reader, groups } = parse;
  const start = reader.position;
  skip(reader, 1);
  let name: string | undefined;
  let capture = true;
  let inner = flags;
  if (accept(reader, QUESTION)) {
    const char = take(reader);
    switch (char) {
      case undefined:
        throw refuse(reader, "unexpected end of pattern");
      case "P":
        if (accept(reader, 61)) {
          return referenceNode(parse, groups.readReference(), casingOf(flags));
        }
        name = groups.readName();
        break;
      case ":":
        capture = false;
        break;
      case ">": {
        const body = parseBody(parse, flags, depth, start);
        return { kind: "atomic", body, low: body.low, high: body.high };
      }
      case "#":
        skipComment(reader, start);
        return undefined;
      case "=":
      case "!":
      case "<":
        return parseLook(parse, char, flags, depth, start);
      case "(":
        return parseCondition(parse, flags, depth, start);
      default: {
        if (char !== "-" && !isFlagLetter(char)) {
          throw refuse(reader, `unknown extension ?${char}`, textLength(char) + 1);
        }
        const inline = readFlags(reader, char);
        if (inline.global !== undefined) {
          if (!first) throw refuseAt(reader, "global flags not at the start of the expression", start);
          parse.globalFlags |= inline.global;
          return parse.globalFlags;
        }
        inner = combineFlags(flags, inline.add, inline.remove);
        capture = false;
      }
    }
  }
  const index = capture ? groups.open(name) : 0;
  const body = parseBody(parse, inner, depth, start);
  if (index > 0) groups.close(index, body);
  return { kind: "group", index, body, low: body.low, high: body.high };
}

function parseBody(parse: Parse, flags: number, depth: number, start: number): Node {
  const body = parseChoice(parse, flags, depth + 1);
  close(parse.reader, start);
  return body;
}

function close(reader: Reader, start: number): void {
  if (!accept(reader, CLOSE)) throw refuseAt(reader, "missing ), unterminated subpattern", start);
}

function skipComment(reader: Reader, start: number): void {
  for (;;) {
    if (peek(reader) < 0) throw refuseAt(reader, "missing ), unterminated comment", start);
    if (take(reader) === ")") return;
  }
}

function parseLook(parse: Parse, char: string, flags: number, depth: number, start: number): Node {
  const { reader, groups } = parse;
  const behind = char === "<";
  let sign: string | undefined = char;
  if (behind) {
    parse.unusual = true;
    sign = take(reader);
    if (sign === undefined) throw refuse(reader, "unexpected end of pattern");
    if (sign !== "=" && sign !== "!") {
      throw refuse(reader, `unknown extension ?<${sign}`, textLength(sign) + 2);
    }
  }
  const outer = groups.enterBehind(behind);
  const body = parseChoice(parse, flags, depth + 1);
  groups.leaveBehind(outer);
  close(reader, start);
  if (behind && body.low !== body.high) parse.variableBehind = true;
  return { kind: "look", behind, negated: sign === "!", body, low: 0, high: 0 };
}

function parseCondition(parse: Parse, flags: number, depth: number, start: number): Node {
  const { reader, groups } = parse;
  parse.unusual = true;
  const group = groups.readCondition();
  const yes = parseSequence(parse, flags, depth + 1, false);
  const no = accept(reader, PIPE) ? parseSequence(parse, flags, depth + 1, false) : emptySequence;
  if (peek(reader) === PIPE) {
    throw refuse(reader, "conditional backref with more than two branches");
  }
  close(reader, start);
  return {
    kind: "condition",
    group,
    yes,
    no,
    low: Math.min(yes.low, no.low),
    high: Math.max(yes.high, no.high),
  };
}

const [DOT, CARET, DOLLAR, BRACKET] = [46, 94, 36, 91];

/** Parses a character, class, escape or anchor. */
function parseAtom(parse: Parse, code: number, flags: number): Node {
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
