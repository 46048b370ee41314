/** Python's tables for `\w`, `\d`, `\s` and for letters that share an upper case; JavaScript's differ. */
import data from "./unicode.txt" with { type: "text" };

export interface Tables {
  readonly word: readonly number[];
  readonly digit: readonly number[];
  readonly space: readonly number[];
  /** Lower-case letters with the same upper case, which match each other under `i`. */
  readonly sharedUpper: ReadonlyMap<number, readonly number[]>;
}

/** Flat ranges: from, to, from, to, ... ascending. */
export function readTables(): Tables {
  const line = (name: string): string => new RegExp(`^${name} (.*)$`, "m").exec(data)?.[1] ?? "";
  const groups = line("sharedUpper")
    .split(";")
    .map((group) => group.split(",").map((code) => Number.parseInt(code, 36)));
  return {
    word: readRanges(line("word")),
    digit: readRanges(line("digit")),
    space: readRanges(line("space")),
    sharedUpper: new Map(groups.flatMap((group) => group.map((code) => [code, group] as const))),
  };
}

function readRanges(pairs: string): number[] {
  const ranges: number[] = [];
  let last = 0;
  for (const step of pairs.split(",")) {
    last += Number.parseInt(step, 36);
    ranges.push(last);
  }
  return ranges;
}
