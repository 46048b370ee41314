/** A limit in total and per API key. */
import { limitWord } from "../auth/caller.ts";
import { ServiceError } from "../base/errors.ts";
import type { Quota, QuotaLimits } from "./port.ts";

/** @param resource is limited, for messages: `requests under way`. */
export function createQuota(resource: string, { inAll, perKey }: QuotaLimits): Quota {
  const byKey = new Map<string, number>();
  let total = 0;
  /** What counts for all: of each key no more than its share, since what exists may be above it. */
  let shared = 0;

  function add(key: string, count: number): void {
    const before = byKey.get(key) ?? 0;
    const next = before + count;
    total += count;
    shared += Math.min(next, perKey) - Math.min(before, perKey);
    if (next <= 0) byKey.delete(key);
    else byKey.set(key, next);
  }

  function hold(key: string, count: number): () => void {
    add(key, count);
    let held = count;
    return () => {
      add(key, -held);
      held = 0;
    };
  }

  return {
    take(key, count = 1) {
      if ((byKey.get(key) ?? 0) + count > perKey)
        throw tooMany(`${limitWord()} has too many ${resource}: at most ${perKey}.`);
      if (shared + count > inAll) throw tooMany(`The service has too many ${resource}: at most ${inAll}.`);
      return hold(key, count);
    },
    hold,
    holdIfRoom(key, count) {
      const used = byKey.get(key) ?? 0;
      if (used > perKey / 2 && used + count > perKey)
        throw tooMany(`${limitWord()} has too many ${resource}: at most ${perKey}.`);
      return hold(key, count);
    },
    held: () => total,
  };
}

function tooMany(message: string): ServiceError {
  return new ServiceError("TooManyRequests", message, { retryAfter: 1 });
}
