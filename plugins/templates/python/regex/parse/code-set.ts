/** Membership tests of code points for the backtracking matcher. */
import type { CharNode } from "./ast.ts";
import {
  contains,
  LAST_CODE_POINT,
  type Ranges,
  rangesOfCategory,
  rangesOfLiteral,
  rangesOfSet,
} from "./charset.ts";

export class CodeSet {
  private readonly low = new Uint8Array(128);

  constructor(
    private readonly ranges: Ranges,
    private readonly negated: boolean,
  ) {
    if (negated) this.low.fill(1);
    for (let i = 0; i < ranges.length; i += 2) {
      const from = ranges[i] ?? 0;
      if (from > 127) break;
      this.low.fill(negated ? 0 : 1, from, Math.min((ranges[i + 1] ?? 0) + 1, 128));
    }
  }

  has(code: number): boolean {
    return code < 128 ? this.low[code] === 1 : contains(this.ranges, code) !== this.negated;
  }
}

/** Cached by node; patterns share nodes. */
const cache = new WeakMap<CharNode, CodeSet>();

export function codeSetOf(node: CharNode): CodeSet {
  let set = cache.get(node);
  if (set === undefined) {
    set =
      node.kind === "literal"
        ? new CodeSet(rangesOfLiteral(node), false)
        : new CodeSet(rangesOfSet(node, LAST_CODE_POINT), node.negated);
    cache.set(node, set);
  }
  return set;
}

const words: { unicode?: CodeSet; ascii?: CodeSet } = {};

export function wordSet(ascii: boolean): CodeSet {
  const name = ascii ? "ascii" : "unicode";
  words[name] ??= new CodeSet(rangesOfCategory("word", ascii, LAST_CODE_POINT), false);
  return words[name];
}
