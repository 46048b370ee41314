/** Finds loops that can divide the same text among their rounds in exponentially many ways. */
import type { Node } from "./ast.ts";
import { anythingFirst, type FirstSet } from "./bytes.ts";
import { children } from "./shape.ts";
import { prefixFinder } from "./shared.ts";

/**
 * A round that ends in a loop over characters with which the next round can begin, as in `(\S+\s*)+`: how many of
 * them belong to which round is open. Rounds that may be empty count as well.
 */
export function mayExplode(node: Node): boolean {
  if (node.kind === "repeat" && node.max > 8 && isAmbiguous(node.body)) return true;
  return children(node).some(mayExplode);
}

function isAmbiguous(body: Node): boolean {
  const first = prefixFinder.first(body);
  return tailLoops(body).some((tail) => tail.meets(first));
}

/** First characters of the loops with which a part can end. */
function tailLoops(node: Node): readonly FirstSet[] {
  switch (node.kind) {
    case "repeat": {
      const inner = tailLoops(node.body);
      return node.max > node.min && node.max > 1 ? [prefixFinder.first(node.body), ...inner] : inner;
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
