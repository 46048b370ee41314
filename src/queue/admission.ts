/** What one API key may take of the service at once and over time, so that no pattern of requests starves the others. */

import { createTurns, type Turns } from "./fair-semaphore.ts";
import { createFlights, type Flights } from "./in-flight.ts";
import { createShares, type ShareLimits, type Shares } from "./quota.ts";
import { createRates, type RateLimits, type Rates } from "./rate-limiter.ts";

export interface Admission {
  readonly requests: Shares;
  /** Lists that are longer than one piece. */
  readonly lists: Shares;
  /** Bodies, and pieces of lists on their way to their readers. */
  readonly bytes: Shares;
  readonly rates: Rates;
  /** Heavy work of the main thread: bodies that are read, bulks. */
  readonly turns: Turns;
  /** Pieces of lists that are one large result. */
  readonly largePieces: Turns;
  readonly flights: Flights;
}

export interface AdmissionLimits {
  readonly requests: ShareLimits;
  readonly lists: ShareLimits;
  readonly bytes: ShareLimits;
  readonly rate: RateLimits;
}

const MiB = 1024 * 1024;

export const ordinaryLimits: AdmissionLimits = {
  requests: { inAll: 2_000, perKey: 1_000 },
  lists: { inAll: 64, perKey: 16 },
  bytes: { inAll: 64 * MiB, perKey: 32 * MiB },
  rate: { perSecond: 10_000, burst: 100_000 },
};

export function createAdmission(
  limits: AdmissionLimits = ordinaryLimits,
  /** Something of megabytes is done with. */
  onLarge: () => void = () => {},
): Admission {
  return {
    requests: createShares("requests under way", limits.requests),
    lists: createShares("lists under way", limits.lists),
    bytes: createShares("bytes under way", limits.bytes),
    rates: createRates(limits.rate),
    turns: createTurns({ atOnce: 1, perKey: 1, onLeave: onLarge }),
    largePieces: createTurns({ atOnce: 3, perKey: 1, onLeave: onLarge }),
    flights: createFlights(),
  };
}
