/** Bulks: one request for many devices. A bulk exists as long as at least one of its jobs does. */
import type { JobStatus, Submitter, SubmitterCondition } from "../../api/jobs/job.ts";
import type { Opened } from "../tables/columns.ts";
import type { BulkRow, GivenBulk } from "../tables/jobs.ts";

/** The caller's description of the work, without secrets. */
export interface StoredPurpose {
  readonly label?: string | null | undefined;
  readonly ticket?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/** Unique by its id: an insert with an existing one is ignored. Note and kept request are encrypted by the store. */
export interface NewBulk extends GivenBulk, StoredPurpose {
  readonly submitter: Submitter;
}

/** Times are wall clock, in ms since 1970. */
export interface StoredBulk extends Opened<Omit<BulkRow, "retryRequest">> {
  readonly submitterKind: Submitter["kind"];
  readonly submitter: string;
}

/** Filter of a listing; all conditions must match. */
export interface BulkConditions {
  readonly ids?: readonly string[] | undefined;
  /** `running`: at least one job has not ended; `ended`: all have. Both exclude stopped bulks. */
  readonly state?: "running" | "ended" | "stopped" | undefined;
  readonly label?: string | undefined;
  readonly ticket?: string | undefined;
  /** One of its tags. */
  readonly tag?: string | undefined;
  readonly driver?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly submitter?: SubmitterCondition | undefined;
  /** Milliseconds since 1970; `createdSince` is inclusive, `createdUntil` exclusive. */
  readonly createdSince?: number | undefined;
  readonly createdUntil?: number | undefined;
  /** Only bulks submitted before this one (exclusive cursor). */
  readonly beforeSeq?: number | undefined;
}

/** Jobs of one bulk, grouped by the fields below. */
export interface BulkCount {
  readonly status: JobStatus;
  readonly errorType: string | null;
  readonly count: number;
  /** End of the last one to end. */
  readonly lastEndedAt: number | null;
  /** How many ended at or after `endedSince`. */
  readonly recent: number;
}

/** A consistent count of one bulk. */
export interface BulkTally {
  readonly counts: readonly BulkCount[];
  readonly withWarnings: number;
  /** Finished ones with a command that the device refused. */
  readonly withRefusals: number;
}

export interface BulkScope {
  readonly id: string;
  /** Only jobs of these hosts; absent: all hosts. */
  readonly hosts?: readonly string[] | undefined;
}

export interface Bulks {
  find(id: string): Promise<StoredBulk | undefined>;

  /** Ids that begin with this prefix of lower-case hexadecimal digits and dashes, the newest first. */
  idsFrom(prefix: string, limit: number): Promise<string[]>;

  /** Newest first. */
  page(conditions: BulkConditions, limit: number): Promise<StoredBulk[]>;

  /**
   * Counts the jobs of bulks in one snapshot. A bulk without jobs is omitted.
   * @param endedSince milliseconds since 1970
   */
  tallies(ids: readonly string[], endedSince: number): Promise<Map<string, BulkTally>>;

  /** The same for a subset of the jobs of one bulk. */
  tally(scope: BulkScope, endedSince: number): Promise<BulkTally>;

  /** The distinct hosts of a bulk. */
  hostsOf(id: string): Promise<string[]>;

  /** `seq` of failed jobs, in the order of their failures. */
  firstFailures(scope: BulkScope, limit: number): Promise<number[]>;

  /** Hosts, as submitted, of jobs without a result: waiting, running, failed or cancelled. */
  hostsWithoutResult(scope: BulkScope, limit: number): Promise<string[]>;

  /**
   * Marks the bulk as stopped, with the reason.
   * @returns whether this call stopped it; an earlier reason is kept
   */
  stop(id: string, because: string): Promise<boolean>;
}
