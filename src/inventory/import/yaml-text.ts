/** Parses untrusted YAML: a single document with line numbers; aliases and depth are limited. */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type ScalarTag } from "yaml";
import { ServiceError } from "../../base/errors.ts";
import { Issues, invalid } from "../../base/issues.ts";
import { isRecord } from "../../base/members.ts";
import { importLimits, setOwn } from "./document.ts";
import { type YamlPiece, type YamlStep, yamlPieces } from "./yaml-pieces.ts";

export interface ReadYaml {
  readonly value: unknown;
  /** The line of a node, from 1. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Stands for a value encrypted by Ansible Vault. */
export const vaulted = Symbol("vault");

const vaultTag: ScalarTag = { tag: "!vault", resolve: () => vaulted };
const unsafeTag: ScalarTag = { tag: "!unsafe", resolve: (text) => text };

/** YAML 1.1 parsers read `y` and `n` as text, although the specification makes them booleans. */
const letterTag: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  test: /^[yYnN]$/,
  resolve: (text) => text,
};

/** Approximate size of the pieces of longer texts. */
const pieceChars = 65_536;

/**
 * @param where prefix of line numbers in messages: `hosts `.
 * @param version of YAML: 1.1 has yes and no as booleans, and `<<`.
 * @throws ServiceError Validation
 */
export function readYaml(
  text: string,
  where: string,
  version: "1.1" | "1.2" = "1.2",
  maxChars: number = pieceChars,
): ReadYaml {
  requireShallow(text, where);
  const pieces = text.length > maxChars ? yamlPieces(text, maxChars) : undefined;
  const document = (pieces && joined(pieces, version)) ?? readWhole(text, 0, where, version);
  return { value: document.value, lineOf: (path) => lineOf(document.lines, path) };
}

/** The line of a node, and of its members. */
interface Lines {
  readonly line: number;
  readonly members?: Map<unknown, Lines>;
}

interface Whole {
  readonly value: unknown;
  readonly lines: Lines;
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

/** @returns undefined on any fault, which parsing the whole text then reports */
function joined(pieces: readonly YamlPiece[], version: "1.1" | "1.2"): Whole | undefined {
  const top: Whole = { value: undefined, lines: { line: 1, members: new Map() } };
  const places = new Map<string, { value: unknown; lines: Lines }>();
  let root: { value: unknown; lines: Lines } | undefined;
  for (const { path, before, text } of pieces) {
    let read: Whole;
    try {
      read = readWhole(text, before, "", version);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
    if (path.length === 0 && root === undefined) root = { value: emptyOf(read.value), lines: top.lines };
    root ??= { value: {}, lines: top.lines };
    const target = placeOf(root, path, read.value, places);
    if (target === undefined || !append(target, read)) return undefined;
  }
  return root;
}

const emptyOf = (value: unknown): unknown => (Array.isArray(value) ? [] : {});

/** The list or mapping a piece belongs to, created if missing. */
function placeOf(
  root: { value: unknown; lines: Lines },
  path: readonly YamlStep[],
  value: unknown,
  places: Map<string, { value: unknown; lines: Lines }>,
) {
  let at = root;
  for (const [depth, { key, line }] of path.entries()) {
    // The line is part of the name, so that a duplicate key is noticed and refused.
    const name = `${depth} ${line}`;
    const existing = places.get(name);
    if (existing) {
      at = existing;
      continue;
    }
    if (!isRecord(at.value) || Object.hasOwn(at.value, key)) return undefined;
    const created = {
      value: depth === path.length - 1 ? emptyOf(value) : {},
      lines: { line, members: new Map() },
    };
    setOwn(at.value, key, created.value);
    at.lines.members?.set(key, created.lines);
    places.set(name, created);
    at = created;
  }
  return at;
}

function append(target: { value: unknown; lines: Lines }, read: Whole): boolean {
  const members = target.lines.members ?? new Map<unknown, Lines>();
  if (Array.isArray(target.value) && Array.isArray(read.value)) {
    const first = target.value.length;
    for (const [at, member] of read.value.entries()) {
      target.value.push(member);
      const lines = read.lines.members?.get(at);
      if (lines) members.set(first + at, lines);
    }
    return true;
  }
  if (!isRecord(target.value) || !isRecord(read.value)) return read.value === null;
  for (const [key, member] of Object.entries(read.value)) {
    if (Object.hasOwn(target.value, key)) return false;
    setOwn(target.value, key, member);
    const lines = read.lines.members?.get(key);
    if (lines) members.set(key, lines);
  }
  return true;
}

/** @param before number of lines before the text */
function readWhole(text: string, before: number, where: string, version: "1.1" | "1.2"): Whole {
  const lineCounter = new LineCounter();
  const lineAt = (at: number) => lineCounter.linePos(at).line + before;
  const placeOf = (at: number) => `${where}line ${lineAt(at)}, column ${lineCounter.linePos(at).col}`;
  try {
    const document = parseDocument(text, {
      lineCounter,
      version,
      merge: version === "1.1",
      prettyErrors: false,
      logLevel: "error",
      // The library's check for duplicate keys is quadratic.
      uniqueKeys: false,
      customTags: (tags) => [letterTag, ...tags, vaultTag, unsafeTag],
    });
    const problems = new Issues();
    for (const { pos, message } of document.errors) problems.add(placeOf(pos[0]), quoteless(message));
    problems.check();
    for (const at of repeatedKeys(document.contents)) problems.add(placeOf(at), "the key appears twice");
    problems.check();
    const value: unknown = document.toJS({ maxAliasCount: importLimits.aliases });
    if (text.includes("&") && holdsItself(value, new Set()))
      throw invalid(`${where}line 1`, "an alias stands within its own anchor");
    return {
      value,
      lines: linesOf(document.contents, lineAt(document.contents?.range?.[0] ?? 0), lineAt, 0),
    };
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`${where}line 1`, tooDeep);
    if (!(error instanceof ReferenceError)) throw error;
    const message = /unresolved/i.test(error.message)
      ? "an alias names an unknown anchor"
      : `it has too many alias expansions: at most ${importLimits.aliases} are allowed`;
    throw invalid(`${where}line 1`, message);
  }
}

/** Through an alias within its own anchor: such a value has no end, and no JSON. */
function holdsItself(value: unknown, above: Set<unknown>): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (above.has(value)) return true;
  above.add(value);
  const found = Object.values(value).some((member) => holdsItself(member, above));
  above.delete(value);
  return found;
}

/** Lines of deeper nodes are never requested. */
const deepestLines = 64;

function linesOf(node: unknown, line: number, lineAt: (at: number) => number, depth: number): Lines {
  const members = new Map<unknown, Lines>();
  if (isMap(node) && depth < deepestLines)
    for (const { key, value } of node.items)
      if (isScalar(key))
        members.set(nameOf(key.value), linesOf(value, lineAt(key.range?.[0] ?? 0), lineAt, depth + 1));
  if (isSeq(node))
    for (const [at, item] of node.items.entries())
      if (isNode(item)) members.set(at, { line: lineAt(item.range?.[0] ?? 0) });
  return members.size === 0 ? { line } : { line, members };
}

/** The member name of a key. */
const nameOf = (key: unknown): string => (key === null ? "" : String(key));

const tooDeep = "it is nested too deep";

function repeatedKeys(root: unknown): number[] {
  const duplicates: number[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (isSeq(node)) for (const item of node.items) open.push(item);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      open.push(value);
      if (!isScalar(key)) continue;
      if (keys.has(key.value)) duplicates.push(key.range?.[0] ?? 0);
      keys.add(key.value);
    }
  }
  return duplicates;
}

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

/** Removes quoted input from a parser message: it may hold a secret. */
function quoteless(message: string): string {
  if (/call stack/i.test(message)) return tooDeep;
  return (
    message
      .replace(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)/g, "…")
      .split("\n")[0]
      ?.slice(0, 200) ?? ""
  );
}
