/** Splits long work, so that other requests run in between. */
import { yieldToEventLoop } from "../base/yield.ts";

const stretchMs = 10;

/** @returns a function to await between pieces; it yields to the event loop if the last yield was long ago. */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < stretchMs) return undefined;
    return yieldToEventLoop().then(() => {
      since = performance.now();
    });
  };
}
