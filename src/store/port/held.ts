/** Held jobs: those of a copied data directory, which may run elsewhere, wait until somebody releases them. */
import type { JobStatus, QueueStrategy } from "../../model/job.ts";
import type { Actor } from "./audit.ts";

export interface ReleasedJob {
  readonly id: string;
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  readonly caller: string;
  /** `held`: it waits for its bulk now. */
  readonly status: JobStatus;
}

/** Released, jobs wait in their old order, with their whole time, as if submitted now; those of a bulk that holds its jobs back wait for it. */
export interface HeldJobs {
  /** Also what waits for a time; not what waits for its bulk. What was copied waits for its time again. Each has its audit entry in the same transaction. @returns those that were held. */
  release(ids: readonly string[], by: Actor): Promise<ReleasedJob[]>;

  /** All of a copied directory; what waited for a time waits for it again. Takes up to a minute. @returns how many there were. */
  releaseAll(): Promise<number>;
}
