/** Gives up the event loop between pieces of long work. */

/** Resolves after everything else that waits had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
