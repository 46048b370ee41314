/** When to look again: soon where something was found, ever later where nothing was, and not when all others look. */

export interface PollTimes {
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface PollPace {
  /** The last look found something, or found nothing. */
  looked(found: boolean): void;
  /** @param mostMs in the place of the usual one. */
  nextMs(mostMs?: number): number;
}

const factor = 1.5;
/** Nodes that were started together drift apart. */
const jitter = 0.2;

export function createPollPace(times: PollTimes, random: () => number = Math.random): PollPace {
  let ms = times.leastMs;
  return {
    looked(found) {
      ms = found ? times.leastMs : Math.min(times.mostMs, ms * factor);
    },
    nextMs: (mostMs = times.mostMs) => Math.min(ms, mostMs) * (1 - jitter * random()),
  };
}
