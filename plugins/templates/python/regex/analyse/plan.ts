/** How to run a pattern, determined on first use. */
import type { ParsedPattern } from "../parse/ast.ts";
import { findDivergence } from "./divergence.ts";
import { mayExplode } from "./risk.ts";
import { someNode } from "./shape.ts";

export interface Plan {
  /** Only the backtracking matcher finds the correct match. */
  readonly needsOwn: boolean;
  /** The RegExp finds the same match but not the same text of the requested groups. */
  readonly ownGroups: boolean;
  keep(group: number): boolean;
  /** The native engine may give up and report no match. */
  readonly timed: boolean;
  /** Backtracking may be exponential in the length of the text. */
  readonly explosive: boolean;
}

export function makePlan(parsed: ParsedPattern, observe: (group: number) => boolean): Plan {
  const { root, unusual } = parsed;
  const timed = parsed.groupLoops > 0 || parsed.variableParts > 4;
  if (!unusual) return { needsOwn: false, ownGroups: false, keep: observe, timed, explosive: false };
  const divergence = findDivergence(root);
  const referenced = new Set<number>();
  someNode(root, (node) => {
    if (node.kind === "reference" || node.kind === "condition") referenced.add(node.group);
    return false;
  });
  const ownGroups = [...divergence.groups].some(observe);
  return {
    needsOwn: divergence.match,
    ownGroups,
    keep: (group) => referenced.has(group) || (observe(group) && !ownGroups),
    timed,
    explosive: parsed.groupLoops > 0 && mayExplode(root),
  };
}
