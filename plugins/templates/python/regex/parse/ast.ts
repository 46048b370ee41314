/**
 * AST of a Python regular expression. Flags are resolved into the nodes, so that a node means the same
 * anywhere.
 */

/** Case folding of a node: none, Unicode, or ASCII (flags `a` and `i`). */
export type CaseRule = "exact" | "unicode" | "ascii";

export type Category = "word" | "digit" | "space";

export type SetItem =
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "category"; readonly category: Category; readonly negated: boolean };

export type AnchorKind =
  | "textStart"
  | "lineStart"
  | "textEnd"
  | "lineEnd"
  | "absoluteEnd"
  | "boundary"
  | "notBoundary";

export type RepeatMode = "greedy" | "lazy" | "possessive";

/** Fields of each node kind. */
interface Kinds {
  readonly literal: { readonly code: number; readonly casing: CaseRule };
  readonly set: {
    readonly negated: boolean;
    readonly items: readonly SetItem[];
    readonly casing: CaseRule;
    /** Categories match ASCII only (flag `a`). */
    readonly ascii: boolean;
  };
  readonly anchor: { readonly anchor: AnchorKind; readonly ascii: boolean };
  readonly sequence: { readonly items: readonly Node[] };
  readonly choice: { readonly options: readonly Node[] };
  /** Index 0: non-capturing. */
  readonly group: { readonly index: number; readonly body: Node };
  readonly atomic: { readonly body: Node };
  /** `max` is Infinity if unbounded. */
  readonly repeat: {
    readonly min: number;
    readonly max: number;
    readonly mode: RepeatMode;
    readonly body: Node;
  };
  readonly look: { readonly behind: boolean; readonly negated: boolean; readonly body: Node };
  readonly reference: { readonly group: number; readonly casing: CaseRule };
  readonly condition: { readonly group: number; readonly yes: Node; readonly no: Node };
}

/** Minimum and maximum number of code points that a node matches, both capped at Python's largest repeat count. */
export interface Width {
  readonly low: number;
  readonly high: number;
}

export type NodeOf<Kind extends keyof Kinds> = { readonly kind: Kind } & Kinds[Kind] & Width;
/** Matches one character. */
export type CharNode = NodeOf<"literal"> | NodeOf<"set">;
export type Node = { [Kind in keyof Kinds]: NodeOf<Kind> }[keyof Kinds];

export interface ParsedPattern {
  readonly source: string;
  /** As in Python's `Pattern.flags`. */
  readonly flags: number;
  readonly root: Node;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
  /**
   * Contains constructs that JavaScript may treat differently: loops over groups, references, conditions,
   * look-behinds.
   */
  readonly unusual: boolean;
  /** Number of loops over more than one character. */
  readonly groupLoops: number;
  /** Number of variable-length parts. */
  readonly variableParts: number;
}

export const IGNORECASE = 2;
export const MULTILINE = 8;
export const DOTALL = 16;
export const UNICODE = 32;
export const VERBOSE = 64;
export const ASCII = 256;

/** Matches exactly one character, without captures or alternatives. */
export function isSingle(node: Node): boolean {
  if (node.kind === "group" && node.index === 0) return isSingle(node.body);
  return node.kind === "literal" || node.kind === "set";
}
