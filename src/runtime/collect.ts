/** Asks for garbage to be collected soon: strings of megabytes that are done with are many before the runtime looks. */

const betweenMs = 500;

/** @returns asks at most so often, whatever it is called for, and always once after the last call. */
export function createCollect(): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  let willAsk = false;

  function ask(): void {
    willAsk = false;
    askedAt = performance.now();
    // Not now: beside what runs.
    Bun.gc(false);
  }

  return () => {
    if (willAsk) return;
    willAsk = true;
    setTimeout(ask, Math.max(0, askedAt + betweenMs - performance.now()));
  };
}
