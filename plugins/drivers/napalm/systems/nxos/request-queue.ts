/** Queues requests behind each other, unless the running one takes too long. */

/** @param patienceMs how long a request waits for the previous one */
export function oneByOne(patienceMs: number): <T>(request: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> | undefined;
  return async (request) => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    if (before !== undefined) await settledOrLate(before, patienceMs);
    try {
      return await request();
    } finally {
      resolve();
      if (last === promise) last = undefined;
    }
  };
}

function settledOrLate(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
