/** The clocks of a store: the machine's, and a steady one that starts where an earlier process left it. */
import type { Clock } from "./port.ts";

export interface ClockSource {
  wall(): number;
  monotonic(): number;
}

export const machineClock: ClockSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/** @param notBefore the latest steady time an earlier life has written: a clock set back meanwhile revives nothing. */
export function createClock(source: ClockSource = machineClock, notBefore = 0): Clock {
  const startedAt = source.monotonic();
  const anchor = Math.max(source.wall(), notBefore);
  return {
    wall: () => Math.round(source.wall()),
    steady: () => Math.round(anchor + source.monotonic() - startedAt),
  };
}
