/** The store itself: its clocks, retention, key rotation, damaged rows, and the identity of its directory. */

/** Two clocks: the wall clock for display, and a monotonic one for decisions, which clock changes do not affect. */
export interface Clock {
  /** Milliseconds since 1970 by the machine's clock; may jump. */
  wall(): number;
  /** Wall time at the start plus monotonic time since; never less than a value written before. */
  steady(): number;
}

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

/** Master key rotation: re-encrypts values of former keys while the service runs. */
export interface Rotation {
  /** Whether former master keys are configured, so there may be values to re-encrypt. */
  readonly isDue: boolean;

  /**
   * Re-encrypts values with the current master key in small batches; damaged values are left as they are.
   * @returns how many were re-encrypted; afterwards the former keys are no longer needed
   */
  reseal(): Promise<number>;
}

export interface DamagedRow {
  readonly table: string;
  /** SQLite's number of the row in its table. */
  readonly row: number;
  /** What identifies it; null if that cannot be read. */
  readonly key: string | null;
  /** A column and what it must be; nothing of its content. */
  readonly reason: string;
}

/** Rows that do not match the schema: damaged on the disk, or changed by hand. */
export interface DamagedRows {
  readonly total: number;
  readonly rows: readonly DamagedRow[];
}

export interface DirectoryIdentity {
  /** Id of the data directory. */
  readonly id: string;
  /** Undefined if this is not a copy. */
  readonly copied: CopiedDirectory | undefined;
  /** Called every few seconds while the directory is in use, so that any copy made earlier is recognized as older. */
  advance(): Promise<void>;
}

export interface CopiedDirectory {
  readonly why: string;
  /** Jobs that were queued, or claimed but had sent nothing. */
  readonly held: number;
  /** Jobs that were sending: they fail and report the lines that may have been sent. */
  readonly sending: number;
}

/** The lock of the one process that owns a data directory. */
export interface Ownership {
  release(): void;
}
