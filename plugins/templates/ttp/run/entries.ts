/**
 * Collects matches line by line of the template, returns them in text order, and resolves conflicts between
 * them.
 */
import type { Group, Line } from "../template/group.ts";
import type { Result } from "./line-plan.ts";
import type { GroupId } from "./record.ts";

/** A match; `result` is `false` if its checks failed and the line starts a group. */
export interface Entry {
  /** Offset of the match. */
  readonly at: number;
  readonly line: Line;
  readonly result: Result;
}

/** Defaults of groups without a match sort after all matches. */
const BEHIND = 100_000_000;
/** A class, because a large text produces tens of thousands of entries. */
export class Entries {
  private list: Entry[] = [];
  private behind = 0;

  add(at: number, line: Line, result: Result): void {
    this.list.push({ at, line, result });
  }

  addBehind(line: Line, result: Result): void {
    this.add(BEHIND + this.behind++, line, result);
  }

  /**
   * Removes a group's matches after an offset. As in the reference, an entry that follows a removed one at
   * the same offset stays.
   */
  drop(group: Group, end: number): void {
    const removed = new Map<number, boolean>();
    this.list = this.list.filter(({ at, line }) => {
      if (at <= end) return true;
      const goes = line.group === group && removed.get(at) !== true;
      removed.set(at, goes);
      return !goes;
    });
  }

  /** Sorted by offset; the sort is stable. */
  sorted(): Entry[] {
    return this.list.sort((a, b) => a.at - b.at);
  }
}

/**
 * Chooses between lines that matched at the same offset.
 * @param current the group of the current record.
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
