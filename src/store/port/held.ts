/** Held jobs: those of a copied data directory, which may run elsewhere, wait until somebody releases them. */
import type { QueueStrategy } from "../../model/job.ts";

export interface ReleasedJob {
  readonly id: string;
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  readonly caller: string;
}

/** Released, jobs wait in their old order, with their whole time, as if submitted now. */
export interface HeldJobs {
  /** @returns those that were held. */
  release(ids: readonly string[]): Promise<ReleasedJob[]>;

  /** Waits up to a minute. @returns how many there were. */
  releaseAll(): Promise<number>;
}
