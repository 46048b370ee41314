/** One deadline per task: a signal, the remaining time, and why it ended. Uses monotonic time. */
import { ServiceError } from "./errors.ts";

/** The part of a deadline that code running under it needs. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Milliseconds left, never negative. */
  remaining(): number;
}

export interface Deadline extends TimeLimit {
  /** Ends the deadline now with the given reason. */
  abort(reason: ServiceError): void;
  /** Clears the timer; the signal keeps its state. */
  dispose(): void;
}

/** For waits that nothing can cancel. */
export const neverAborted: AbortSignal = new AbortController().signal;

/** setTimeout overflows above 2^31-1 ms and would fire at once. */
const maxTimerMs = 2_147_483_647;

/** @param reason creates `signal.reason` when the deadline passes. */
export function createDeadline(afterMs: number, reason: () => ServiceError): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + afterMs;
  const timer = setTimeout(() => controller.abort(reason()), Math.min(Math.max(0, afterMs), maxTimerMs));
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

/** Calls `listener` when the signal aborts (at once if it has); returns a function that unsubscribes. */
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
 * Rejects with `reason` after `afterMs`, or with the signal's reason if that comes first. The promise itself keeps
 * running: the caller releases whatever it waited for.
 */
export function within<T>(
  promise: Promise<T>,
  afterMs: number,
  signal: AbortSignal,
  reason: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(reason())),
      Math.min(Math.max(0, afterMs), maxTimerMs),
    );
    // An aborted signal calls back synchronously, before `unlisten` is assigned.
    let unlisten = () => {};
    function finish(settle: () => void) {
      clearTimeout(timer);
      unlisten();
      settle();
    }
    unlisten = onAbort(signal, (why) => finish(() => reject(why)));
    promise.then(
      (value) => finish(() => resolve(value)),
      (error) => finish(() => reject(error)),
    );
  });
}

/** Resolves after `ms`, or earlier (without an error) if the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    let unlisten = () => {};
    function finish() {
      clearTimeout(timer);
      unlisten();
      resolve();
    }
    if (signal) unlisten = onAbort(signal, finish);
  });
}
