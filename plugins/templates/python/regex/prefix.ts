/** What a text must begin with for a pattern to match at its start: lets callers skip most attempts. */
import type { Node } from "./ast.ts";
import { type CharSets, complement, LAST_CODE_POINT, normalise, overlap, type Ranges } from "./charset.ts";

/** Characters that can come first; `end`: the text may end here; `open`: nothing is required. */
export interface First {
  readonly ranges: Ranges;
  readonly end: boolean;
  readonly open: boolean;
}

export interface Prefix {
  readonly first: First;
  /** After white space at the start, the first other character is one of these. */
  readonly next: First | undefined;
}

const anything: First = { ranges: [0, LAST_CODE_POINT], end: true, open: true };
const nothing: First = { ranges: [], end: false, open: true };

/** For texts without line feeds: `$` stands for the end. */
export function findPrefix(root: Node, sets: CharSets): Prefix {
  const whiteSpace = sets.ofCategory("space", false, LAST_CODE_POINT);

  function single(node: Node): Ranges | undefined {
    if (node.kind === "literal") return sets.ofLiteral(node);
    if (node.kind !== "set") return undefined;
    const ranges = sets.ofSet(node, LAST_CODE_POINT);
    return node.negated ? complement(ranges, LAST_CODE_POINT) : ranges;
  }

  function first(node: Node): First {
    const ranges = single(node);
    if (ranges !== undefined) return { ranges, end: false, open: false };
    switch (node.kind) {
      case "anchor":
        return node.anchor === "textEnd" || node.anchor === "lineEnd" || node.anchor === "absoluteEnd"
          ? { ranges: [], end: true, open: false }
          : nothing;
      case "look":
        return nothing;
      case "sequence":
        return sequence(node.items);
      case "choice":
        return node.options.map(first).reduce(union);
      case "group":
      case "atomic":
        return first(node.body);
      case "repeat": {
        const body = first(node.body);
        return node.min === 0 ? { ...body, open: true } : body;
      }
      default:
        return anything;
    }
  }

  function sequence(items: readonly Node[]): First {
    let result = nothing;
    for (const item of items) {
      result = { ...union(result, first(item)), open: false };
      if (!first(item).open) return result;
    }
    return { ...result, open: true };
  }

  function union(a: First, b: First): First {
    return {
      ranges: normalise([...a.ranges, ...b.ranges]),
      end: a.end || b.end,
      open: a.open || b.open,
    };
  }

  const items = flatten(root);
  let index = 0;
  for (; index < items.length; index++) {
    const item = items[index];
    if (item === undefined) break;
    if (item.kind === "anchor" && item.anchor === "textStart") continue;
    const ranges = single(item.kind === "repeat" ? item.body : item);
    if (ranges === undefined || overlap(ranges, complement(whiteSpace, LAST_CODE_POINT))) break;
  }
  const next = sequence(items.slice(index));
  const useful = !next.open && !overlap(next.ranges, whiteSpace);
  return { first: sequence(items), next: useful ? next : undefined };
}

/** The items of the outermost sequence; groups that only hold a sequence are opened. */
function flatten(node: Node): readonly Node[] {
  if (node.kind === "sequence") return node.items.flatMap(flatten);
  return node.kind === "group" ? flatten(node.body) : [node];
}
