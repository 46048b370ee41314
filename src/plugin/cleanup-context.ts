/** A context for cleanup on a device after the job was cancelled, timed out or failed. */

import { ServiceError } from "../base/errors.ts";
import { createDeadline, onAbort, type TimeLimit } from "../base/time/deadline.ts";
import { stopTimes } from "../base/time/stop-times.ts";
import type { Context } from "./kit/kit.ts";

/** The grace period of the cleanup after a task was stopped. */
export const { cleanupMs } = stopTimes;

interface Cleanup {
  readonly signal: AbortSignal;
  /** Begins when the task is stopped. */
  late?: TimeLimit;
}

/** All cleanup of a task shares its time: several steps do not add up. */
const cleanups = new WeakMap<AbortSignal, Cleanup>();

function cleanupOf(task: AbortSignal): Cleanup {
  const existing = cleanups.get(task);
  if (existing) return existing;
  const end = new AbortController();
  const cleanup: Cleanup = { signal: end.signal };
  cleanups.set(task, cleanup);
  onAbort(task, () => {
    cleanup.late = createDeadline(cleanupMs, () => {
      const message = `The cleanup on the device did not end within ${cleanupMs / 1000} seconds.`;
      return new ServiceError("JobTimeout", message);
    });
    onAbort(cleanup.late.signal, (reason) => end.abort(reason));
  });
  return cleanup;
}

/**
 * Lasts for the job's time plus a grace period of ten seconds. Announces nothing, since it sends no new changes. A
 * driver that takes longer is abandoned: its sessions are closed, and the job ends without it.
 */
export function cleanupContext(ctx: Context): Context {
  const cleanup = cleanupOf(ctx.signal);
  return {
    ...ctx,
    signal: cleanup.signal,
    remaining: () => cleanup.late?.remaining() ?? Math.max(ctx.remaining(), cleanupMs),
    announce() {},
  };
}
