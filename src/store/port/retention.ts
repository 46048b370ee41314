/** Retention: deletes expired rows in small batches that do not block other writes. */
export interface Retention {
  /** Rows per batch. Each method returns the number of deleted rows; fewer than a batch means that none are left. */
  readonly batch: number;

  /** Ended jobs whose result ttl is over and whose webhook is done. */
  jobs(): Promise<number>;

  /** Audit entries older than `keptMs`. */
  audit(keptMs: number): Promise<number>;

  /** Idempotency keys older than 24 hours. */
  idempotency(): Promise<number>;

  /** Returns free pages to the file system, a few at a time. */
  shrink(): Promise<void>;
}
