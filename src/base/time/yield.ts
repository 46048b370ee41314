/** Yields to the event loop between pieces of long work. */

/** Long work of this thread runs this long per turn of the event loop, all of it together. */
const stretchMs = 5;

/** Resolves after all pending callbacks have run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** In round-robin order: a caller that had its turn moves to the end. */
const waiting = new Map<string, (() => void)[]>();
let stretchEndsAt = 0;
/** Whether the end of this turn of the event loop has been requested. */
let isTurnOpen = false;

/**
 * Called between pieces of long work, such as the pages of an export: whatever runs side by side shares one stretch per
 * turn of the event loop, so that small requests of others wait for one piece, not for one of each. Nothing is held
 * meanwhile: a piece may wait for anything.
 * @param whose callers take turns, however much each of them has asked for
 * @returns undefined if the work may go on at once
 */
export function giveWay(whose = ""): Promise<void> | undefined {
  const now = performance.now();
  if (!isTurnOpen) {
    isTurnOpen = true;
    stretchEndsAt = now + stretchMs;
    setImmediate(nextTurn);
    return undefined;
  }
  if (now < stretchEndsAt) return undefined;
  return new Promise((resolve) => {
    const others = waiting.get(whose);
    if (others) others.push(resolve);
    else waiting.set(whose, [resolve]);
  });
}

function nextTurn(): void {
  const [next] = waiting;
  isTurnOpen = next !== undefined;
  if (next === undefined) return;
  const [whose, pieces] = next;
  waiting.delete(whose);
  const resume = pieces.shift();
  if (pieces.length > 0) waiting.set(whose, pieces);
  stretchEndsAt = performance.now() + stretchMs;
  setImmediate(nextTurn);
  resume?.();
}
