/** Pacing: jobs that wait for a time or for others of their bulk, and become queued when that is over. */
import type { ReleasedJob } from "./held.ts";

/** A bulk that goes on no further, while jobs of it still wait. */
export interface StoppedBulk {
  readonly id: string;
  readonly because: string;
}

/**
 * What waits so is held, and no claim sees it. What may go on is computed from what is stored, whoever asks and however
 * often, so that nothing is lost with a node and two of them let no more through than one.
 */
export interface Pacing {
  /**
   * Queues what has become due, in the order of its times, some hundreds at most: its ttl began then.
   * @returns what is queued now, and bulks that hold their own jobs back.
   */
  due(): Promise<{ queued: ReleasedJob[]; bulks: string[] }>;

  /**
   * Queues as many jobs of these bulks as their `concurrency` has room for, with their whole ttl; none of a bulk with
   * `max_failures` of them failed, which is stopped.
   */
  fill(bulkIds: readonly string[]): Promise<{ queued: ReleasedJob[]; stopped: StoppedBulk[] }>;

  /** Bulks with jobs that wait for them: with room for more, or stopped. */
  waiting(): Promise<string[]>;

  /** Milliseconds until the next job is due; undefined when none waits for a time. */
  nextInMs(): Promise<number | undefined>;

  /** Whether the bulk holds its jobs back. */
  isPaced(bulkId: string): Promise<boolean>;
}
