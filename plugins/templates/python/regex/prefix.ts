/** What a line must begin with for a pattern to match at its start: lets callers skip most attempts. */
import type { LiteralNode, Node, SetNode } from "./ast.ts";
import { anythingFirst, endFirst, type FirstSet, firstOf, nothingFirst } from "./bytes.ts";
import { type CharSets, LAST_CODE_POINT } from "./charset.ts";

export interface Prefix {
  readonly first: FirstSet;
  /** After white space at the start, the first other character is one of these. */
  readonly next: FirstSet | undefined;
}

const asciiSpace = firstOf([9, 13, 28, 32], false);
/** Also whatever lies beyond ASCII. */
const spaceOrBeyond = firstOf([9, 13, 28, 32, 128, LAST_CODE_POINT], false);

export interface PrefixFinder {
  first(node: Node): FirstSet;
  prefix(root: Node): Prefix;
}

/** For texts without line feeds: `$` stands for the end. */
export function createPrefixFinder(sets: CharSets): PrefixFinder {
  const known = new WeakMap<SetNode | LiteralNode, FirstSet>();

  function single(node: SetNode | LiteralNode): FirstSet {
    let first = known.get(node);
    if (first === undefined) {
      first =
        node.kind === "literal"
          ? firstOf(sets.ofLiteral(node), false)
          : firstOf(sets.ofSet(node, 0x7f), node.negated).orBeyond(reachesBeyond(node));
      known.set(node, first);
    }
    return first;
  }

  function firstOfNode(node: Node): FirstSet {
    switch (node.kind) {
      case "literal":
      case "set":
        return single(node);
      case "anchor":
        return node.anchor === "textEnd" || node.anchor === "lineEnd" || node.anchor === "absoluteEnd"
          ? endFirst
          : nothingFirst;
      case "look":
        return nothingFirst;
      case "sequence":
        return sequence(node.items, 0);
      case "choice": {
        let result: FirstSet | undefined;
        for (const option of node.options) {
          const first = firstOfNode(option);
          result = result === undefined ? first : result.union(first, result.open || first.open);
        }
        return result ?? nothingFirst;
      }
      case "group":
      case "atomic":
        return firstOfNode(node.body);
      case "repeat": {
        const first = firstOfNode(node.body);
        return node.min === 0 ? first.opened(true) : first;
      }
      default:
        return anythingFirst;
    }
  }

  function sequence(items: readonly Node[], from: number): FirstSet {
    let result = nothingFirst;
    for (let index = from; index < items.length; index++) {
      const item = items[index];
      if (item === undefined) break;
      const first = firstOfNode(item);
      result = result === nothingFirst ? first : result.union(first, first.open);
      if (!first.open) return result;
    }
    return result;
  }

  function prefix(root: Node): Prefix {
    const items = flatten(root);
    let index = 0;
    for (; index < items.length; index++) {
      const item = items[index];
      if (item === undefined) break;
      if (item.kind === "anchor" && item.anchor === "textStart") continue;
      const body = item.kind === "repeat" ? item.body : item;
      if (body.kind !== "literal" && body.kind !== "set") break;
      if (!single(body).within(spaceOrBeyond)) break;
    }
    const next = sequence(items, index);
    return {
      first: sequence(items, 0),
      next: next.open || next.meets(asciiSpace) ? undefined : next,
    };
  }

  return { first: firstOfNode, prefix };
}

/** Whether a set may hold characters beyond ASCII. */
const reachesBeyond = ({ items, casing, ascii }: SetNode): boolean =>
  casing === "unicode" ||
  items.some((item) => (item.kind === "category" ? item.negated || !ascii : item.to > 0x7f));

/** The items of the outermost sequence; a group at its start is opened. */
function flatten(node: Node): readonly Node[] {
  if (node.kind === "group") return flatten(node.body);
  if (node.kind !== "sequence") return [node];
  const at = node.items[0]?.kind === "anchor" ? 1 : 0;
  const start = node.items[at];
  if (start?.kind !== "group") return node.items;
  return [...node.items.slice(0, at), ...flatten(start), ...node.items.slice(at + 1)];
}
