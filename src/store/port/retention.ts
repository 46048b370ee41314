/** Keeps the store small: what is too old goes in small batches, so that nobody waits for it. */
export interface Retention {
  /** Rows of a batch. Each method says how many rows went: fewer than a batch means that nothing is left. */
  readonly batch: number;

  /** Ended jobs whose time is over, and whose webhook has nothing left to deliver. */
  jobs(): Promise<number>;

  /** Audit entries older than that, in milliseconds. */
  audit(keptMs: number): Promise<number>;

  /** Idempotency keys whose 24 hours are over. */
  idempotency(): Promise<number>;

  /** Gives free space back to the system, a little at a time. */
  shrink(): Promise<void>;
}
