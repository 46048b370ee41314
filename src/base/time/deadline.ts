/** One deadline per task: a signal, the remaining time, and why it ended. Uses monotonic time. */
import { ServiceError } from "../errors.ts";

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

/** A clock that ran out while it was stopped is looked at this often. */
const heldStepMs = 50;

/**
 * Calls `act` after `afterMs`.
 * @param heldMs milliseconds for which the clock was stopped, in all
 * @returns stops it
 */
export function startClock(afterMs: number, act: () => void, heldMs?: () => number): () => void {
  if (heldMs === undefined) {
    const timer = setTimeout(act, timerMs(afterMs));
    return () => clearTimeout(timer);
  }
  const endsAt = performance.now() + afterMs - heldMs();
  let timer = setTimeout(look, timerMs(afterMs));
  function look(): void {
    const leftMs = endsAt + (heldMs?.() ?? 0) - performance.now();
    if (leftMs < 1) act();
    else timer = setTimeout(look, timerMs(Math.max(heldStepMs, leftMs)));
  }
  return () => clearTimeout(timer);
}

const timerMs = (ms: number) => Math.min(Math.max(0, ms), maxTimerMs);

/**
 * @param reason creates `signal.reason` when the deadline passes.
 * @param heldMs milliseconds for which its clock was stopped, in all; default: never
 */
export function createDeadline(afterMs: number, reason: () => ServiceError, heldMs?: () => number): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + afterMs - (heldMs?.() ?? 0);
  const stop = startClock(afterMs, () => controller.abort(reason()), heldMs);
  return {
    signal: controller.signal,
    remaining: () => Math.max(0, endsAt + (heldMs?.() ?? 0) - performance.now()),
    abort(why) {
      stop();
      controller.abort(why);
    },
    dispose: stop,
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

/** Works under a deadline that also ends with the signal. */
export async function withDeadline<T>(
  afterMs: number,
  reason: () => ServiceError,
  signal: AbortSignal,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = createDeadline(afterMs, reason);
  const unlisten = onAbort(signal, (why) => deadline.abort(why));
  try {
    return await work(deadline);
  } finally {
    unlisten();
    deadline.dispose();
  }
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
  heldMs?: () => number,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startClock(afterMs, () => finish(() => reject(reason())), heldMs);
    // An aborted signal calls back synchronously, before `unlisten` is assigned.
    let unlisten = () => {};
    function finish(settle: () => void) {
      stop();
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
