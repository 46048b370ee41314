/** The order in which waiting jobs are claimed: stated here once, as a value that the store's SQL and the scheduler go by. */
import type { QueueStrategy } from "../../model/job.ts";

/** What the place of a waiting job follows from; nothing of it changes while the job waits. */
export interface OrderedJob {
  readonly strategy: QueueStrategy;
  readonly queue: string;
  /** Id of the API key. */
  readonly caller: string;
  readonly bulkId: string | null;
}

/** Jobs that wait, as far as their lane tells of them. */
export interface WaitingJobs {
  readonly lane: string;
  readonly caller: string;
  readonly bulkId: string | null;
}

/** A place in the turns of one level. */
export interface Share {
  /** Tells it from the others of its level. */
  readonly key: string;
  /** What a turn costs: of two that wait all the time, the one that pays ten times as much gets a tenth of the turns. */
  readonly cost: number;
}

export interface ClaimOrder {
  /** The lane a job waits in. A claim takes from the head of a lane, so jobs of one lane never overtake each other. */
  laneOf(job: OrderedJob): string;
  /** Whose turn these jobs take, outermost first; of each level, whoever paid least for its turns is next. */
  sharesOf(jobs: WaitingJobs): readonly Share[];
  /** Fields of a stored job by which a lane is ordered, smallest first; the last one is unique. */
  readonly withinLane: readonly "seq"[];
}

/**
 * Callers share alike; so do the bulks of a caller, its single jobs counting as one bulk. A lane is first in, first
 * out by `seq`, which a requeued job keeps. A pinned host is one lane whoever calls; a bulk of the fifo queue has a
 * lane of its own, so that a single job of the same caller need not wait behind it.
 */
export const claimOrder: ClaimOrder = {
  laneOf: ({ strategy, queue, caller, bulkId }) =>
    strategy === "pinned" ? queue : `${queue}/${caller}/${bulkId ?? ""}`,
  sharesOf: ({ caller, bulkId }) => [
    { key: caller, cost: 1 },
    { key: bulkId ?? "", cost: 1 },
  ],
  withinLane: ["seq"],
};
