/** AST of a template: the fields of each node kind, in evaluation order. */

import type { Operator, Value } from "../../python/index.ts";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface Arguments {
  readonly args: readonly Expr[];
  readonly kwargs: readonly (readonly [string, Expr])[];
  readonly dynArgs: Expr | undefined;
  readonly dynKwargs: Expr | undefined;
}

interface Items {
  items: readonly Expr[];
}
interface Body {
  body: readonly Statement[];
}
export interface Signature {
  params: readonly NodeOf<"name">[];
  /** Defaults of the last parameters. */
  defaults: readonly Expr[];
}

interface Expressions {
  /** `param`: bound by a call, a loop or `with` for its whole scope. */
  name: { name: string; mode: "load" | "store" | "param" };
  /** Assignment to a namespace attribute. */
  nsref: { name: string; attr: string };
  const: { value: Value };
  tuple: Items;
  list: Items;
  concat: Items;
  dict: { items: readonly (readonly [Expr, Expr])[] };
  cond: { test: Expr; yes: Expr; no: Expr | undefined };
  binary: { op: Operator; left: Expr; right: Expr };
  logic: { op: "and" | "or"; left: Expr; right: Expr };
  unary: { op: "not" | "-" | "+"; node: Expr };
  compare: { node: Expr; ops: readonly (readonly [CompareOperator, Expr])[] };
  getattr: { node: Expr; attr: string };
  getitem: { node: Expr; arg: Expr };
  slice: { start: Expr | undefined; stop: Expr | undefined; step: Expr | undefined };
  call: Arguments & { node: Expr };
  test: Arguments & { node: Expr; name: string };
  /** In a filter block or a set block, the node is undefined: the captured text. */
  filter: Arguments & { node: Expr | undefined; name: string };
}

interface Statements {
  output: { items: readonly (NodeOf<"text"> | Expr)[] };
  for: Body & {
    target: Target;
    iter: Expr;
    otherwise: readonly Statement[];
    test: Expr | undefined;
    recursive: boolean;
  };
  if: Body & { test: Expr; elifs: readonly NodeOf<"if">[]; otherwise: readonly Statement[] };
  with: Body & { targets: readonly Target[]; values: readonly Expr[] };
  block: Body & { name: string; scoped: boolean; required: boolean };
  macro: Body & Signature & { name: string };
  callblock: Body & Signature & { call: NodeOf<"call"> };
  filterblock: Body & { filter: Expr };
  setblock: Body & { target: Target; filter: Expr | undefined };
  autoescape: Body & { value: Expr };
  set: { target: Target; value: Expr };
  do: { node: Expr };
  break: object;
  continue: object;
  extends: { template: Expr };
  include: { template: Expr; ignoreMissing: boolean; withContext: boolean };
  import: { template: Expr; target: string; withContext: boolean };
  /** Pairs of imported and local name. */
  from: { template: Expr; names: readonly (readonly [string, string])[]; withContext: boolean };
}

interface Kinds extends Expressions, Statements {
  text: { text: string };
  template: Body;
}

/** @property at offset in the source */
export type NodeOf<Kind extends keyof Kinds> = {
  [K in Kind]: { readonly kind: K; readonly at: number } & Readonly<Kinds[K]>;
}[Kind];

export type ExprKind = keyof Expressions;
export type Expr = NodeOf<ExprKind>;
export type Statement = NodeOf<keyof Statements>;
export type Target = NodeOf<"name" | "tuple" | "nsref">;
export type Node = NodeOf<keyof Kinds>;
