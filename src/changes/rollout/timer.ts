/** When to look at changes again. */
const leastMs = 20;
const mostMs = 3_600_000;

/** Acts once, at the earliest of the times asked for. */
export function createTimer(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const clear = () => {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
  };
  return {
    clear,
    within(ms: number): void {
      if (ms === Number.POSITIVE_INFINITY) return;
      const inMs = Math.min(mostMs, Math.max(leastMs, ms));
      const at = performance.now() + inMs;
      if (at >= dueAt) return;
      clearTimeout(timer);
      dueAt = at;
      timer = setTimeout(() => {
        clear();
        act();
      }, inMs);
    },
  };
}
