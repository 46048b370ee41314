/** The position of a listener in the log: resumes, catches up from the store, then follows the tail. */
import type { Batch } from "./batch.ts";
import type { EventHistory } from "./history.ts";
import type { Pacer } from "./pacer.ts";
import type { EventMark, JobChange } from "./port.ts";
import { isSame } from "./position.ts";
import type { Tail } from "./tail.ts";

export interface Cursor {
  /** The position after the last entry taken. */
  position(): EventMark;
  /**
   * The next batch; entries up to `behind` have been delivered.
   * `lost`: the entries are no longer kept, and the cursor continues at the end. `slow`: the listener fell too far behind.
   * @returns undefined at the end of the log. @throws ServiceError Unavailable
   */
  next(): Promise<Step | "lost" | "slow" | undefined>;
}

export interface Step {
  readonly batch: Batch;
  /** Entries up to this number have been delivered. */
  readonly behind: number;
}

export interface LogTools {
  readonly tail: Tail;
  readonly past: EventHistory;
  readonly pacer: Pacer;
}

/** @param from undefined: starts at the end. */
export function createCursor({ tail, past, pacer }: LogTools, from: EventMark | undefined): Cursor {
  let at = from ?? tail.last();
  let isChecked = from === undefined;
  let wasNew = from === undefined;

  /** Whether the entry at the position is still kept. */
  async function isKept(): Promise<boolean> {
    // Another node may have delivered more than this node has read.
    if (at.n > tail.last().n) await tail.refresh();
    if (at.n === tail.last().n) return isSame(at, tail.last());
    if (at.n > tail.last().n) return false;
    if (at.n === 0) return firstOf(await stored(1)) === 1;
    const step = at.n > tail.since() ? tail.behind(at.n - 1) : await stored(at.n);
    const change = step && changeAt(step, at.n);
    return change !== undefined && isSame(at, change);
  }

  const stored = (n: number) => (n > tail.since() ? tail.behind(n - 1) : past.pieceWith(n, tail.since()));

  function lost(): "lost" {
    at = tail.last();
    isChecked = true;
    return "lost";
  }

  return {
    position: () => at,
    async next() {
      if (!isChecked && !(await isKept())) return lost();
      isChecked = true;
      if (at.n === tail.last().n) {
        wasNew = true;
        return undefined;
      }
      const isNew = at.n >= tail.since();
      if (wasNew && !isNew) return "slow";
      const behind = at.n;
      // Reads from a file resolve at once: thousands in a row would block the event loop.
      if (!isNew) await pacer.turn(0);
      const batch = isNew ? tail.behind(behind) : await stored(behind + 1);
      if (batch === undefined || changeAt(batch, behind + 1) === undefined) return lost();
      wasNew ||= isNew;
      at = batch.last;
      return { batch, behind };
    },
  };
}

const firstOf = (batch: Batch | undefined) => batch?.first;

function changeAt({ changes, first }: Batch, n: number): JobChange | undefined {
  return changes[n - first];
}
