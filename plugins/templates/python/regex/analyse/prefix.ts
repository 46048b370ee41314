/** What a line must begin with for a pattern to match at its start; lets callers skip most attempts. */
import type { CharNode, Node, NodeOf } from "../parse/ast.ts";
import { LAST_CODE_POINT, rangesOfLiteral, rangesOfSet } from "../parse/charset.ts";
import { anythingFirst, endFirst, type FirstSet, firstIn, nothingFirst } from "./first-set.ts";

export interface Prefix {
  readonly first: FirstSet;
  /** Characters that may follow leading white space. */
  readonly next: FirstSet | undefined;
}

const asciiSpace = firstIn([9, 13, 28, 32], false);
/** Includes all non-ASCII characters. */
const spaceOrBeyond = firstIn([9, 13, 28, 32, 128, LAST_CODE_POINT], false);

const cache = new WeakMap<CharNode, FirstSet>();

function single(node: CharNode): FirstSet {
  let first = cache.get(node);
  if (first === undefined) {
    first =
      node.kind === "literal"
        ? firstIn(rangesOfLiteral(node), false)
        : firstIn(rangesOfSet(node, 0x7f), node.negated).orBeyond(reachesBeyond(node));
    cache.set(node, first);
  }
  return first;
}

/** For text without line feeds: `$` means the end. */
export function firstOf(node: Node): FirstSet {
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
        const first = firstOf(option);
        result = result === undefined ? first : result.union(first, result.open || first.open);
      }
      return result ?? nothingFirst;
    }
    case "group":
    case "atomic":
      return firstOf(node.body);
    case "repeat": {
      const first = firstOf(node.body);
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
    const first = firstOf(item);
    result = result === nothingFirst ? first : result.union(first, first.open);
    if (!first.open) return result;
  }
  return result;
}

export function prefixOf(root: Node): Prefix {
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

/** Whether a set may contain non-ASCII characters. */
const reachesBeyond = ({ items, casing, ascii }: NodeOf<"set">): boolean =>
  casing === "unicode" ||
  items.some((item) => (item.kind === "category" ? item.negated || !ascii : item.to > 0x7f));

/** Items of the outermost sequence; a leading group is flattened. */
function flatten(node: Node): readonly Node[] {
  if (node.kind === "group") return flatten(node.body);
  if (node.kind !== "sequence") return [node];
  const at = node.items[0]?.kind === "anchor" ? 1 : 0;
  const start = node.items[at];
  if (start?.kind !== "group") return node.items;
  return [...node.items.slice(0, at), ...flatten(start), ...node.items.slice(at + 1)];
}
