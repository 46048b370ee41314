/** How one pattern is to be run, found out when it is first used. */
import type { ParsedPattern } from "./ast.ts";
import { findDivergence } from "./divergence.ts";
import { mayExplode } from "./risk.ts";
import { someNode } from "./shape.ts";

export interface Plan {
  /** Only the own matcher finds the right match. */
  readonly own: boolean;
  /** The match is the same natively, but not the text of groups that are asked for. */
  readonly ownGroups: boolean;
  keep(group: number): boolean;
  /** The engine may give up on it and say "no match". */
  readonly timed: boolean;
  /** The number of ways to match grows exponentially with the text. */
  readonly explosive: boolean;
}

export function makePlan(parsed: ParsedPattern, observe: (group: number) => boolean): Plan {
  const { root, unusual } = parsed;
  const timed = parsed.groupLoops > 0 || parsed.variableParts > 4;
  if (!unusual) return { own: false, ownGroups: false, keep: observe, timed, explosive: false };
  const divergence = findDivergence(root);
  const referenced = new Set<number>();
  someNode(root, (node) => {
    if (node.kind === "reference" || node.kind === "condition") referenced.add(node.group);
    return false;
  });
  const ownGroups = [...divergence.groups].some(observe);
  return {
    own: divergence.match,
    ownGroups,
    keep: (group) => referenced.has(group) || (observe(group) && !ownGroups),
    timed,
    explosive: parsed.groupLoops > 0 && mayExplode(root),
  };
}
