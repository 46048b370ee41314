/** Pacing: holds jobs until their start time or until their bulk has room, then queues them. */
import type { ReleasedJob } from "./held.ts";

/** A stopped bulk with waiting jobs. */
export interface StoppedBulk {
  readonly id: string;
  readonly because: string;
}

/**
 * Paced jobs have the status `held` and cannot be claimed. Which of them may proceed is computed from the stored rows
 * alone, so nothing is lost with a node, and several nodes let no more through than one.
 */
export interface Pacing {
  /**
   * Queues a batch of jobs whose start time has come, in the order of these times; their ttl starts then.
   * @returns the queued jobs, and the paced bulks among them
   */
  due(): Promise<{ queued: ReleasedJob[]; bulks: string[] }>;

  /**
   * Queues as many jobs of these bulks as their `concurrency` permits, with their full ttl. A bulk with `max_failures`
   * failed jobs is stopped instead.
   */
  fill(bulkIds: readonly string[]): Promise<{ queued: ReleasedJob[]; stopped: StoppedBulk[] }>;

  /** Bulks with held jobs that have room for more or are stopped. */
  waiting(): Promise<string[]>;

  /** Milliseconds until the next job is due; undefined if none waits for a time. */
  nextInMs(): Promise<number | undefined>;

  /** Whether the bulk limits concurrency. */
  isPaced(bulkId: string): Promise<boolean>;
}
