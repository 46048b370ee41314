/** Finds expressions that the reference folds at compile time: literals, operators, filters and tests on them. */
import type { Arguments, Expr } from "../syntax/nodes.ts";

/** These use the context, so they run at render time. */
const LATE: ReadonlySet<string> = new Set(["map", "select", "reject", "selectattr", "rejectattr", "random"]);

const areConstant = (nodes: readonly (Expr | undefined)[]): boolean =>
  nodes.every((node) => node === undefined || isConstant(node));

const hasConstantArguments = ({ args, kwargs, dynArgs, dynKwargs }: Arguments): boolean =>
  areConstant([...args, ...kwargs.map(([, value]) => value), dynArgs, dynKwargs]);

export function isConstant(node: Expr): boolean {
  switch (node.kind) {
    case "const":
      return true;
    case "tuple":
    case "list":
    case "concat":
      return areConstant(node.items);
    case "dict":
      return areConstant(node.items.flat());
    case "cond":
      return node.no !== undefined && areConstant([node.test, node.yes, node.no]);
    case "binary":
    case "logic":
      return areConstant([node.left, node.right]);
    case "unary":
    case "getattr":
      return isConstant(node.node);
    case "compare":
      return areConstant([node.node, ...node.ops.map(([, operand]) => operand)]);
    case "getitem":
      return areConstant([node.node, node.arg]);
    case "slice":
      return areConstant([node.start, node.stop, node.step]);
    case "test":
      return isConstant(node.node) && hasConstantArguments(node);
    case "filter":
      return (
        node.node !== undefined && !LATE.has(node.name) && isConstant(node.node) && hasConstantArguments(node)
      );
    default:
      return false;
  }
}
