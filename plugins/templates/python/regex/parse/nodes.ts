/** Creates AST nodes. Small ones are shared: patterns repeat the same few thousands of times. */
import type { AnchorKind, CaseRule, Category, Node, NodeOf, SetItem } from "./ast.ts";
import { readClass } from "./class.ts";
import type { Reader } from "./reader.ts";

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
