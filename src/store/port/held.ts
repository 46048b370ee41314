/** Held jobs: jobs of a copied data directory, which the original may run too, wait until they are released. */
import type { Actor } from "./audit.ts";
import type { StoredJob } from "./jobs.ts";

/** A status of `held`: it now waits for its bulk. */
export type ReleasedJob = Pick<StoredJob, "id" | "lane" | "strategy" | "bulkId" | "caller" | "status">;

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
