/** Bulks: one request for many devices. A bulk is there as long as one of its jobs is. */
import type { OperationKind } from "../../model/job.ts";

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
  readonly stoppedBecause: string | null;
  readonly stoppedAt: number | null;
}

export interface Bulks {
  find(id: string): Promise<StoredBulk | undefined>;
}
