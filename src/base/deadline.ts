/** One deadline per task: a signal, the time that is left, and why it ended. Monotonic time. */
import { ServiceError } from "./errors.ts";

/** What those who work need to know of the time they have. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Milliseconds left, never negative. */
  remaining(): number;
}

export interface Deadline extends TimeLimit {
  /** Ends it now with the given reason. */
  abort(reason: ServiceError): void;
  /** Releases the timer; the signal stays as it is. */
  dispose(): void;
}

/** For who waits without anybody that could call it off. */
export const neverAborted: AbortSignal = new AbortController().signal;

/** setTimeout overflows above 2^31-1 ms and would fire at once. */
const longestTimerMs = 2_147_483_647;

/** @param reason what `signal.reason` is when the time is over. */
export function createDeadline(afterMs: number, reason: () => ServiceError): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + afterMs;
  const timer = setTimeout(() => controller.abort(reason()), Math.min(Math.max(0, afterMs), longestTimerMs));
  return {
    signal: controller.signal,
    remaining: () => Math.max(0, endsAt - performance.now()),
    abort(why) {
      clearTimeout(timer);
      controller.abort(why);
    },
    dispose: () => clearTimeout(timer),
  };
}

/** The reason of an aborted signal as a ServiceError. */
export function abortReason(signal: AbortSignal): ServiceError {
  return signal.reason instanceof ServiceError
    ? signal.reason
    : new ServiceError("Cancelled", "The operation was cancelled.", undefined, { cause: signal.reason });
}

/** Runs `onAbort` when the signal ends (at once when it has); returns the way to stop listening. */
export function onAbort(signal: AbortSignal, listener: (reason: ServiceError) => void): () => void {
  if (signal === neverAborted) return () => {};
  if (signal.aborted) {
    listener(abortReason(signal));
    return () => {};
  }
  const run = () => listener(abortReason(signal));
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}

/**
 * Rejects with `reason` after `afterMs`, or with the signal's reason when that comes first.
 * The promise itself goes on: the caller closes what it waited for.
 */
export function within<T>(
  promise: Promise<T>,
  afterMs: number,
  signal: AbortSignal,
  reason: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => done(() => reject(reason())),
      Math.min(Math.max(0, afterMs), longestTimerMs),
    );
    // A signal that has ended calls back at once, before there is anything to stop.
    let unlisten = () => {};
    function done(settle: () => void) {
      clearTimeout(timer);
      unlisten();
      settle();
    }
    unlisten = onAbort(signal, (why) => done(() => reject(why)));
    promise.then(
      (value) => done(() => resolve(value)),
      (error) => done(() => reject(error)),
    );
  });
}

/** Resolves after `ms`, earlier (without an error) when the signal ends. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    let unlisten = () => {};
    function done() {
      clearTimeout(timer);
      unlisten();
      resolve();
    }
    if (signal) unlisten = onAbort(signal, done);
  });
}
