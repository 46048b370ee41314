/** Going through a syntax tree: the children of a node, and the questions that are asked about whole trees. */
import type { Arguments, Node } from "./nodes.ts";

function argumentNodes({ args, kwargs, dynArgs, dynKwargs }: Arguments): Node[] {
  const nodes: Node[] = [...args, ...kwargs.map(([, value]) => value)];
  if (dynArgs !== undefined) nodes.push(dynArgs);
  if (dynKwargs !== undefined) nodes.push(dynKwargs);
  return nodes;
}

function present(...nodes: readonly (Node | undefined)[]): Node[] {
  return nodes.filter((node) => node !== undefined);
}

export function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case "name":
    case "nsref":
    case "const":
    case "text":
    case "break":
    case "continue":
      return [];
    case "tuple":
    case "list":
    case "concat":
    case "output":
      return node.items;
    case "dict":
      return node.items.flat();
    case "cond":
      return present(node.test, node.yes, node.no);
    case "binary":
    case "logic":
      return [node.left, node.right];
    case "unary":
    case "getattr":
    case "do":
      return [node.node];
    case "compare":
      return [node.node, ...node.ops.map(([, operand]) => operand)];
    case "getitem":
      return [node.node, node.arg];
    case "slice":
      return present(node.start, node.stop, node.step);
    case "call":
    case "test":
      return [node.node, ...argumentNodes(node)];
    case "filter":
      return [...present(node.node), ...argumentNodes(node)];
    case "macro":
      return [...node.params, ...node.defaults, ...node.body];
    case "callblock":
      return [node.call, ...node.params, ...node.defaults, ...node.body];
    case "for":
      return [node.target, node.iter, ...node.body, ...node.otherwise, ...present(node.test)];
    case "if":
      return [node.test, ...node.body, ...node.elifs, ...node.otherwise];
    case "with":
      return [...node.targets, ...node.values, ...node.body];
    case "block":
    case "template":
      return node.body;
    case "setblock":
      return [node.target, ...present(node.filter), ...node.body];
    case "filterblock":
      return [...node.body, node.filter];
    case "autoescape":
      return [node.value, ...node.body];
    case "include":
    case "import":
    case "from":
    case "extends":
      return [node.template];
    case "set":
      return [node.target, node.value];
  }
}

/** Every node of a tree, itself first. */
export function* descendants(root: Node): Generator<Node> {
  // A long chain of operators is a tree as deep: generators inside each other would take its square.
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    for (const child of children(node).toReversed()) open.push(child);
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
