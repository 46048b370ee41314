/** Which patterns may run into the limit at which JavaScriptCore gives up and says "no match". */
import type { Node } from "./ast.ts";
import { children, isSingle } from "./shape.ts";

/**
 * The limit counts steps inside groups that repeat and choices between alternatives; measured on Bun 1.4.5 it
 * takes at least half a second to reach. Loops over one character are not counted, up to a handful of them.
 */
export function isRisky(root: Node): boolean {
  let variable = 0;
  let nested = false;

  function visit(node: Node, insideLoop: boolean): void {
    const loops = node.kind === "repeat" && node.max > node.min;
    if (loops) variable += 1;
    if (node.kind === "repeat" && node.max > 1 && !isSingle(node.body)) nested = true;
    if (insideLoop && (loops || node.kind === "choice")) nested = true;
    for (const child of children(node)) visit(child, insideLoop || (node.kind === "repeat" && node.max > 1));
  }
  visit(root, false);
  return nested || variable > 4;
}
