/** A token bucket for each API key: what a request costs is taken from it, and it fills again with time. */

import { ServiceError } from "../base/errors.ts";
import { createRecent } from "../base/recent.ts";
import type { RateLimiter, RateLimits } from "./port.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** Keys that rested the longest are full again, and forgotten first. */
const mostKeys = 10_000;

export function createRateLimiter(
  { perSecond, burst }: RateLimits,
  now: () => number = () => performance.now(),
): RateLimiter {
  const buckets = createRecent<Bucket>(mostKeys);

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
      // What is larger than the bucket passes when it is full, and is paid off afterwards.
      const needed = Math.min(cost, burst);
      if (bucket.tokens < needed) {
        const message = `This API key asks for more than ${perSecond} a second (rate_per_key).`;
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
