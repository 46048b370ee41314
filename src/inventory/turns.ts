/** Long work in pieces: other requests have their turn in between. */
import { yieldToEventLoop } from "../base/yield.ts";

const stretchMs = 10;

/** @returns to be awaited between two pieces; a turn of the loop is given up when the last one was a while ago. */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMs) return undefined;
    return yieldToEventLoop().then(() => {
      since = performance.now();
    });
  };
}
