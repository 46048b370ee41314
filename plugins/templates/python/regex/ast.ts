/** The tree of a Python pattern: flags are resolved into the nodes, so that a node means the same anywhere. */

/** Case rule of a node: none, Unicode's, or ASCII's (flag `a` together with `i`). */
export type CaseRule = "exact" | "unicode" | "ascii";

export type Category = "word" | "digit" | "space";

export type SetItem =
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "category"; readonly category: Category; readonly negated: boolean };

export interface SetNode {
  readonly kind: "set";
  readonly negated: boolean;
  readonly items: readonly SetItem[];
  readonly casing: CaseRule;
  /** Categories mean ASCII only (flag `a`). */
  readonly ascii: boolean;
}

export interface LiteralNode {
  readonly kind: "literal";
  readonly code: number;
  readonly casing: CaseRule;
}

export type AnchorKind =
  | "textStart"
  | "lineStart"
  | "textEnd"
  | "lineEnd"
  | "absoluteEnd"
  | "boundary"
  | "notBoundary";

export interface AnchorNode {
  readonly kind: "anchor";
  readonly anchor: AnchorKind;
  readonly ascii: boolean;
}

export interface GroupNode {
  readonly kind: "group";
  /** 0: not captured. */
  readonly index: number;
  readonly body: Node;
}

export interface RepeatNode {
  readonly kind: "repeat";
  readonly min: number;
  /** Infinity: without limit. */
  readonly max: number;
  readonly mode: "greedy" | "lazy" | "possessive";
  readonly body: Node;
}

export interface LookNode {
  readonly kind: "look";
  readonly behind: boolean;
  readonly negated: boolean;
  readonly body: Node;
  /** Code points that a look-behind steps back. */
  readonly width: number;
}

export interface ConditionNode {
  readonly kind: "condition";
  readonly group: number;
  readonly yes: Node;
  readonly no: Node;
}

export type Node =
  | LiteralNode
  | SetNode
  | AnchorNode
  | GroupNode
  | RepeatNode
  | LookNode
  | ConditionNode
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "atomic"; readonly body: Node }
  | { readonly kind: "reference"; readonly group: number; readonly casing: CaseRule };

export interface ParsedPattern {
  readonly source: string;
  /** As Python's `Pattern.flags`. */
  readonly flags: number;
  readonly root: Node;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
}

export const IGNORECASE = 2;
export const MULTILINE = 8;
export const DOTALL = 16;
export const UNICODE = 32;
export const VERBOSE = 64;
export const ASCII = 256;
