/** Adaptive poll interval: short after news, growing in silence, with jitter. */

export interface PollTimes {
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface PollPace {
  /** Records whether the last poll found something. */
  looked(found: boolean): void;
  /** @param mostMs overrides the maximum. */
  nextMs(mostMs?: number): number;
}

const factor = 1.5;
/** Spreads nodes that were started together. */
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
