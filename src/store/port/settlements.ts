/** How a job leaves its claim: it ends, goes back to the queue, or is cancelled before anything took it. */
import type { JobStatus } from "../../model/job.ts";
import type { Actor } from "./audit.ts";
import type { ClaimFence } from "./claims.ts";

export interface JobEnd {
  readonly id: string;
  readonly status: Extract<JobStatus, "finished" | "failed" | "cancelled">;
  /** JSON text of the result; sealed by the store. */
  readonly result: string;
  readonly durationMs: number;
  /** Type of the error of a job that failed. */
  readonly errorType?: string | undefined;
  /** What the job warns of, behind what its submission did. */
  readonly warnings?: readonly string[];
  readonly hasWebhook: boolean;
  /** Whether intents beyond the first may be recorded. */
  readonly hasIntents: boolean;
}

/** Which state the row must be in: still this claim's, or still queued. */
export type Holder = { readonly fence: ClaimFence } | { readonly queued: true };

export interface Requeue {
  readonly fence: ClaimFence;
  /** Attempts that were lost while they were sending, this one included. */
  readonly lostAttempts: number;
}

export interface QueuedJobRef {
  readonly id: string;
  readonly hasWebhook: boolean;
}

/** All of it goes on when the storage is full: it frees space. */
export interface Settlements {
  /**
   * The end of a job with its audit entry, and its webhook made due, in one transaction. Nothing leaves a final state,
   * and only the holder writes; the payload and what was sent are deleted with it.
   * @returns whether this call ended it.
   * @throws ServiceError Unavailable after 10 seconds; it may be sent again.
   */
  end(end: JobEnd, holder: Holder): Promise<boolean>;

  /**
   * Puts a claimed job back at its old place in the order; not one that somebody asked to stop. What a lost attempt
   * may have sent stays known.
   * @returns whether this call put it back.
   */
  requeue(requeue: Requeue): Promise<boolean>;

  /**
   * Cancels jobs that nobody has claimed, all in one transaction with their audit entries and webhooks.
   * @param result JSON text that each of them ends with.
   * @returns the ids of those that were still queued or held.
   */
  cancelQueued(jobs: readonly QueuedJobRef[], result: string, by: Actor): Promise<string[]>;
}
