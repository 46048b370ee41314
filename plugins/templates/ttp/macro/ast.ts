/** The syntax tree of the Python subset that macros may use. */
import type { Value } from "../../python/values.ts";

export type BinaryOp = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>";
export type CompareOp = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

export type FormatPart =
  | string
  | { readonly value: Expr; readonly conversion: string; readonly spec: readonly FormatPart[] };

export interface Argument {
  readonly kind: "plain" | "star" | "double" | "keyword";
  readonly name: string;
  readonly value: Expr;
}

export interface Parameter {
  readonly kind: "plain" | "positional" | "keyword" | "star" | "double";
  readonly name: string;
  readonly fallback: Expr | undefined;
}

export interface Clause {
  readonly target: Expr;
  readonly source: Expr;
  readonly conditions: readonly Expr[];
}

export interface FunctionCode {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly line: number;
}

export type Expr = { readonly line: number } & (
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "format"; readonly parts: readonly FormatPart[] }
  | { readonly kind: "tuple" | "list" | "set"; readonly items: readonly Expr[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Expr | undefined, Expr])[] }
  | { readonly kind: "star"; readonly value: Expr }
  | { readonly kind: "unary"; readonly op: "-" | "+" | "~" | "not"; readonly value: Expr }
  | { readonly kind: "binary"; readonly op: BinaryOp; readonly left: Expr; readonly right: Expr }
  | { readonly kind: "and" | "or"; readonly left: Expr; readonly right: Expr }
  | { readonly kind: "compare"; readonly first: Expr; readonly rest: readonly (readonly [CompareOp, Expr])[] }
  | { readonly kind: "conditional"; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly kind: "call"; readonly target: Expr; readonly args: readonly Argument[] }
  | { readonly kind: "attribute"; readonly target: Expr; readonly name: string }
  | { readonly kind: "item"; readonly target: Expr; readonly key: Expr }
  | {
      readonly kind: "slice";
      readonly start: Expr | undefined;
      readonly stop: Expr | undefined;
      readonly step: Expr | undefined;
    }
  | { readonly kind: "lambda"; readonly code: FunctionCode; readonly body: Expr }
  | {
      readonly kind: "comprehension";
      readonly makes: "list" | "set" | "dict" | "generator";
      readonly key: Expr | undefined;
      readonly value: Expr;
      readonly clauses: readonly Clause[];
    }
  | { readonly kind: "walrus"; readonly name: string; readonly value: Expr }
);

export interface ExceptClause {
  readonly types: Expr | undefined;
  readonly name: string | undefined;
  readonly body: readonly Stmt[];
}

export type Stmt = { readonly line: number } & (
  | { readonly kind: "expression"; readonly value: Expr }
  | { readonly kind: "assign"; readonly targets: readonly Expr[]; readonly value: Expr }
  | { readonly kind: "augment"; readonly target: Expr; readonly op: BinaryOp; readonly value: Expr }
  | {
      readonly kind: "if";
      readonly test: Expr;
      readonly body: readonly Stmt[];
      readonly other: readonly Stmt[];
    }
  | {
      readonly kind: "while";
      readonly test: Expr;
      readonly body: readonly Stmt[];
      readonly other: readonly Stmt[];
    }
  | {
      readonly kind: "for";
      readonly target: Expr;
      readonly source: Expr;
      readonly body: readonly Stmt[];
      readonly other: readonly Stmt[];
    }
  | { readonly kind: "def"; readonly code: FunctionCode; readonly body: readonly Stmt[] }
  | { readonly kind: "return"; readonly value: Expr | undefined }
  | { readonly kind: "break" | "continue" | "pass" }
  | { readonly kind: "delete"; readonly targets: readonly Expr[] }
  | { readonly kind: "global" | "nonlocal"; readonly names: readonly string[] }
  | { readonly kind: "import"; readonly modules: readonly (readonly [string, string | undefined])[] }
  | {
      readonly kind: "from";
      readonly module: string;
      readonly names: readonly (readonly [string, string])[];
    }
  | {
      readonly kind: "try";
      readonly body: readonly Stmt[];
      readonly handlers: readonly ExceptClause[];
      readonly other: readonly Stmt[];
      readonly last: readonly Stmt[];
    }
  | { readonly kind: "raise"; readonly value: Expr | undefined }
  | { readonly kind: "assert"; readonly test: Expr; readonly message: Expr | undefined }
);
