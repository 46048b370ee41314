/** Diffs: the switch's own, or computed in advance from its running configuration. */
import { linesOf } from "../../../common/text.ts";
import type { Entry } from "./lines.ts";

/** The part after the header of `show diff rollback-patch`, without progress messages. */
export function patchOf(answer: string): string {
  const [, patch = answer] = answer.split(/Generating Rollback Patch/);
  return linesOf(patch.replace(/Rollback Patch is Empty/, ""))
    .map((line) => line.trimEnd())
    .filter((line) => !/^\s*(?:[!.]|#Generating|$)/.test(line))
    .join("\n");
}

/** Lines missing from the running configuration, each below its parents. */
export function missingLines(entries: readonly Entry[], running: string): string {
  const runningPlaces = new Set(placesOf(linesOf(running)).map(({ place }) => place));
  const shownParents = new Set<string>();
  const missing: string[] = [];
  for (const { line, parents, place } of placesOf(entries.map(({ command }) => command))) {
    if (runningPlaces.has(place)) continue;
    for (const parent of [...parents, { line, place }]) {
      if (shownParents.has(parent.place)) continue;
      shownParents.add(parent.place);
      missing.push(parent.line.trimEnd());
    }
  }
  return missing.join("\n");
}

interface Placed {
  readonly line: string;
  /** The line with all its parents: the same line may occur in many places. */
  readonly place: string;
  readonly indent: number;
}

function placesOf(lines: readonly string[]): readonly (Placed & { readonly parents: readonly Placed[] })[] {
  const above: Placed[] = [];
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const indent = line.search(/\S/);
      while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
      const words = line.trim().replace(/\s+/g, " ");
      const placed = { line, indent, place: `${above.at(-1)?.place ?? ""}\n${words}` };
      const parents = [...above];
      above.push(placed);
      return { ...placed, parents };
    });
}
