/** A context that outlives its job by a grace period, in which a push is confirmed or rolled back. */

import { ServiceError } from "../../base/errors.ts";
import { createDeadline, onAbort } from "../../base/time/deadline.ts";
import type { Context } from "../../plugin/index.ts";

/**
 * Runs work within the job's deadline, or within `graceMs` if the job ends before. Its output is not shown, as it only
 * finishes what was begun.
 */
export async function withGracePeriod<T>(
  ctx: Context,
  graceMs: number,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const late = () =>
    new ServiceError("JobTimeout", "The change was neither confirmed nor undone in the remaining time.");
  let grace: ReturnType<typeof createDeadline> | undefined;
  const stop = onAbort(ctx.signal, () => {
    grace = createDeadline(graceMs, late);
    onAbort(grace.signal, (reason) => end.abort(reason));
  });
  try {
    return await work({
      ...ctx,
      signal: end.signal,
      remaining: () => grace?.remaining() ?? Math.max(ctx.remaining(), graceMs),
      announce() {},
    });
  } finally {
    stop();
    grace?.dispose();
  }
}
