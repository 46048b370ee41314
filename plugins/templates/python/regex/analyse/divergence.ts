/** Finds where a JavaScript RegExp of the same AST would give a different result from Python. */
import { isSingle, type Node } from "../parse/ast.ts";
import { children, emptyComesLast, groupsIn, isNullable, someNode, surelySet } from "./shape.ts";

export interface Divergence {
  /** The RegExp may find a different match or none: only the backtracking matcher is correct. */
  readonly match: boolean;
  /** Groups whose text may differ although the match is the same. */
  readonly groups: ReadonlySet<number>;
}

export function findDivergence(root: Node): Divergence {
  const groups = new Set<number>();
  let match = someNode(root, isOwnOnly);

  visitLoops(root);
  if (someNode(root, (node) => node.kind === "reference")) visitReferences(root, new Set());
  return { match, groups };

  function visitLoops(node: Node): void {
    if (node.kind === "repeat" && !isSingle(node.body)) visitLoop(node.min, node.max, node.body);
    for (const child of children(node)) visitLoops(child);
  }

  function visitLoop(min: number, max: number, body: Node): void {
    const optionalEmpty = min < max && isNullable(body);
    if (optionalEmpty && !emptyComesLast(body)) match = true;
    const inner = groupsIn(body);
    if (inner.length === 0) return;
    // JavaScript resets a loop's groups in every iteration; Python keeps the last ones that matched.
    const sure = optionalEmpty ? noGroups : surelySet(body);
    if (optionalEmpty || max > 1) for (const group of inner) if (!sure.has(group)) groups.add(group);
  }

  /** A reference to an unset group fails in Python but matches the empty string in JavaScript. */
  function visitReferences(node: Node, set: ReadonlySet<number>): void {
    if (node.kind === "reference" && (!set.has(node.group) || groups.has(node.group))) match = true;
    if (node.kind !== "sequence") {
      for (const child of children(node)) visitReferences(child, set);
      return;
    }
    const reached = new Set(set);
    for (const item of node.items) {
      visitReferences(item, reached);
      for (const group of surelySet(item)) reached.add(group);
    }
  }
}

const noGroups: ReadonlySet<number> = new Set();

/** Conditions, case-insensitive references, and look-behinds, which JavaScript matches right to left. */
const isOwnOnly = (node: Node): boolean =>
  node.kind === "condition" ||
  (node.kind === "reference" && node.casing !== "exact") ||
  (node.kind === "look" && node.behind && someNode(node.body, isDirectional));

const isDirectional = (node: Node): boolean =>
  node.kind === "group"
    ? node.index > 0
    : node.kind === "reference" ||
      node.kind === "atomic" ||
      (node.kind === "repeat" && node.mode === "possessive" && !isSingle(node.body));
