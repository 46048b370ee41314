/** Going through a syntax tree: the children of a node, and the questions that are asked about whole trees. */
import type { Node } from "./nodes.ts";

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "kind" in value;
}

/** The nodes among what a node holds, in lists and pairs too. */
export function nodesIn(values: readonly unknown[], found: Node[] = []): Node[] {
  for (const value of values) {
    if (Array.isArray(value)) nodesIn(value, found);
    else if (isNode(value)) found.push(value);
  }
  return found;
}

const NONE: readonly Node[] = [];

export function children(node: Node): readonly Node[] {
  // The value of a constant is no part of the tree, and most nodes are leaves.
  const leaf = node.kind === "const" || node.kind === "name" || node.kind === "text";
  return leaf ? NONE : nodesIn(Object.values(node));
}

/** Every node of a tree, itself first. */
export function* descendants(root: Node): Generator<Node> {
  // A long chain of operators is a tree as deep: generators inside each other would take its square.
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    const inner = children(node);
    for (let i = inner.length; i > 0; i--) open.push(inner[i - 1] as Node);
  }
}

/** Which of `names` are read in these nodes before they are set there; blocks are not looked into. */
export function undeclared(nodes: readonly Node[], names: readonly string[]): ReadonlySet<string> {
  const open = new Set(names);
  const found = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "block") return;
    if (node.kind === "name") {
      if (node.mode !== "load") open.delete(node.name);
      else if (open.has(node.name)) found.add(node.name);
      return;
    }
    for (const child of children(node)) visit(child);
  };
  for (const node of nodes) visit(node);
  return found;
}
