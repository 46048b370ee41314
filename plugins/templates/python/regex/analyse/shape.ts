/** Static properties of an AST node: whether it can be empty, and which groups it always sets. */
import type { Node } from "../parse/ast.ts";

export function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case "sequence":
      return node.items;
    case "choice":
      return node.options;
    case "group":
    case "atomic":
    case "look":
    case "repeat":
      return [node.body];
    case "condition":
      return [node.yes, node.no];
    default:
      return [];
  }
}

export const isNullable = (node: Node): boolean => node.low === 0;

/**
 * Whether an empty match is the last alternative of the node. Python ends a loop at an empty iteration,
 * JavaScript backtracks into its other alternatives; with this property both find the same match.
 */
export function emptyComesLast(node: Node): boolean {
  if (!isNullable(node)) return true;
  switch (node.kind) {
    case "anchor":
    case "look":
    case "reference":
      return true;
    case "sequence":
      return node.items.every(emptyComesLast);
    case "choice":
      return node.options.every(
        (option, index) =>
          emptyComesLast(option) && (!isNullable(option) || index === node.options.length - 1),
      );
    case "repeat":
      return node.mode !== "lazy" && emptyComesLast(node.body);
    case "group":
    case "atomic":
      return emptyComesLast(node.body);
    default:
      return false;
  }
}

/** Groups that are set whenever this node has matched. */
export function surelySet(node: Node): ReadonlySet<number> {
  switch (node.kind) {
    case "group": {
      const inner = surelySet(node.body);
      return node.index === 0 ? inner : new Set([...inner, node.index]);
    }
    case "sequence":
      return new Set(node.items.flatMap((item) => [...surelySet(item)]));
    case "choice": {
      const [first, ...rest] = node.options.map(surelySet);
      return new Set([...(first ?? [])].filter((group) => rest.every((groups) => groups.has(group))));
    }
    case "repeat":
      return node.min > 0 ? surelySet(node.body) : new Set();
    case "atomic":
      return surelySet(node.body);
    case "look":
      return node.negated ? new Set() : surelySet(node.body);
    default:
      return new Set();
  }
}

export function groupsIn(node: Node): readonly number[] {
  const inner = children(node).flatMap(groupsIn);
  return node.kind === "group" && node.index > 0 ? [node.index, ...inner] : inner;
}

export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || children(node).some((child) => someNode(child, test));
}
