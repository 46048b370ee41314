/** Parser state that the parsing functions share. */
import { ASCII, type CaseRule, IGNORECASE, type Node } from "./ast.ts";
import type { Groups } from "./groups.ts";
import type { Reader } from "./reader.ts";

export interface Parse {
  readonly reader: Reader;
  readonly groups: Groups;
  globalFlags: number;
  variableBehind: boolean;
  unusual: boolean;
  groupLoops: number;
  variableParts: number;
}

export const casingOf = (flags: number): CaseRule =>
  (flags & IGNORECASE) === 0 ? "exact" : (flags & ASCII) === 0 ? "unicode" : "ascii";

export function referenceNode(parse: Parse, group: number, casing: CaseRule): Node {
  parse.unusual = true;
  const { low, high } = parse.groups.width(group);
  return { kind: "reference", group, casing, low, high };
}
