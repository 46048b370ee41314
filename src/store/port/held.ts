/** Held jobs: jobs of a copied data directory, which the original may run too, wait until they are released. */
import type { JobStatus, QueueStrategy } from "../../api/job.ts";
import type { Actor } from "./audit.ts";

export interface ReleasedJob {
  readonly id: string;
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  readonly caller: string;
  /** `held`: it now waits for its bulk. */
  readonly status: JobStatus;
}

/** Released jobs keep their order and get their full ttl, as if submitted now; those of a paced bulk wait for it. */
export interface HeldJobs {
  /**
   * Also releases jobs that wait for a time, but not those that wait for their bulk. A job of a copied directory still
   * waits for its time. Each gets an audit entry in the same transaction.
   * @returns the jobs that were released
   */
  release(ids: readonly string[], by: Actor): Promise<ReleasedJob[]>;

  /**
   * Releases all jobs of a copied directory; those with a start time wait for it again. Takes up to a minute.
   * @returns how many there were
   */
  releaseAll(): Promise<number>;
}
