/** One listener's way through the log: from where it left off, through what is stored, to what is new. */
import type { Batch } from "./batch.ts";
import type { Pacer } from "./pacer.ts";
import type { Past } from "./past.ts";
import type { EventMark, JobChange } from "./port.ts";
import { isSame } from "./position.ts";
import type { Tail } from "./tail.ts";

export interface Cursor {
  /** Behind what was taken last. */
  position(): EventMark;
  /**
   * What comes next: `behind` it in the batch, or all of it.
   * `lost`: it is not kept; the cursor goes on at the new end. `slow`: the listener had come so far, and fell behind.
   * @returns undefined when it has come to the end. @throws ServiceError Unavailable
   */
  next(): Promise<Step | "lost" | "slow" | undefined>;
}

export interface Step {
  readonly batch: Batch;
  /** The listener has seen what is not behind this. */
  readonly behind: number;
}

export interface LogTools {
  readonly tail: Tail;
  readonly past: Past;
  readonly pacer: Pacer;
}

/** @param from absent: from now on. */
export function createCursor({ tail, past, pacer }: LogTools, from: EventMark | undefined): Cursor {
  let at = from ?? tail.last();
  let isChecked = from === undefined;
  let wasNew = from === undefined;

  /** Whether the change it was left at is still there. */
  async function isKept(): Promise<boolean> {
    // Another node may have told more than this one has read.
    if (at.n > tail.last().n) await tail.refresh();
    if (at.n === tail.last().n) return isSame(at, tail.last());
    if (at.n > tail.last().n) return false;
    if (at.n === 0) return firstOf(await stored(1)) === 1;
    const step = at.n > tail.since() ? tail.behind(at.n - 1) : await stored(at.n);
    const found = step && changeAt(step, at.n);
    return found !== undefined && isSame(at, found);
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
      // A file answers at once, and thousands of pieces in a row would hold the loop.
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
