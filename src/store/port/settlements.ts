/** Settlements: a claimed job ends or is requeued; a waiting job is cancelled. */
import type { JobStatus } from "../../api/job.ts";
import type { Actor } from "./audit.ts";
import type { ClaimFence } from "./claims.ts";
import type { NewTranscript } from "./transcripts.ts";

export interface JobEnd {
  readonly id: string;
  readonly status: Extract<JobStatus, "finished" | "failed" | "cancelled">;
  /** JSON text of the result; encrypted by the store. */
  readonly result: string;
  readonly durationMs: number;
  /** Error type of a failed job. */
  readonly errorType?: string | undefined;
  /** Warnings of the run, appended to those of the submission. */
  readonly warnings?: readonly string[];
  readonly hasWebhook: boolean;
  /** Of a push. */
  readonly transcript?: NewTranscript | undefined;
  /** Whether more than the first intent may have been recorded. */
  readonly hasIntents: boolean;
}

/** The state that the row must be in: held by this claim, or still queued. */
export type Holder = { readonly fence: ClaimFence } | { readonly queued: true };

export interface Requeue {
  readonly fence: ClaimFence;
  /** Number of attempts lost while sending, including this one. */
  readonly lostAttempts: number;
}

export interface QueuedJobRef {
  readonly id: string;
  readonly hasWebhook: boolean;
}

/** All methods work when the storage is full: they free space. */
export interface Settlements {
  /**
   * Ends a job, writes its audit entry and makes its webhook due, in one transaction. Final states never change, and
   * only the holder may write. The payload and the recorded lines are deleted.
   * @returns whether this call ended it
   * @throws ServiceError Unavailable after 10 seconds; it may be sent again
   */
  end(end: JobEnd, holder: Holder): Promise<boolean>;

  /**
   * Requeues a claimed job at its old position, unless a stop was requested. The lines that a lost attempt may have
   * sent are kept.
   * @returns whether this call requeued it
   */
  requeue(requeue: Requeue): Promise<boolean>;

  /**
   * Cancels jobs that are not claimed, in one transaction with their audit entries and webhooks.
   * @param result JSON text of the result of each job
   * @returns the ids of those that were still queued or held
   */
  cancelQueued(jobs: readonly QueuedJobRef[], result: string, by: Actor): Promise<string[]>;
}
