/** Two times: the wall clock for people, and a steady one for decisions that no clock jump can turn. */

export interface Clock {
  /** Milliseconds since 1970 by the machine's clock; may jump. */
  wall(): number;
  /** Milliseconds since 1970 as they were at the start, plus the monotonic time since. */
  steady(): number;
}

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
