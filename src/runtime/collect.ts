/** Asks for garbage to be collected soon: strings of megabytes that are done with are many before the runtime looks. */

const betweenMs = 500;

/** @returns asks at most so often, whatever it is called for. */
export function createCollect(): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - askedAt < betweenMs) return;
    askedAt = now;
    // Not now: beside what runs.
    Bun.gc(false);
  };
}
