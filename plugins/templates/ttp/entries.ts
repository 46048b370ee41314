/** What matched where: gathered line by line of the template, given in the order of the text; and which match counts. */
import type { Group, Line } from "./group.ts";
import type { Result } from "./line-plan.ts";
import type { GroupId } from "./record.ts";

/** A match; `result` is `false` where its checks failed, of a line that starts a group. */
export interface Entry {
  /** Start of the match. */
  readonly at: number;
  readonly line: Line;
  readonly result: Result;
}

/** Defaults of groups without a match stand behind every match. */
const BEHIND = 100_000_000;
/** A class: a large text makes tens of thousands of entries. */
export class Entries {
  private list: Entry[] = [];
  private behind = 0;

  add(at: number, line: Line, result: Result): void {
    this.list.push({ at, line, result });
  }

  addBehind(line: Line, result: Result): void {
    this.add(BEHIND + this.behind++, line, result);
  }

  /** Removes what a group matched behind a place; one that follows a removed one at the same place stays, as in the reference. */
  drop(group: Group, end: number): void {
    const removed = new Map<number, boolean>();
    this.list = this.list.filter(({ at, line }) => {
      if (at <= end) return true;
      const goes = line.group === group && removed.get(at) !== true;
      removed.set(at, goes);
      return !goes;
    });
  }

  /** By place; those of one place in the order in which they were added. */
  sorted(): Entry[] {
    return this.list.sort((a, b) => a.at - b.at);
  }
}

/**
 * Which of several lines that matched at one place counts.
 * @param current the group whose record is being filled.
 */
export function chooseEntry(
  entries: readonly Entry[],
  current: GroupId | undefined,
  isStarted: (id: GroupId) => boolean,
): Entry | undefined {
  const isOwn = ({ line }: Entry) => line.group.id.key === current?.key;
  const plain = entries.filter(({ line }) => !line.isLine);
  for (const action of ["startempty", "start"] as const) {
    const starts = plain.filter(({ line }) => line.action === action);
    if (starts.length === 0) continue;
    const passed = starts.filter(({ result }) => result !== false);
    const isBelow = ({ line: { group } }: Entry) =>
      (current !== undefined && group.id.name.startsWith(current.name)) ||
      (group.parent !== undefined && isStarted(group.parent));
    return passed.find(isOwn) ?? passed.find(isBelow) ?? starts.at(-1);
  }
  if (plain.length > 0)
    return plain.find(isOwn) ?? plain.find(({ line }) => isStarted(line.group.id)) ?? plain.at(-1);
  return entries.find(isOwn) ?? entries.at(-1);
}
