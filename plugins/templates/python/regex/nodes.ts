/** Makes nodes; the small ones are shared, since patterns hold the same few thousands of times. */
import type { AnchorKind, CaseRule, Category, Node, NodeOf, SetItem } from "./ast.ts";
import { type CharacterClass, readClass } from "./parse-class.ts";
import type { Parse } from "./parse-state.ts";
import { BACKSLASH, type Reader, skip } from "./reader.ts";

/** Python's own limit of a repetition count. */
export const maxRepeat = 4294967295;

/** Shared classes; there are some hundreds in a set of a thousand templates. */
const maxShared = 5000;

export const emptySequence: Node = { kind: "sequence", items: [], low: 0, high: 0 };

function makeSet(negated: boolean, items: readonly SetItem[], casing: CaseRule, ascii: boolean): Node {
  return { kind: "set", negated, items, casing, ascii, low: 1, high: 1 };
}

export const categoryNode = (category: Category, negated: boolean, ascii: boolean): Node =>
  makeSet(false, [{ kind: "category", category, negated }], "exact", ascii);

const anyChar = makeSet(true, [], "exact", false);
const anyButLineFeed = makeSet(true, [{ kind: "range", from: 10, to: 10 }], "exact", false);
export const anyNode = (dotAll: boolean): Node => (dotAll ? anyChar : anyButLineFeed);

export const anchorNode = (anchor: AnchorKind, ascii: boolean): Node => ({
  kind: "anchor",
  anchor,
  ascii,
  low: 0,
  high: 0,
});

const literals: readonly NodeOf<"literal">[] = Array.from({ length: 128 }, (_, code) => ({
  kind: "literal",
  code,
  casing: "exact",
  low: 1,
  high: 1,
}));

export function literalNode(code: number, casing: CaseRule): Node {
  const shared = casing === "exact" ? literals[code] : undefined;
  return shared ?? { kind: "literal", code, casing, low: 1, high: 1 };
}

/** What a backslash and an ASCII character stand for where no flag changes it. */
const plainEscapes: (Node | undefined)[] = [];
for (let code = 32; code < 127; code++) {
  if (!/[A-Za-z0-9]/.test(String.fromCharCode(code))) plainEscapes[code] = literalNode(code, "exact");
}
const categoryLetters = { d: "digit", s: "space", w: "word" } as const;
for (const [letter, category] of Object.entries(categoryLetters)) {
  plainEscapes[letter.charCodeAt(0)] = categoryNode(category, false, false);
  plainEscapes[letter.toUpperCase().charCodeAt(0)] = categoryNode(category, true, false);
}
plainEscapes["b".charCodeAt(0)] = anchorNode("boundary", false);

export const plainEscape = (code: number): Node | undefined => plainEscapes[code];

interface SharedClass {
  readonly node: Node;
  readonly verbatim: boolean;
}

const classes = new Map<string, SharedClass>();

/** Reads on after the `[`. */
export function classNode(parse: Parse, casing: CaseRule, ascii: boolean): Node {
  const { reader } = parse;
  if (casing !== "exact" || ascii) return fromClass(readClass(reader), casing, ascii);
  const start = reader.position;
  const end = classEnd(reader);
  const key = end < 0 ? "" : reader.text.slice(start, end);
  let shared = end < 0 ? undefined : classes.get(key);
  if (shared === undefined) {
    shared = { node: fromClass(readClass(reader), casing, ascii), verbatim: isVerbatim(key) };
    if (reader.position === end && classes.size < maxShared) classes.set(key, shared);
  } else skip(reader, end - start);
  if (!shared.verbatim) parse.verbatim = false;
  return shared.node;
}

/** A `]` that comes first and most escapes of letters and digits mean something else to JavaScript. */
const isVerbatim = (text: string): boolean => text !== "" && !/^\^?\]|\\[^dDsSwW\W_]/.test(text);

function fromClass({ negated, items }: CharacterClass, casing: CaseRule, ascii: boolean): Node {
  const [only] = items;
  if (!negated && items.length === 1 && only?.kind === "range" && only.from === only.to) {
    return literalNode(only.from, casing);
  }
  return makeSet(negated, items, casing, ascii);
}

/** The position after the `]`, or -1. */
function classEnd({ text, position, length }: Reader): number {
  let at = text.charCodeAt(position) === 94 ? position + 1 : position;
  // A `]` that comes first is a member.
  if (text.charCodeAt(at) === 93) at += 1;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 93) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}

export function sequenceNode(items: readonly Node[]): Node {
  const [only] = items;
  if (only === undefined) return emptySequence;
  if (items.length === 1) return only;
  let low = 0;
  let high = 0;
  for (const item of items) {
    low += item.low;
    high += item.high;
  }
  return { kind: "sequence", items, low: Math.min(low, maxRepeat - 1), high: Math.min(high, maxRepeat) };
}

export function choiceNode(options: readonly Node[]): Node {
  const [only] = options;
  if (only === undefined) return emptySequence;
  if (options.length === 1) return only;
  let low = maxRepeat - 1;
  let high = 0;
  for (const option of options) {
    low = Math.min(low, option.low);
    high = Math.max(high, option.high);
  }
  return { kind: "choice", options, low, high };
}
