/** AST traversal: the children of a node, and analyses of whole trees. */
import type { Node } from "./nodes.ts";

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "kind" in value;
}

/** Collects the nodes among a node's fields, including lists and pairs. */
export function nodesIn(values: readonly unknown[], nodes: Node[] = []): Node[] {
  for (const value of values) {
    if (Array.isArray(value)) nodesIn(value, nodes);
    else if (isNode(value)) nodes.push(value);
  }
  return nodes;
}

const NONE: readonly Node[] = [];

export function children(node: Node): readonly Node[] {
  // A constant's value is not part of the tree, and most nodes are leaves.
  const leaf = node.kind === "const" || node.kind === "name" || node.kind === "text";
  return leaf ? NONE : nodesIn(Object.values(node));
}

/** All nodes of a tree in pre-order. */
export function* descendants(root: Node): Generator<Node> {
  // A long operator chain is a deep tree: nested generators would take quadratic time.
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    const inner = children(node);
    for (let i = inner.length; i > 0; i--) open.push(inner[i - 1] as Node);
  }
}

/** Which of `names` these nodes read before setting them; blocks are skipped. */
export function undeclared(nodes: readonly Node[], names: readonly string[]): ReadonlySet<string> {
  const open = new Set(names);
  const usedNames = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "block") return;
    if (node.kind === "name") {
      if (node.mode !== "load") open.delete(node.name);
      else if (open.has(node.name)) usedNames.add(node.name);
      return;
    }
    for (const child of children(node)) visit(child);
  };
  for (const node of nodes) visit(node);
  return usedNames;
}
