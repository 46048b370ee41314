/** Finds expressions that the reference folds at compile time: literals, operators, filters and tests on them. */
import type { Arguments, Expr } from "./nodes.ts";

/** These use the context, so they run at render time. */
const LATE: ReadonlySet<string> = new Set(["map", "select", "reject", "selectattr", "rejectattr", "random"]);

const all = (nodes: readonly (Expr | undefined)[]): boolean =>
  nodes.every((node) => node === undefined || isConstant(node));

const given = ({ args, kwargs, dynArgs, dynKwargs }: Arguments): boolean =>
  all([...args, ...kwargs.map(([, value]) => value), dynArgs, dynKwargs]);

export function isConstant(node: Expr): boolean {
  switch (node.kind) {
    case "const":
      return true;
    case "tuple":
    case "list":
    case "concat":
      return all(node.items);
    case "dict":
      return all(node.items.flat());
    case "cond":
      return node.no !== undefined && all([node.test, node.yes, node.no]);
    case "binary":
    case "logic":
      return all([node.left, node.right]);
    case "unary":
    case "getattr":
      return isConstant(node.node);
    case "compare":
      return all([node.node, ...node.ops.map(([, operand]) => operand)]);
    case "getitem":
      return all([node.node, node.arg]);
    case "slice":
      return all([node.start, node.stop, node.step]);
    case "test":
      return isConstant(node.node) && given(node);
    case "filter":
      return node.node !== undefined && !LATE.has(node.name) && isConstant(node.node) && given(node);
    default:
      return false;
  }
}
