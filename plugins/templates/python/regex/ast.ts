/** The tree of a Python pattern: flags are resolved into the nodes, so that a node means the same anywhere. */

/** Case rule of a node: none, Unicode's, or ASCII's (flag `a` together with `i`). */
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

/** What each kind of node holds. */
interface Kinds {
  readonly literal: { readonly code: number; readonly casing: CaseRule };
  readonly set: {
    readonly negated: boolean;
    readonly items: readonly SetItem[];
    readonly casing: CaseRule;
    /** Categories mean ASCII only (flag `a`). */
    readonly ascii: boolean;
  };
  readonly anchor: { readonly anchor: AnchorKind; readonly ascii: boolean };
  readonly sequence: { readonly items: readonly Node[] };
  readonly choice: { readonly options: readonly Node[] };
  /** Index 0: not captured. */
  readonly group: { readonly index: number; readonly body: Node };
  readonly atomic: { readonly body: Node };
  /** A `max` of Infinity: without limit. */
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

/** Least and greatest number of code points that a node takes; both stop at Python's largest repetition. */
export interface Width {
  readonly low: number;
  readonly high: number;
}

export type NodeOf<Kind extends keyof Kinds> = { readonly kind: Kind } & Kinds[Kind] & Width;
/** One character. */
export type CharNode = NodeOf<"literal"> | NodeOf<"set">;
export type Node = { [Kind in keyof Kinds]: NodeOf<Kind> }[keyof Kinds];

export interface ParsedPattern {
  readonly source: string;
  /** As Python's `Pattern.flags`. */
  readonly flags: number;
  readonly root: Node;
  readonly groups: number;
  readonly groupIndex: ReadonlyMap<string, number>;
  /** Holds what may mean another thing natively: loops over groups, references, conditions, look-behinds. */
  readonly unusual: boolean;
  /** Loops over more than one character. */
  readonly groupLoops: number;
  /** Parts of variable length. */
  readonly variableParts: number;
}

export const IGNORECASE = 2;
export const MULTILINE = 8;
export const DOTALL = 16;
export const UNICODE = 32;
export const VERBOSE = 64;
export const ASCII = 256;

/** A loop over one character: no captures, no inner choice. */
export function isSingle(node: Node): boolean {
  if (node.kind === "group" && node.index === 0) return isSingle(node.body);
  return node.kind === "literal" || node.kind === "set";
}
