/** Creates AST nodes. Small ones are shared: patterns repeat the same few thousands of times. */
import { textLength } from "../../text/codepoints.ts";
import type { AnchorKind, CaseRule, Category, Node, NodeOf, SetItem } from "./ast.ts";
import { readClassEscape } from "./escapes.ts";
import { accept, type Reader, refuse, refuseAt, take } from "./reader.ts";

/** Python's limit of a repeat count. */
export const maxRepeat = 4294967295;

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

/** Escapes of ASCII characters that no flag affects. */
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

/** Called after the `[`. */
export function classNode(reader: Reader, casing: CaseRule, ascii: boolean): Node {
  const { negated, items } = readClass(reader);
  const [only] = items;
  if (!negated && items.length === 1 && only?.kind === "range" && only.from === only.to) {
    return literalNode(only.from, casing);
  }
  return makeSet(negated, items, casing, ascii);
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

/** Parses character classes: `[...]`, with Python's rules for a leading `]`, ranges and escapes. */
interface CharacterClass {
  readonly negated: boolean;
  readonly items: readonly SetItem[];
}

/** Called after the `[`. */
function readClass(reader: Reader): CharacterClass {
  const start = reader.position - 1;
  const negated = accept(reader, 94);
  const items: SetItem[] = [];
  for (;;) {
    const token = take(reader);
    if (token === undefined) throw refuseAt(reader, "unterminated character set", start);
    if (token === "]" && items.length > 0) break;
    const first = readItem(reader, token);
    if (!accept(reader, 45)) {
      items.push(first);
      continue;
    }
    const end = take(reader);
    if (end === undefined) throw refuseAt(reader, "unterminated character set", start);
    if (end === "]") {
      items.push(first, { kind: "range", from: 45, to: 45 });
      break;
    }
    const second = readItem(reader, end);
    if (first.kind !== "range" || second.kind !== "range" || second.from < first.from) {
      const back = textLength(token) + 1 + textLength(end);
      throw refuse(reader, `bad character range ${token}-${end}`, back);
    }
    items.push({ kind: "range", from: first.from, to: second.from });
  }
  return { negated, items };
}

function readItem(reader: Reader, token: string): SetItem {
  if (!token.startsWith("\\")) return singleCode(token.codePointAt(0) ?? 0);
  const read = readClassEscape(reader, token);
  if (read.kind === "category") return read;
  return singleCode(read.kind === "code" ? read.code : 0);
}

const singleCode = (code: number): SetItem => ({ kind: "range", from: code, to: code });
