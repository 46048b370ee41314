/** Admission control per API key, so that no pattern of requests starves others. */

import { hookLimits } from "../api/recipes/hook.ts";
import { createFairSemaphore } from "../base/share/fair-semaphore.ts";
import { createInFlightSubmissions } from "./in-flight.ts";
import type { Admission, AdmissionLimits, QuotaLimits, RateLimits } from "./port.ts";
import { createQuota } from "./quota.ts";
import { createRateLimiter } from "./rate-limiter.ts";

/** Each transfer holds open files and a buffer. */
const files: QuotaLimits = { inAll: 32, perKey: 16 };
/** Each is an immediate login outside of the queue. */
const connectionTests: QuotaLimits = { inAll: 32, perKey: 24 };
/** Many people share the address of an office or of a proxy: some 5 sign-ins per second, and 90 at once. */
const openRate: RateLimits = { perSecond: 50, burst: 1_000 };
const MiB = 1024 * 1024;

export const ordinaryLimits: AdmissionLimits = {
  requests: { inAll: 2_000, perKey: 1_000 },
  lists: { inAll: 64, perKey: 16 },
  streams: { inAll: 2_000, perKey: 1_000 },
  bytes: { inAll: 64 * MiB, perKey: 32 * MiB },
  rate: { perSecond: 10_000, burst: 100_000 },
};

export function createAdmission(
  limits: AdmissionLimits = ordinaryLimits,
  collect: () => void = () => {},
): Admission {
  return {
    requests: createQuota("requests under way", limits.requests),
    lists: createQuota("lists under way", limits.lists),
    connectionTests: createQuota("running connection tests", connectionTests),
    streams: createQuota("streams of events", limits.streams),
    bytes: createQuota("bytes under way", limits.bytes),
    files: createQuota("files under way", files),
    rateLimiter: createRateLimiter(limits.rate),
    openRate: createRateLimiter(openRate),
    hookRate: createRateLimiter(hookLimits.rate),
    heavyWork: createFairSemaphore({ atOnce: 1, perKey: 1, onLeave: collect }),
    largeBodies: createFairSemaphore({ atOnce: 1, perKey: 1, onLeave: collect }),
    largePieces: createFairSemaphore({ atOnce: 3, perKey: 1, onLeave: collect }),
    inFlight: createInFlightSubmissions(),
    collect,
  };
}
