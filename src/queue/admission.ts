/** What one API key may take of the service at once and over time, so that no pattern of requests starves the others. */

import { createFairSemaphore, type FairSemaphore } from "./fair-semaphore.ts";
import { createInFlightSubmissions, type InFlightSubmissions } from "./in-flight.ts";
import { createQuota, type Quota, type QuotaLimits } from "./quota.ts";
import { createRateLimiter, type RateLimiter, type RateLimits } from "./rate-limiter.ts";

export interface Admission {
  readonly requests: Quota;
  /** Lists that are longer than one piece. */
  readonly lists: Quota;
  /** Streams of events. */
  readonly streams: Quota;
  /** Bodies, and pieces of lists on their way to their readers. */
  readonly bytes: Quota;
  readonly rateLimiter: RateLimiter;
  /** Heavy work of the main thread: bodies that are read, bulks. */
  readonly heavyWork: FairSemaphore;
  /** Pieces of lists that are one large result. */
  readonly largePieces: FairSemaphore;
  readonly inFlight: InFlightSubmissions;
  /** Something of megabytes is done with: its memory is wanted back. */
  collect(): void;
}

export interface AdmissionLimits {
  readonly requests: QuotaLimits;
  readonly lists: QuotaLimits;
  readonly bytes: QuotaLimits;
  readonly rate: RateLimits;
}

/** Each is one connection that waits. */
const streams: QuotaLimits = { inAll: 1_000, perKey: 500 };
const MiB = 1024 * 1024;

export const ordinaryLimits: AdmissionLimits = {
  requests: { inAll: 2_000, perKey: 1_000 },
  lists: { inAll: 64, perKey: 16 },
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
    streams: createQuota("streams of events", streams),
    bytes: createQuota("bytes under way", limits.bytes),
    rateLimiter: createRateLimiter(limits.rate),
    heavyWork: createFairSemaphore({ atOnce: 1, perKey: 1, onLeave: collect }),
    largePieces: createFairSemaphore({ atOnce: 3, perKey: 1, onLeave: collect }),
    inFlight: createInFlightSubmissions(),
    collect,
  };
}
