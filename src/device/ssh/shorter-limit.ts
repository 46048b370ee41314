/** A time limit that ends before the task's own. */

import { ServiceError } from "../../base/errors.ts";
import { createDeadline, onAbort, type TimeLimit } from "../../base/time/deadline.ts";

export interface ShorterLimit extends TimeLimit {
  /** Call when the work is done: it holds a timer and a listener. */
  release(): void;
}

/** @param operation the limited operation, as in `The transfer did not end within 5 seconds` */
export function shortenLimit(limit: TimeLimit, afterMs: number | undefined, operation: string): ShorterLimit {
  if (afterMs === undefined) {
    return { signal: limit.signal, remaining: () => limit.remaining(), release: () => {} };
  }
  const late = () =>
    new ServiceError("ReadTimeout", `${operation} did not end within ${afterMs / 1000} seconds`);
  const deadline = createDeadline(afterMs, late);
  const unlisten = onAbort(limit.signal, (reason) => deadline.abort(reason));
  return {
    signal: deadline.signal,
    remaining: () => Math.min(deadline.remaining(), limit.remaining()),
    release() {
      unlisten();
      deadline.dispose();
    },
  };
}
