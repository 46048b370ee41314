/** Adaptive poll interval: short after news, growing in silence, with jitter. */

export interface PollTimes {
  readonly leastMs: number;
  readonly maxMs: number;
}

export interface PollPace {
  /** Records whether the last poll found something. */
  looked(hasNews: boolean): void;
  /** @param mostMs overrides the maximum. */
  nextMs(maxMs?: number): number;
}

const factor = 1.5;
/** Spreads nodes that were started together. */
const jitter = 0.2;

export function createPollPace(times: PollTimes, random: () => number = Math.random): PollPace {
  let ms = times.leastMs;
  return {
    looked(hasNews) {
      ms = hasNews ? times.leastMs : Math.min(times.maxMs, ms * factor);
    },
    nextMs: (maxMs = times.maxMs) => Math.min(ms, maxMs) * (1 - jitter * random()),
  };
}
