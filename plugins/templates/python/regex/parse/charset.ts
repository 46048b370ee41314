/** Sets of code points as flat ranges, and the set that a class or literal matches under its flags. */
import type { CaseRule, Category, NodeOf } from "./ast.ts";
import data from "./unicode.txt" with { type: "text" };

/** From, to, from, to, ...: ascending and disjoint. */
export type Ranges = readonly number[];

export const LAST_CODE_POINT = 0x10ffff;

const asciiCategories: Readonly<Record<Category, Ranges>> = {
  word: [48, 57, 65, 90, 95, 95, 97, 122],
  digit: [48, 57],
  space: [9, 13, 32, 32],
};
/** The same for a str pattern within ASCII: in Python, the separators 0x1c to 0x1f are white space. */
const unicodeBelow128: Readonly<Record<Category, Ranges>> = { ...asciiCategories, space: [9, 13, 28, 32] };

/** Non-ASCII letters that match an ASCII letter under `i`. */
const asciiFriends: Readonly<Record<string, readonly number[]>> = {
  i: [0x130, 0x131],
  k: [0x212a],
  s: [0x17f],
};

/** Built on first use: most patterns and texts are ASCII. */
let tables: ReturnType<typeof readTables> | undefined;
let upperOf: ReadonlyMap<number, readonly number[]> | undefined;
function loadTables() {
  tables ??= readTables();
  return tables;
}
function loadCases() {
  upperOf ??= readCases();
  return upperOf;
}

/** Code points up to `top`; those above are left out, here and below. */
export function rangesOfCategory(category: Category, ascii: boolean, top: number): Ranges {
  if (ascii) return asciiCategories[category];
  if (top < 128) return unicodeBelow128[category];
  return clip(loadTables()[category], top);
}

/** All code points that match this one under the case rule. */
function friends(code: number, casing: CaseRule): readonly number[] {
  if (casing === "exact") return [code];
  const isAsciiLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  if (isAsciiLetter) {
    const small = code | 32;
    const more = casing === "unicode" ? (asciiFriends[String.fromCharCode(small)] ?? []) : [];
    return [small, small - 32, ...more];
  }
  if (casing === "ascii" || code < 128) return [code];
  const small = lowerCode(code);
  const targets = loadTables().sharedUpper.get(small) ?? [small];
  return [...targets, ...targets.flatMap((target) => loadCases().get(target) ?? [])];
}

function withFriends(from: number, to: number, casing: CaseRule, into: number[]): void {
  into.push(from, to);
  if (casing === "exact") return;
  for (let code = Math.max(from, 65); code <= Math.min(to, 122); code++) {
    for (const friend of friends(code, casing)) into.push(friend, friend);
  }
  if (casing === "ascii" || to < 128) return;
  for (const [small, uppers] of loadCases()) {
    for (const code of [small, ...uppers, ...(loadTables().sharedUpper.get(small) ?? [])]) {
      if (code < from || code > to) continue;
      for (const friend of friends(code, casing)) into.push(friend, friend);
    }
  }
}

export const rangesOfLiteral = ({ code, casing }: NodeOf<"literal">): Ranges =>
  normalise(friends(code, casing).flatMap((friend) => [friend, friend]));

/** The set before negation; the caller complements it if the node is negated. */
export function rangesOfSet(node: NodeOf<"set">, top: number): Ranges {
  const collected: number[] = [];
  for (const item of node.items) {
    if (item.kind === "range") withFriends(item.from, item.to, node.casing, collected);
    else {
      const ranges = rangesOfCategory(item.category, node.ascii, top);
      collected.push(...(item.negated ? complement(ranges, top) : ranges));
    }
  }
  return clip(normalise(collected), top);
}

/** Python's simple lower case: one code point to one code point. */
export function lowerCode(code: number): number {
  return String.fromCodePoint(code).toLowerCase().codePointAt(0) ?? code;
}

/** Lower-case letter beyond ASCII -> the letters that map to it. */
function readCases(): Map<number, number[]> {
  const cases = new Map<number, number[]>();
  for (let code = 128; code < 0x1f000; code++) {
    const small = lowerCode(code);
    if (small === code) continue;
    const before = cases.get(small);
    if (before === undefined) cases.set(small, [code]);
    else before.push(code);
  }
  return cases;
}

/** Sorts and merges ranges. */
function normalise(ranges: readonly number[]): Ranges {
  if (ranges.length <= 2) return ranges;
  const pairs: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] ?? 0, ranges[i + 1] ?? 0]);
  pairs.sort((a, b) => a[0] - b[0]);
  const joined: number[] = [];
  for (const [from, to] of pairs) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last + 1) joined[joined.length - 1] = Math.max(last, to);
    else joined.push(from, to);
  }
  return joined;
}

function complement(ranges: Ranges, top: number): Ranges {
  const result: number[] = [];
  let start = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    if (from > start) result.push(start, Math.min(from - 1, top));
    start = (ranges[i + 1] ?? 0) + 1;
    if (start > top) return result;
  }
  result.push(start, top);
  return result;
}

function clip(ranges: Ranges, top: number): Ranges {
  const last = ranges.at(-1);
  if (last === undefined || last <= top) return ranges;
  const result: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    if (from > top) break;
    result.push(from, Math.min(ranges[i + 1] ?? 0, top));
  }
  return result;
}

export function contains(ranges: Ranges, code: number): boolean {
  let low = 0;
  let high = ranges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (ranges[2 * middle] ?? 0)) high = middle - 1;
    else if (code > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

/** Python's tables for `\w`, `\d`, `\s` and for letters that share an upper case; JavaScript's differ. */
interface Tables {
  readonly word: readonly number[];
  readonly digit: readonly number[];
  readonly space: readonly number[];
  /** Lower-case letters with the same upper case, which match each other under `i`. */
  readonly sharedUpper: ReadonlyMap<number, readonly number[]>;
}

/** Flat ranges: from, to, from, to, ... ascending. */
function readTables(): Tables {
  const line = (name: string): string => new RegExp(`^${name} (.*)$`, "m").exec(data)?.[1] ?? "";
  const groups = line("sharedUpper")
    .split(";")
    .map((group) => group.split(",").map((code) => Number.parseInt(code, 36)));
  return {
    word: readRanges(line("word")),
    digit: readRanges(line("digit")),
    space: readRanges(line("space")),
    sharedUpper: new Map(groups.flatMap((group) => group.map((code) => [code, group] as const))),
  };
}

function readRanges(pairs: string): number[] {
  const ranges: number[] = [];
  let last = 0;
  for (const step of pairs.split(",")) {
    last += Number.parseInt(step, 36);
    ranges.push(last);
  }
  return ranges;
}
