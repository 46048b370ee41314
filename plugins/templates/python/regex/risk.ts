/** How badly a pattern can backtrack: loops whose share of the text is open. */
import { isSingle, type Node, type NodeOf } from "./ast.ts";
import { anythingFirst, type FirstSet } from "./first-set.ts";
import { firstOf } from "./prefix.ts";
import { children } from "./shape.ts";

/** Loops shorter than this are not counted. */
const longLoop = 8;

/**
 * A round that ends in a loop over characters with which the next round can begin, as in `(\S+\s*)+`: the number
 * of ways to divide a text among the rounds grows exponentially. Rounds that may be empty count as well.
 */
export function mayExplode(node: Node): boolean {
  if (node.kind === "repeat" && node.max > longLoop && isAmbiguous(node.body)) return true;
  return children(node).some(mayExplode);
}

function isAmbiguous(body: Node): boolean {
  const first = firstOf(body);
  return tailLoops(body).some((tail) => tail.meets(first));
}

/** First characters of the loops with which a part can end. */
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
  /** Loops in a row that can take from one another: the number of ways grows with this power. */
  readonly degree: number;
  /** None of them passes a line feed. */
  readonly withinLine: boolean;
}

/** Counts loops after which something may follow that the loop could take itself, such as `.*` before `x`. */
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

/** Texts longer than this are left to the own matcher: n ** degree / degree! stays below two thousand million. */
export const longestNative = (degree: number): number => longest[Math.min(degree, longest.length - 1)] ?? 0;

const longest = Array.from({ length: 30 }, (_, degree) => {
  if (degree < 2) return Number.POSITIVE_INFINITY;
  let factorial = 1;
  for (let n = 2; n <= degree; n++) factorial *= n;
  return (2e9 * factorial) ** (1 / degree);
});
