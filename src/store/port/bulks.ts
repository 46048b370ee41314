/** Bulks: one request for many devices. A bulk is there as long as one of its jobs is. */
import type { JobStatus, OperationKind } from "../../model/job.ts";

/** What a caller names his work, without secrets. */
export interface StoredPurpose {
  readonly label?: string | null | undefined;
  readonly ticket?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

export interface NewBulk extends StoredPurpose {
  /** Unique; one that is there already is not inserted again. */
  readonly id: string;
  /** Id of the API key. */
  readonly caller: string;
  readonly driver: string;
  readonly operation: OperationKind;
  /** Sealed by the store. */
  readonly note?: string | null | undefined;
  /** How many of its jobs may run at once. */
  readonly concurrency?: number | null | undefined;
  /** After so many that failed, what waits is cancelled. */
  readonly maxFailures?: number | null | undefined;
  readonly order?: string | null | undefined;
  /** Id of the bulk that this one does again. */
  readonly retryOf?: string | null | undefined;
  /** What chose its devices, and the revision of the inventory of which it did. */
  readonly selector?: string | null | undefined;
  readonly revision?: number | null | undefined;
  /** What its devices share, without secrets; sealed by the store. */
  readonly kept?: string | undefined;
}

/** Times are the wall clock's, in ms since 1970. */
export interface StoredBulk {
  /** Order of submission. */
  readonly seq: number;
  readonly id: string;
  readonly createdAt: number;
  readonly caller: string;
  readonly driver: string;
  readonly operation: OperationKind;
  readonly label: string | null;
  readonly ticket: string | null;
  readonly note: string | null;
  readonly tags: readonly string[] | null;
  /** Jobs that it was made of; some may have gone since. */
  readonly total: number;
  readonly concurrency: number | null;
  readonly maxFailures: number | null;
  readonly order: string | null;
  readonly retryOf: string | null;
  readonly selector: string | null;
  readonly revision: number | null;
  readonly stoppedBecause: string | null;
  readonly stoppedAt: number | null;
}

/** What a listing of bulks goes by; all of it must hold. */
export interface BulkConditions {
  /** `running`: a job of it has not ended; `ended`: all have. Of both only those that were not stopped. */
  readonly state?: "running" | "ended" | "stopped" | undefined;
  readonly label?: string | undefined;
  readonly ticket?: string | undefined;
  /** One of its tags. */
  readonly tag?: string | undefined;
  readonly driver?: string | undefined;
  /** Milliseconds since 1970: at or after, and before. */
  readonly createdSince?: number | undefined;
  readonly createdUntil?: number | undefined;
  /** Only bulks submitted before this one. */
  readonly beforeSeq?: number | undefined;
}

/** Jobs of one bulk that are alike. */
export interface BulkCount {
  readonly status: JobStatus;
  readonly errorType: string | null;
  readonly count: number;
  /** When the last of them ended. */
  readonly lastEndedAt: number | null;
  /** How many of them ended at or after the time that was asked for. */
  readonly recent: number;
}

/** A bulk as it stood at one moment. */
export interface BulkTally {
  readonly counts: readonly BulkCount[];
  readonly withWarnings: number;
}

export interface BulkScope {
  readonly id: string;
  /** Only jobs of these hosts; absent: all. */
  readonly hosts?: readonly string[] | undefined;
}

export interface Bulks {
  find(id: string): Promise<StoredBulk | undefined>;

  /** Newest first. */
  page(conditions: BulkConditions, limit: number): Promise<StoredBulk[]>;

  /**
   * Counts the jobs of bulks, all at one moment. A bulk without any is left out.
   * @param endedSince milliseconds since 1970.
   */
  tallies(ids: readonly string[], endedSince: number): Promise<Map<string, BulkTally>>;

  /** The same for some jobs of one bulk. */
  tally(scope: BulkScope, endedSince: number): Promise<BulkTally>;

  /** Every host of a bulk, once. */
  hostsOf(id: string): Promise<string[]>;

  /** Jobs that failed, in the order in which they did: their `seq`. */
  firstFailures(scope: BulkScope, limit: number): Promise<number[]>;

  /** Hosts of jobs that have not finished: those that wait, run, failed or were cancelled; as they were submitted. */
  hostsWithoutResult(scope: BulkScope, limit: number): Promise<string[]>;

  /**
   * Says that it was stopped, and why.
   * @returns whether this call did; one that was stopped keeps its reason.
   */
  stop(id: string, because: string): Promise<boolean>;
}
