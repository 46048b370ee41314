/** Estimates the backtracking of a pattern: loops whose share of the text is ambiguous. */
import { isSingle, type Node, type NodeOf } from "../parse/ast.ts";
import { anythingFirst, type FirstSet } from "./first-set.ts";
import { firstOf } from "./prefix.ts";
import { children } from "./shape.ts";

/** Loops with a smaller bound are not counted. */
const longLoop = 8;

/**
 * Whether backtracking may be exponential: a loop iteration ends in a loop over characters with which the
 * next iteration can begin, as in `(\S+\s*)+`. Iterations that may be empty count as well.
 */
export function mayExplode(node: Node): boolean {
  if (node.kind === "repeat" && node.max > longLoop && isAmbiguous(node.body)) return true;
  return children(node).some(mayExplode);
}

function isAmbiguous(body: Node): boolean {
  const first = firstOf(body);
  return tailLoops(body).some((tail) => tail.meets(first));
}

/** FIRST sets of the loops with which a node can end. */
function tailLoops(node: Node): readonly FirstSet[] {
  switch (node.kind) {
    case "repeat": {
      const inner = tailLoops(node.body);
      return node.max > node.min && node.max > 1 ? [firstOf(node.body), ...inner] : inner;
    }
    case "sequence": {
      const loops: FirstSet[] = [];
      for (let index = node.items.length - 1; index >= 0; index--) {
        const item = node.items[index];
        if (item === undefined) break;
        loops.push(...tailLoops(item));
        if (item.low > 0) break;
      }
      return loops;
    }
    case "choice":
      return node.options.flatMap(tailLoops);
    case "group":
      return tailLoops(node.body);
    case "reference":
    case "condition":
      return [anythingFirst];
    default:
      return [];
  }
}

export interface Ambiguity {
  /** Number of consecutive loops that can exchange characters: backtracking is polynomial of this degree. */
  readonly degree: number;
  /** None of them matches a line feed. */
  readonly withinLine: boolean;
}

/** Counts loops followed by something that the loop itself could match, such as `.*` before `x`. */
export function findAmbiguity(root: Node): Ambiguity {
  let withinLine = true;

  function visit(node: Node, rest: FirstSet): number {
    switch (node.kind) {
      case "repeat":
        return repeatDegree(node, rest);
      case "sequence": {
        let after = rest;
        let degree = 0;
        for (let index = node.items.length - 1; index >= 0; index--) {
          const item = node.items[index];
          if (item === undefined) continue;
          degree += visit(item, after);
          const first = firstOf(item);
          after = first.open ? first.union(after, after.open) : first;
        }
        return degree;
      }
      case "choice":
        return Math.max(...node.options.map((option) => visit(option, rest)));
      case "group":
      case "atomic":
        return visit(node.body, rest);
      case "look":
        return visit(node.body, anythingFirst);
      default:
        return 0;
    }
  }

  function repeatDegree(node: NodeOf<"repeat">, rest: FirstSet): number {
    const first = firstOf(node.body);
    const inner = isSingle(node.body) ? 0 : visit(node.body, rest.union(first, rest.open));
    if (node.max <= longLoop || node.min === node.max) return inner;
    if (!first.meets(rest)) return inner;
    if (first.has(10)) withinLine = false;
    return inner + 1;
  }

  const degree = visit(root, anythingFirst);
  return { degree, withinLine };
}

/** Longer texts are left to the backtracking matcher: n ** degree / degree! stays below 2e9. */
export const longestNative = (degree: number): number => longest[Math.min(degree, longest.length - 1)] ?? 0;

const longest = Array.from({ length: 30 }, (_, degree) => {
  if (degree < 2) return Number.POSITIVE_INFINITY;
  let factorial = 1;
  for (let n = 2; n <= degree; n++) factorial *= n;
  return (2e9 * factorial) ** (1 / degree);
});
