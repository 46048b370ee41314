/** Which names a function binds, so that each name is looked up where Python would. */
import type { Expr, FunctionCode, Stmt } from "./ast.ts";

export interface Scope {
  readonly kind: "module" | "function";
  readonly locals: ReadonlySet<string>;
  readonly globals: ReadonlySet<string>;
  readonly outer: Scope | undefined;
}

export const MODULE: Scope = { kind: "module", locals: new Set(), globals: new Set(), outer: undefined };

export function functionScope(code: FunctionCode, body: readonly Stmt[] | Expr, outer: Scope): Scope {
  const bound = new Set(code.parameters.map((one) => one.name));
  const globals = new Set<string>();
  const nonlocals = new Set<string>();
  if (isBlock(body)) for (const one of body) collect(one, { bound, globals, nonlocals });
  else walrus(body, bound);
  for (const name of [...globals, ...nonlocals]) bound.delete(name);
  return { kind: "function", locals: bound, globals, outer };
}

export function comprehensionScope(targets: readonly Expr[], outer: Scope): Scope {
  const locals = new Set<string>();
  for (const target of targets) names(target, locals);
  return { kind: "function", locals, globals: new Set(), outer };
}

function isBlock(body: readonly Stmt[] | Expr): body is readonly Stmt[] {
  return Array.isArray(body);
}

interface Names {
  readonly bound: Set<string>;
  readonly globals: Set<string>;
  readonly nonlocals: Set<string>;
}

function collect(statement: Stmt, found: Names): void {
  const { bound } = found;
  const all = (...blocks: (readonly Stmt[])[]) => {
    for (const block of blocks) for (const one of block) collect(one, found);
  };
  switch (statement.kind) {
    case "assign":
      for (const target of statement.targets) names(target, bound);
      walrus(statement.value, bound);
      return;
    case "augment":
      names(statement.target, bound);
      return;
    case "expression":
      walrus(statement.value, bound);
      return;
    case "for":
      names(statement.target, bound);
      all(statement.body, statement.other);
      return;
    case "if":
    case "while":
      walrus(statement.test, bound);
      all(statement.body, statement.other);
      return;
    case "def":
      bound.add(statement.code.name);
      return;
    case "import":
      for (const [module, as] of statement.modules) bound.add(as ?? module.split(".")[0] ?? "");
      return;
    case "from":
      for (const [, as] of statement.names) bound.add(as);
      return;
    case "try":
      for (const one of statement.handlers) {
        if (one.name !== undefined) bound.add(one.name);
        all(one.body);
      }
      all(statement.body, statement.other, statement.last);
      return;
    case "delete":
      for (const target of statement.targets) names(target, bound);
      return;
    case "global":
      for (const name of statement.names) found.globals.add(name);
      return;
    case "nonlocal":
      for (const name of statement.names) found.nonlocals.add(name);
      return;
    case "return":
      if (statement.value !== undefined) walrus(statement.value, bound);
      return;
    case "raise":
    case "assert":
    case "break":
    case "continue":
    case "pass":
      return;
  }
}

/** Names that a target binds; attributes and items bind none. */
function names(target: Expr, into: Set<string>): void {
  if (target.kind === "name") into.add(target.name);
  else if (target.kind === "tuple" || target.kind === "list")
    for (const item of target.items) names(item, into);
  else if (target.kind === "star") names(target.value, into);
}

/** `name := value` binds in the function around, also from inside a comprehension. */
function walrus(expr: Expr, into: Set<string>): void {
  if (expr.kind === "walrus") into.add(expr.name);
  for (const child of children(expr)) if (child !== undefined) walrus(child, into);
}

function children(expr: Expr): readonly (Expr | undefined)[] {
  switch (expr.kind) {
    case "tuple":
    case "list":
    case "set":
      return expr.items;
    case "dict":
      return expr.entries.flat();
    case "walrus":
    case "star":
    case "unary":
      return [expr.value];
    case "binary":
    case "and":
    case "or":
      return [expr.left, expr.right];
    case "compare":
      return [expr.first, ...expr.rest.map(([, item]) => item)];
    case "conditional":
      return [expr.test, expr.yes, expr.no];
    case "call":
      return [expr.target, ...expr.args.map((one) => one.value)];
    case "attribute":
      return [expr.target];
    case "item":
      return [expr.target, expr.key];
    case "slice":
      return [expr.start, expr.stop, expr.step];
    case "comprehension":
      return [expr.key, expr.value, ...expr.clauses.flatMap((one) => [one.source, ...one.conditions])];
    case "constant":
    case "name":
    case "format":
    case "lambda":
      return [];
  }
}
