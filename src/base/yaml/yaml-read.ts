/** Parses untrusted YAML: a single document with line numbers; aliases and depth are limited. */
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from "yaml";
import { ServiceError } from "../errors.ts";
import { invalid } from "../issues.ts";
import { orderedEntries, orderedRecord } from "../json/exact-json.ts";
import { isRecord } from "../json/members.ts";
import type { ReadYaml, YamlDialect, YamlWarning } from "./yaml-dialects.ts";
import { withIndentation } from "./yaml-indent.ts";
import { type YamlPiece, type YamlStep, yamlPieces } from "./yaml-pieces.ts";
import { YamlFault, yamlValue } from "./yaml-values.ts";

/** Approximate size of the pieces of longer texts. */
const pieceChars = 65_536;
const maxWarnings = 10_000;

/**
 * @param where prefix of line numbers in messages: `hosts `.
 * @throws ServiceError Validation
 */
export function readYaml(
  text: string,
  where: string,
  dialect: YamlDialect,
  maxChars: number = pieceChars,
): ReadYaml {
  const bare = text.startsWith("\ufeff") ? text.slice(1) : text;
  requireShallow(bare, where);
  const pieces = bare.length > maxChars ? yamlPieces(bare, maxChars) : undefined;
  const { value, lines, warnings } =
    (pieces && joined(pieces, dialect)) ?? readWhole(bare, 0, where, dialect);
  return { value, warnings, lineOf: (path) => lineOf(lines, path) };
}

/** The line of a node, and of its members. */
interface Lines {
  readonly line: number;
  readonly members?: Map<unknown, Lines>;
}

interface Whole {
  readonly value: unknown;
  readonly lines: Lines;
  readonly warnings: readonly YamlWarning[];
}

function lineOf(lines: Lines, path: readonly (string | number)[]): number | undefined {
  let at: Lines = lines;
  for (const step of path) {
    const next = at.members?.get(step);
    if (next === undefined) break;
    at = next;
  }
  return at === lines && path.length > 0 ? undefined : at.line;
}

/** A list or mapping that pieces are added to. */
class Growing {
  readonly lines: Lines;
  #list: unknown[] | undefined;
  readonly members = new Map<string, unknown>();

  constructor(line: number) {
    this.lines = { line, members: new Map() };
  }

  /** The mapping of a key, created if missing; undefined if the key is used twice. */
  at({ key, line }: YamlStep): Growing | undefined {
    const existing = this.members.get(key);
    if (existing !== undefined)
      return existing instanceof Growing && existing.lines.line === line ? existing : undefined;
    const created = new Growing(line);
    this.members.set(key, created);
    this.lines.members?.set(key, created.lines);
    return created;
  }

  /** @returns false if it does not fit, or a key is used twice. */
  add({ value, lines }: Whole): boolean {
    if (Array.isArray(value)) {
      if (this.members.size > 0) return false;
      this.#list ??= [];
      const list = this.#list;
      for (const [at, member] of value.entries()) {
        this.#note(list.length, lines, at);
        list.push(member);
      }
      return true;
    }
    if (!isRecord(value) || this.#list !== undefined) return value === null;
    for (const [key, member] of orderedEntries(value)) {
      if (this.members.has(key)) return false;
      this.members.set(key, member);
      this.#note(key, lines, key);
    }
    return true;
  }

  #note(as: string | number, { members }: Lines, key: string | number): void {
    const lines = members?.get(key);
    if (lines) this.lines.members?.set(as, lines);
  }

  value(): unknown {
    if (this.#list !== undefined) return this.#list;
    return orderedRecord(
      [...this.members].map(([key, member]) => [key, member instanceof Growing ? member.value() : member]),
    );
  }
}

/** @returns undefined on any fault, which parsing the whole text then reports */
function joined(pieces: readonly YamlPiece[], dialect: YamlDialect): Whole | undefined {
  const root = new Growing(1);
  const warnings: YamlWarning[] = [];
  for (const { path, before, text } of pieces) {
    let read: Whole;
    try {
      read = readWhole(text, before, "", dialect);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
    let target: Growing | undefined = root;
    for (const step of path) target = target?.at(step);
    if (target?.add(read) !== true) return undefined;
    warnings.push(...read.warnings.slice(0, maxWarnings - warnings.length));
  }
  return { value: root.value(), lines: root.lines, warnings };
}

/** @param before number of lines before the text */
function readWhole(text: string, before: number, where: string, dialect: YamlDialect): Whole {
  const lineCounter = new LineCounter();
  const lineAt = (at: number) => lineCounter.linePos(at).line + before;
  const placeOf = (at: number) => `${where}line ${lineAt(at)}, column ${lineCounter.linePos(at).col}`;
  try {
    const { document, written } = parsed(text, lineCounter);
    // Further faults mostly follow from the first.
    const [fault] = document.errors;
    if (fault) throw new YamlFault(fault.pos[0], faultText(fault));
    const warnings: YamlWarning[] = [];
    const tell = (at: number, message: string) => {
      if (warnings.length < maxWarnings) warnings.push({ line: lineAt(at), message });
    };
    const value = yamlValue({ document, text: written, dialect, tell });
    const first = lineAt(document.contents?.range?.[0] ?? 0);
    return { value, warnings, lines: linesOf(document.contents, first, lineAt, 0) };
  } catch (error) {
    if (error instanceof YamlFault) throw invalid(placeOf(error.at), error.message);
    if (error instanceof RangeError) throw invalid(`${where}line 1`, tooDeep);
    throw error;
  }
}

/** Reads as Python's parsers do, to which the indentation within quotes and brackets does not matter. */
function parsed(text: string, lineCounter: LineCounter): { document: Document.Parsed; written: string } {
  const document = parseDocument(text, { ...reading, lineCounter });
  if (document.errors.length === 0) return { document, written: text };
  const written = withIndentation(text);
  if (written === undefined) return { document, written: text };
  const counter = new LineCounter();
  const again = parseDocument(written, { ...reading, lineCounter: counter });
  if (again.errors.length > 0) return { document, written: text };
  lineCounter.lineStarts = counter.lineStarts;
  return { document: again, written };
}

/** All scalars as text: the dialects tell what they mean. */
const reading = {
  version: "1.2",
  schema: "failsafe",
  // The library's check for duplicate keys is quadratic.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

/** In the words of a user, not of the library. It never repeats the text: that may hold a secret. */
function faultText({ code, message }: YAMLError): string {
  if (/call stack/i.test(message)) return tooDeep;
  if (code === "MISSING_CHAR" && /closing/.test(message)) return "a quote is not closed";
  if (code === "BAD_INDENT" && message.startsWith("Flow")) return "a bracket is not closed";
  return faults[code] ?? quoteless(message);
}

const misplaced = "this does not belong here: check the indentation, quotes and colons before it";
const faults: Partial<Record<YAMLError["code"], string>> = {
  BAD_DQ_ESCAPE: "an unknown escape in double quotes: write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "the indentation differs from that of the lines before",
  BAD_SCALAR_START: "a value that begins with this character must be quoted",
  BLOCK_AS_IMPLICIT_KEY: "a value with a colon and a blank in it must be quoted",
  BLOCK_IN_FLOW: misplaced,
  MISSING_CHAR: "a key must be followed by a colon and a blank",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line",
  MULTIPLE_DOCS: "a second document begins here (---): the file must hold one",
  TAB_AS_INDENT: "a tab stands in the indentation: use spaces",
  UNEXPECTED_TOKEN: misplaced,
};

/** Lines of deeper nodes are never requested. */
const deepestLines = 64;

function linesOf(node: unknown, line: number, lineAt: (at: number) => number, depth: number): Lines {
  const members = new Map<unknown, Lines>();
  if (isMap(node) && depth < deepestLines)
    for (const { key, value } of node.items)
      if (isScalar(key))
        members.set(String(key.value), linesOf(value, lineAt(key.range?.[0] ?? 0), lineAt, depth + 1));
  if (isSeq(node))
    for (const [at, item] of node.items.entries())
      if (isNode(item)) members.set(at, { line: lineAt(item.range?.[0] ?? 0) });
  return members.size === 0 ? { line } : { line, members };
}

const tooDeep = "it is nested too deep";

/** Limits nesting before the recursive parser runs, by counting brackets and indentation. */
function requireShallow(text: string, where: string): void {
  let open = 0;
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) line++;
    else if (code === 0x5b || code === 0x7b) open++;
    else if (code === 0x5d || code === 0x7d) open = Math.max(0, open - 1);
    if (open > deepest) throw invalid(`${where}line ${line}`, `it is nested deeper than ${deepest} levels`);
  }
}

/** Also counts brackets within strings; no inventory has this many. */
const deepest = 1_000;

/** Removes quoted input from a parser message. */
function quoteless(message: string): string {
  const [first = ""] = message.replace(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)/g, "…").split("\n");
  return first.slice(0, 200);
}
