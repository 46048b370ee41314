/** The syntax tree of a template. `at` is an offset in the source. */
import type { Value } from "../python/values.ts";

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface Arguments {
  readonly args: readonly Expr[];
  readonly kwargs: readonly (readonly [string, Expr])[];
  readonly dynArgs: Expr | undefined;
  readonly dynKwargs: Expr | undefined;
}

interface At {
  readonly at: number;
}

export interface NameNode extends At {
  readonly kind: "name";
  readonly name: string;
  /** `param`: set by a call, a loop or `with` for its whole scope. */
  readonly mode: "load" | "store" | "param";
}
export interface NamespaceTarget extends At {
  readonly kind: "nsref";
  readonly name: string;
  readonly attr: string;
}
export interface TupleNode extends At {
  readonly kind: "tuple";
  readonly items: readonly Expr[];
}
export interface FilterNode extends At, Arguments {
  readonly kind: "filter";
  /** Absent in a filter block and behind a set block: the captured text. */
  readonly node: Expr | undefined;
  readonly name: string;
}
export interface CallNode extends At, Arguments {
  readonly kind: "call";
  readonly node: Expr;
}
export interface GetattrNode extends At {
  readonly kind: "getattr";
  readonly node: Expr;
  readonly attr: string;
}

export type Target = NameNode | TupleNode | NamespaceTarget;

export type Expr =
  | NameNode
  | NamespaceTarget
  | TupleNode
  | FilterNode
  | CallNode
  | GetattrNode
  | (At & { readonly kind: "const"; readonly value: Value })
  | (At & { readonly kind: "list"; readonly items: readonly Expr[] })
  | (At & { readonly kind: "dict"; readonly items: readonly (readonly [Expr, Expr])[] })
  | (At & { readonly kind: "cond"; readonly test: Expr; readonly yes: Expr; readonly no: Expr | undefined })
  | (At & { readonly kind: "binary"; readonly op: BinaryOperator; readonly left: Expr; readonly right: Expr })
  | (At & { readonly kind: "logic"; readonly op: "and" | "or"; readonly left: Expr; readonly right: Expr })
  | (At & { readonly kind: "unary"; readonly op: "not" | "-" | "+"; readonly node: Expr })
  | (At & {
      readonly kind: "compare";
      readonly node: Expr;
      readonly ops: readonly (readonly [CompareOperator, Expr])[];
    })
  | (At & { readonly kind: "concat"; readonly items: readonly Expr[] })
  | (At & { readonly kind: "getitem"; readonly node: Expr; readonly arg: Expr })
  | (At & {
      readonly kind: "slice";
      readonly start: Expr | undefined;
      readonly stop: Expr | undefined;
      readonly step: Expr | undefined;
    })
  | (At & Arguments & { readonly kind: "test"; readonly node: Expr; readonly name: string });

export interface TextNode extends At {
  readonly kind: "text";
  readonly text: string;
}
export interface OutputNode extends At {
  readonly kind: "output";
  readonly items: readonly (TextNode | Expr)[];
}
export interface Signature {
  readonly params: readonly NameNode[];
  /** Of the last parameters. */
  readonly defaults: readonly Expr[];
}
export interface MacroNode extends At, Signature {
  readonly kind: "macro";
  readonly name: string;
  readonly body: readonly Statement[];
}
export interface CallBlockNode extends At, Signature {
  readonly kind: "callblock";
  readonly call: CallNode;
  readonly body: readonly Statement[];
}
export interface ForNode extends At {
  readonly kind: "for";
  readonly target: Target;
  readonly iter: Expr;
  readonly test: Expr | undefined;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface IfNode extends At {
  readonly kind: "if";
  readonly test: Expr;
  readonly body: readonly Statement[];
  readonly elifs: readonly IfNode[];
  readonly otherwise: readonly Statement[];
}
export interface WithNode extends At {
  readonly kind: "with";
  readonly targets: readonly Target[];
  readonly values: readonly Expr[];
  readonly body: readonly Statement[];
}
export interface BlockNode extends At {
  readonly kind: "block";
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: readonly Statement[];
}
export interface SetBlockNode extends At {
  readonly kind: "setblock";
  readonly target: Target;
  readonly filter: Expr | undefined;
  readonly body: readonly Statement[];
}
export interface FilterBlockNode extends At {
  readonly kind: "filterblock";
  readonly filter: Expr;
  readonly body: readonly Statement[];
}
export interface AutoescapeNode extends At {
  readonly kind: "autoescape";
  readonly value: Expr;
  readonly body: readonly Statement[];
}
export interface IncludeNode extends At {
  readonly kind: "include";
  readonly template: Expr;
  readonly ignoreMissing: boolean;
  readonly withContext: boolean;
}
export interface ImportNode extends At {
  readonly kind: "import";
  readonly template: Expr;
  readonly target: string;
  readonly withContext: boolean;
}
export interface FromImportNode extends At {
  readonly kind: "from";
  readonly template: Expr;
  /** Name there and name here. */
  readonly names: readonly (readonly [string, string])[];
  readonly withContext: boolean;
}
export interface SetNode extends At {
  readonly kind: "set";
  readonly target: Target;
  readonly value: Expr;
}
export interface ExtendsNode extends At {
  readonly kind: "extends";
  readonly template: Expr;
}

export type Statement =
  | OutputNode
  | MacroNode
  | CallBlockNode
  | ForNode
  | IfNode
  | WithNode
  | BlockNode
  | SetBlockNode
  | FilterBlockNode
  | AutoescapeNode
  | IncludeNode
  | ImportNode
  | FromImportNode
  | SetNode
  | ExtendsNode
  | (At & { readonly kind: "do"; readonly node: Expr })
  | (At & { readonly kind: "break" | "continue" });

export interface TemplateNode extends At {
  readonly kind: "template";
  readonly body: readonly Statement[];
}

export type Node = Statement | Expr | TextNode | TemplateNode;
