/** Where JavaScript's RegExp would answer something else than Python for the same tree. */
import type { Node } from "./ast.ts";
import { children, emptyComesLast, groupsIn, isNullable, isSingle, someNode, surelySet } from "./shape.ts";

export interface Divergence {
  /** The native expression may find another match, or none: only the own matcher is right. */
  readonly match: boolean;
  /** Groups whose text may differ although the match is the same. */
  readonly groups: ReadonlySet<number>;
}

export function findDivergence(root: Node): Divergence {
  const groups = new Set<number>();
  const references: { group: number; sure: boolean; exact: boolean }[] = [];
  let match = false;

  function visit(node: Node, set: ReadonlySet<number>): void {
    switch (node.kind) {
      case "condition":
        match = true;
        break;
      case "reference":
        references.push({
          group: node.group,
          sure: set.has(node.group),
          exact: node.casing === "exact",
        });
        break;
      case "look":
        // JavaScript reads a look-behind from right to left.
        if (node.behind && someNode(node.body, isDirectional)) match = true;
        break;
      case "repeat":
        visitRepeat(node.min, node.max, node.body);
        break;
    }
    if (node.kind !== "sequence") {
      for (const child of children(node)) visit(child, set);
      return;
    }
    const reached = new Set(set);
    for (const item of node.items) {
      visit(item, reached);
      for (const group of surelySet(item)) reached.add(group);
    }
  }

  function visitRepeat(min: number, max: number, body: Node): void {
    if (min < max && isNullable(body)) {
      if (!emptyComesLast(body)) match = true;
      for (const group of groupsIn(body)) groups.add(group);
    }
    if (max <= 1) return;
    // JavaScript forgets the groups of a loop at every round, Python keeps the last that took part.
    const sure = surelySet(body);
    for (const group of groupsIn(body)) if (!sure.has(group)) groups.add(group);
  }

  visit(root, new Set());
  if (references.some(({ group, sure, exact }) => !sure || !exact || groups.has(group))) match = true;
  return { match, groups };
}

const isDirectional = (node: Node): boolean =>
  node.kind === "group"
    ? node.index > 0
    : node.kind === "reference" ||
      node.kind === "atomic" ||
      (node.kind === "repeat" && node.mode === "possessive" && !isSingle(node.body));
