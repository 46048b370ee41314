/** Yields to the event loop between pieces of long work. */

/** Resolves after all pending callbacks have run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
