/** For each line of the newest version, the version that brought it. */
import { compareLines } from "../base/text/line-diff.ts";
import { linesOf, shownLine } from "../configtree/lines.ts";

export interface BlamedLine<V> {
  readonly text: string;
  readonly version: V;
}

export interface Blame<V> {
  /** Takes the next version, from the oldest to the newest; work is linear in its size and that of the one before. */
  add(text: string, version: V): void;
  /** Lines of the version that was added last. */
  lines(): BlamedLine<V>[];
}

export function createBlame<V>(): Blame<V> {
  let before: string[] = [];
  let versions: V[] = [];
  return {
    add(text, version) {
      const after = linesOf(text);
      const next: V[] = [];
      let at = 0;
      for (const { oldFrom, oldTo, newFrom, newTo } of compareLines(before, after).changes) {
        for (; at < oldFrom; at++) next.push(versions[at] ?? version);
        for (let added = newFrom; added < newTo; added++) next.push(version);
        at = oldTo;
      }
      for (; at < before.length; at++) next.push(versions[at] ?? version);
      [before, versions] = [after, next];
    },
    lines: () =>
      before.flatMap((line, at) => {
        const version = versions[at];
        return version === undefined ? [] : [{ text: shownLine(line), version }];
      }),
  };
}
