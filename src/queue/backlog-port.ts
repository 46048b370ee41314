/** The interface of the backlog: how much waits. */

/** How many jobs wait, queued or held, in all and by caller (id of the API key): what back-pressure and fairness go by. */
export interface Backlog {
  total(): number;
  ofCaller(caller: string): number;
  /** Jobs came to the queue, or left it (negative). */
  add(caller: string, count: number): void;
  /** Sets what the store counted; what is reserved stays. */
  reset(counts: ReadonlyMap<string, number>): void;
  /**
   * Takes room before the work: what is being checked and stored counts as if it waited already.
   * @throws ServiceError TooManyRequests, with `retryAfter`
   */
  reserve(caller: string, count: number): Reservation;
}

/** Room of a submission in the backlog. */
export interface Reservation {
  /** Gives back what is not needed. */
  shrinkTo(count: number): void;
  /** The jobs are in the store: from now on they are queued. */
  commit(): void;
  /** Gives back what was not queued; always called last. */
  release(): void;
}

export interface BacklogLimits {
  readonly maxQueued: number;
  readonly maxQueuedPerKey: number;
}
