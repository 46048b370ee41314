/** Slows down guessing of API keys, per address and per key prefix. Does not affect valid keys. */
import { type BoundedCache, createBoundedCache } from "../base/share/bounded-cache.ts";

export interface GuessLimiter {
  /**
   * Records a wrong key. Resolves at once, or delayed if there were many.
   * @param from null: a Unix socket, whose callers cannot be told apart.
   * @returns how long to wait before the next attempt, if there were too many.
   */
  wrong(key: string, from: string | null): Promise<{ lockedForS: number } | undefined>;
}

export interface GuessLimits {
  /** Number of wrong keys that are answered at once. */
  readonly free: number;
  readonly windowMs: number;
  /** Delay of each further answer. */
  readonly holdMs: number;
  /** Maximum number of delayed answers at a time. */
  readonly maxHeld: number;
}

const defaults: GuessLimits = { free: 10, windowMs: 60_000, holdMs: 1_000, maxHeld: 1_000 };
/** Number of addresses and prefixes remembered (LRU). */
const maxRemembered = 20_000;
/** `pb_` and 42 bits: keys do not share a prefix by chance. */
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
  const { free, windowMs, holdMs, maxHeld } = { ...defaults, ...limits };
  const addresses = createBoundedCache<Count>(maxRemembered);
  const beginnings = createBoundedCache<Count>(maxRemembered);
  let held = 0;

  /** @returns milliseconds until the counter resets, if it is too high. */
  function counted(table: BoundedCache<Count>, name: string): number {
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
      if (held < maxHeld) {
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
