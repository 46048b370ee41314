/** The tree of a Python pattern: flags are resolved into the nodes, so that a node means the same anywhere. */

/** Case rule of a node: none, Unicode's, or ASCII's (flag `a` together with `i`). */
export type CaseRule = "exact" | "unicode" | "ascii";

export type Category = "word" | "digit" | "space";

export type SetItem =
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "category"; readonly category: Category; readonly negated: boolean };

/** Least and greatest number of code points that a node takes; both stop at Python's largest repetition. */
interface Width {
  readonly low: number;
  readonly high: number;
}

export interface SetNode extends Width {
  readonly kind: "set";
  readonly negated: boolean;
  readonly items: readonly SetItem[];
  readonly casing: CaseRule;
  /** Categories mean ASCII only (flag `a`). */
  readonly ascii: boolean;
}

export interface LiteralNode extends Width {
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

export interface AnchorNode extends Width {
  readonly kind: "anchor";
  readonly anchor: AnchorKind;
  readonly ascii: boolean;
}

export interface SequenceNode extends Width {
  readonly kind: "sequence";
  readonly items: readonly Node[];
}

export interface ChoiceNode extends Width {
  readonly kind: "choice";
  readonly options: readonly Node[];
}

export interface GroupNode extends Width {
  readonly kind: "group";
  /** 0: not captured. */
  readonly index: number;
  readonly body: Node;
}

export interface AtomicNode extends Width {
  readonly kind: "atomic";
  readonly body: Node;
}

export type RepeatMode = "greedy" | "lazy" | "possessive";

export interface RepeatNode extends Width {
  readonly kind: "repeat";
  readonly min: number;
  /** Infinity: without limit. */
  readonly max: number;
  readonly mode: RepeatMode;
  readonly body: Node;
}

export interface LookNode extends Width {
  readonly kind: "look";
  readonly behind: boolean;
  readonly negated: boolean;
  readonly body: Node;
}

export interface ReferenceNode extends Width {
  readonly kind: "reference";
  readonly group: number;
  readonly casing: CaseRule;
}

export interface ConditionNode extends Width {
  readonly kind: "condition";
  readonly group: number;
  readonly yes: Node;
  readonly no: Node;
}

export type Node =
  | LiteralNode
  | SetNode
  | AnchorNode
  | SequenceNode
  | ChoiceNode
  | GroupNode
  | AtomicNode
  | RepeatNode
  | LookNode
  | ReferenceNode
  | ConditionNode;

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
  /**
   * JavaScript reads the text of the pattern the same way, but for the names of groups, as long as it is matched
   * with ASCII lines: where each group begins and where its name ends.
   */
  readonly verbatim: readonly number[] | undefined;
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
