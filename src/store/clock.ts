/** The clocks of a store: the wall clock, and a monotonic one that resumes where the previous process stopped. */
import type { Clock } from "./port.ts";

export interface ClockSource {
  wall(): number;
  monotonic(): number;
}

export const machineClock: ClockSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * @param notBefore latest steady time written by a previous process: if the clock was set back, nothing expired becomes
 * valid again
 */
export function createClock(source: ClockSource = machineClock, notBefore = 0): Clock {
  const startedAt = source.monotonic();
  const anchor = Math.max(source.wall(), notBefore);
  return {
    wall: () => Math.round(source.wall()),
    steady: () => Math.round(anchor + source.monotonic() - startedAt),
  };
}
