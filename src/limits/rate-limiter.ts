/** A token bucket per API key. */

import { limitWord } from "../auth/caller.ts";
import { ServiceError } from "../base/errors.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import type { RateLimiter, RateLimits } from "./port.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** Least recently used keys, whose buckets are full, are evicted first. */
const maxKeys = 10_000;

export function createRateLimiter(
  { perSecond, burst }: RateLimits,
  now: () => number = () => performance.now(),
): RateLimiter {
  const buckets = createBoundedCache<Bucket>(maxKeys);

  function bucketOf(key: string): Bucket {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    spend(key, cost) {
      if (perSecond === 0) return;
      const bucket = bucketOf(key);
      // A cost above the bucket size passes when the bucket is full, and leaves it in debt.
      const needed = Math.min(cost, burst);
      if (bucket.tokens < needed) {
        const message = `${limitWord()} exceeds ${perSecond} requests per second (rate_per_key).`;
        throw new ServiceError("TooManyRequests", message, {
          retryAfter: (needed - bucket.tokens) / perSecond,
        });
      }
      bucket.tokens -= cost;
    },
    charge(key, cost) {
      if (perSecond > 0) bucketOf(key).tokens -= cost;
    },
  };
}
