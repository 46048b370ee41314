/** Slows those who guess API keys, by their address and by how the guesses begin. Who has a right key is not asked here. */
import { createRecent, type Recent } from "../base/recent.ts";

export interface GuessLimiter {
  /**
   * A key was wrong. Answers soon, or late where there were many.
   * @param from null: a unix socket, whose callers can not be told apart.
   * @returns how long to wait before the next one, where there were too many.
   */
  wrong(key: string, from: string | null): Promise<{ lockedForS: number } | undefined>;
}

export interface GuessLimits {
  /** Wrong keys that are answered at once. */
  readonly free: number;
  readonly windowMs: number;
  /** How long the answer to each further one is held. */
  readonly holdMs: number;
  /** Answers that are held at once, in all. */
  readonly mostHeld: number;
}

const defaults: GuessLimits = { free: 10, windowMs: 60_000, holdMs: 1_000, mostHeld: 1_000 };
/** Addresses and beginnings that are remembered; the longest unused is forgotten first. */
const mostRemembered = 20_000;
/** `pb_` and 42 bits: no two keys begin alike by chance. */
const beginning = 10;

interface Count {
  count: number;
  readonly since: number;
}

export interface GuessOptions {
  readonly limits?: Partial<GuessLimits> | undefined;
  now(): number;
  pause(ms: number): Promise<void>;
}

export function createGuessLimiter({ limits, now, pause }: GuessOptions): GuessLimiter {
  const { free, windowMs, holdMs, mostHeld } = { ...defaults, ...limits };
  const addresses = createRecent<Count>(mostRemembered);
  const beginnings = createRecent<Count>(mostRemembered);
  let held = 0;

  /** @returns milliseconds until the count begins anew, where it is too high. */
  function counted(table: Recent<Count>, name: string): number {
    const earlier = table.get(name);
    const record = earlier && now() - earlier.since < windowMs ? earlier : { count: 0, since: now() };
    record.count++;
    table.set(name, record);
    return record.count > free ? record.since + windowMs - now() : 0;
  }

  return {
    async wrong(key, from) {
      const byKey = counted(beginnings, key.slice(0, beginning));
      const lockedMs = Math.max(byKey, from === null ? 0 : counted(addresses, from));
      if (lockedMs <= 0) return undefined;
      if (held < mostHeld) {
        held++;
        try {
          await pause(holdMs);
        } finally {
          held--;
        }
      }
      return { lockedForS: Math.ceil(lockedMs / 1000) };
    },
  };
}
