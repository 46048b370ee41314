/** Emits an AST as the source of an equivalent JavaScript RegExp. */
import {
  type AnchorKind,
  type Category,
  type CharNode,
  isSingle,
  type Node,
  type NodeOf,
} from "../parse/ast.ts";
import {
  LAST_CODE_POINT,
  type Ranges,
  rangesOfCategory,
  rangesOfLiteral,
  rangesOfSet,
} from "../parse/charset.ts";

/**
 * The kind of text determines the RegExp. 0: ASCII without the separators 0x1c to 0x1f, where JavaScript's
 * classes equal Python's (the most common and fastest); 1: the Basic Multilingual Plane; 2: text with
 * surrogate pairs, with flag `u`.
 */
export type Tier = 0 | 1 | 2;

export interface EmitOptions {
  readonly tier: Tier;
  /** Groups to capture; the others become non-capturing. */
  readonly keep: (group: number) => boolean;
  /** The text has no line feed, so `$` needs no look-ahead. */
  readonly singleLine: boolean;
}

export interface Emitted {
  readonly source: string;
  readonly flags: "" | "u";
  /** Group of the pattern -> group of the RegExp; 0 if not captured. */
  readonly groups: readonly number[];
}

const tops: readonly [number, number, number] = [0x7f, 0xffff, LAST_CODE_POINT];

/** RegExp sources of character sets, cached by node; patterns share nodes. */
const cache = [0, 1, 2].map(() => new WeakMap<CharNode, string>());

function setSource(node: CharNode, tier: Tier): string {
  let source = cache[tier]?.get(node);
  if (source === undefined) {
    if (node.kind === "literal") source = classSource(rangesOfLiteral(node), false, tier);
    else if (tier === 0 && node.casing === "exact") source = asciiClass(node);
    else source = classSource(rangesOfSet(node, tops[tier]), node.negated, tier);
    cache[tier]?.set(node, source);
  }
  return source;
}

export function emitPattern(root: Node, groupCount: number, options: EmitOptions): Emitted {
  const { tier, keep, singleLine } = options;
  const groups: number[] = new Array(groupCount + 1).fill(0);
  let captures = 0;

  function write(node: Node): string {
    switch (node.kind) {
      case "literal":
        return node.casing === "exact" ? charSource(node.code, tier) : setSource(node, tier);
      case "set":
        return setSource(node, tier);
      case "anchor":
        return anchorSource(node, tier, singleLine);
      case "sequence":
        return node.items
          .map((item) => (item.kind === "choice" ? `(?:${write(item)})` : write(item)))
          .join("");
      case "choice":
        return node.options.map(write).join("|");
      case "group":
        return group(node.index, node.body);
      case "repeat":
        return repeat(node.body, node.min, node.max, node.mode);
      case "atomic":
        return atomic(() => write(node.body));
      case "look":
        return `(?${node.behind ? "<" : ""}${node.negated ? "!" : "="}${write(node.body)})`;
      case "reference":
        return `(?:\\${groups[node.group] ?? 0})`;
      case "condition":
        return "[]";
    }
  }

  function group(index: number, body: Node): string {
    if (index === 0 || !keep(index)) return `(?:${write(body)})`;
    captures += 1;
    groups[index] = captures;
    return `(${write(body)})`;
  }

  function repeat(body: Node, min: number, max: number, mode: "greedy" | "lazy" | "possessive"): string {
    const loop = () => unit(body) + quantifier(min, max) + (mode === "lazy" ? "?" : "");
    return mode === "possessive" ? atomic(loop) : loop();
  }

  /** Emulates an atomic group: a look-ahead never backtracks, and the back-reference consumes what it captured. */
  function atomic(body: () => string): string {
    captures += 1;
    const index = captures;
    return `(?:(?=(${body()}))\\${index})`;
  }

  function unit(node: Node): string {
    if (node.kind === "group" && node.index === 0 && isSingle(node.body)) return unit(node.body);
    const source = write(node);
    return isSingle(node) || node.kind === "group" ? source : `(?:${source})`;
  }

  const source = write(root);
  return { source, flags: tier === 2 ? "u" : "", groups };
}

/** For any text, and for text without line feeds. */
const ends: Readonly<Record<Exclude<AnchorKind, "boundary" | "notBoundary">, readonly [string, string]>> = {
  textStart: ["^", "^"],
  lineStart: ["(?<![^\\n])", "^"],
  textEnd: ["(?=\\n?$)", "$"],
  lineEnd: ["(?![^\\n])", "$"],
  absoluteEnd: ["$", "$"],
};

const words: string[] = [];

function anchorSource({ anchor, ascii }: NodeOf<"anchor">, tier: Tier, singleLine: boolean): string {
  if (anchor !== "boundary" && anchor !== "notBoundary") return ends[anchor][singleLine ? 1 : 0];
  // Python matches neither in an empty text.
  if (tier === 0 || ascii) return anchor === "boundary" ? "\\b" : "(?!^$)\\B";
  words[tier] ??= classSource(rangesOfCategory("word", false, tops[tier]), false, tier);
  const w = words[tier];
  return anchor === "boundary"
    ? `(?:(?<=${w})(?!${w})|(?<!${w})(?=${w}))`
    : `(?:(?<=${w})(?=${w})|(?<!${w})(?!^$)(?!${w}))`;
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

const asciiSources = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /^[A-Za-z0-9 _,:;@%&~='"<>#!`]$/.test(char) ? char : `\\x${code.toString(16).padStart(2, "0")}`;
});

function charSource(code: number, tier: Tier): string {
  const ascii = asciiSources[code];
  if (ascii !== undefined) return ascii;
  if (code > 0xffff) return tier === 2 ? `\\u{${code.toString(16)}}` : "[]";
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

const shorthands: Readonly<Record<Category, string>> = { word: "w", digit: "d", space: "s" };

function asciiClass({ items, negated }: NodeOf<"set">): string {
  let inner = "";
  for (const item of items) {
    if (item.kind === "category") {
      const letter = shorthands[item.category];
      inner += `\\${item.negated ? letter.toUpperCase() : letter}`;
    } else if (item.from < 0xd800) {
      const to = Math.min(item.to, 0xd7ff);
      inner += charSource(item.from, 0) + (to > item.from ? `-${charSource(to, 0)}` : "");
    }
  }
  return items.length === 1 && items[0]?.kind === "category" && !negated
    ? inner
    : `[${negated ? "^" : ""}${inner}]`;
}

function classSource(ranges: Ranges, negated: boolean, tier: Tier): string {
  if (ranges.length === 2 && ranges[0] === ranges[1] && !negated) return charSource(ranges[0] ?? 0, tier);
  let inner = "";
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i] ?? 0;
    const to = Math.min(ranges[i + 1] ?? 0, tier === 2 ? LAST_CODE_POINT : 0xffff);
    if (from > to) continue;
    inner += charSource(from, tier);
    if (to > from) inner += (to > from + 1 ? "-" : "") + charSource(to, tier);
  }
  return `[${negated ? "^" : ""}${inner}]`;
}
