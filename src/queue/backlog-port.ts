/** The interface of the backlog. */

/** Counts waiting jobs (queued or held), in all and per caller (API key id), for back-pressure. */
export interface Backlog {
  total(): number;
  ofCaller(caller: string): number;
  /** Adds jobs, or removes them (negative). */
  add(caller: string, count: number): void;
  /** Sets the counts of the store; reservations stay. */
  reset(counts: ReadonlyMap<string, number>): void;
  /**
   * Reserves room before the work: jobs being checked and stored count as waiting.
   * @throws ServiceError TooManyRequests, with `retryAfter`
   */
  reserve(caller: string, count: number): Reservation;
}

/** A reservation of a submission. */
export interface Reservation {
  /** Releases the surplus. */
  shrinkTo(count: number): void;
  /** The jobs are stored: converts the reservation to queued jobs. */
  commit(): void;
  /** Releases what was not committed; always called last. */
  release(): void;
}

export interface BacklogLimits {
  readonly maxQueued: number;
  readonly maxQueuedPerKey: number;
}
