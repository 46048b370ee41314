/** Sets as the own matcher asks them: is this code point in. */
import type { LiteralNode, SetNode } from "./ast.ts";
import { type CharSets, contains, LAST_CODE_POINT, type Ranges } from "./charset.ts";

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

export interface CodeSets {
  of(node: SetNode | LiteralNode): CodeSet;
  word(ascii: boolean): CodeSet;
  lower(code: number): number;
}

/** Kept with the nodes, which patterns share. */
export function createCodeSets(sets: CharSets): CodeSets {
  const known = new WeakMap<SetNode | LiteralNode, CodeSet>();
  let unicodeWord: CodeSet | undefined;
  let asciiWord: CodeSet | undefined;
  return {
    lower: sets.lower,
    of(node) {
      let set = known.get(node);
      if (set === undefined) {
        set =
          node.kind === "literal"
            ? new CodeSet(sets.ofLiteral(node), false)
            : new CodeSet(sets.ofSet(node, LAST_CODE_POINT), node.negated);
        known.set(node, set);
      }
      return set;
    },
    word(ascii) {
      if (ascii) {
        asciiWord ??= new CodeSet(sets.ofCategory("word", true, LAST_CODE_POINT), false);
        return asciiWord;
      }
      unicodeWord ??= new CodeSet(sets.ofCategory("word", false, LAST_CODE_POINT), false);
      return unicodeWord;
    },
  };
}
