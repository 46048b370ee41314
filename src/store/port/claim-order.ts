/**
 * The order in which waiting jobs are claimed. Defined once, as a value that both the store's SQL and the scheduler
 * use.
 */
import { type Priority, priorities, type QueueStrategy } from "../../api/jobs/job.ts";

/** The fields that determine a job's position; none of them changes while the job waits. */
export interface OrderedJob {
  readonly strategy: QueueStrategy;
  readonly queue: string;
  /** Id of the person, or of the API key of a machine: all keys of a person take the same turns. */
  readonly share: string;
  readonly bulkId: string | null;
  readonly priority: Priority;
}

/** Waiting jobs of one lane, with the fields that the lane determines. */
export interface WaitingJobs {
  readonly lane: string;
  readonly share: string;
  readonly bulkId: string | null;
}

/** A participant in the fair sharing of one level. */
export interface Share {
  /** Unique within its level. */
  readonly key: string;
  /** Cost of a turn: of two participants that always wait, one with ten times the cost gets a tenth of the turns. */
  readonly cost: number;
}

export interface ClaimOrder {
  /** The lane of a job. Claims take from the head of a lane, so jobs of one lane never overtake each other. */
  laneOf(job: OrderedJob): string;
  /**
   * The participants that these jobs are charged to, outermost level first. On each level the one that has paid least
   * goes next.
   */
  sharesOf(jobs: WaitingJobs): readonly Share[];
  /** Sort fields within a lane, ascending; the last one is unique. */
  readonly withinLane: readonly "seq"[];
}

/**
 * While several priorities wait, each one gets ten turns for every turn of the next lower one, so low priority is never
 * starved.
 */
const turnCosts: Readonly<Record<Priority, number>> = { high: 1, normal: 10, low: 100 };

/**
 * Three levels of sharing: persons and keys of machines share equally, whatever their priorities; a caller's priorities share by cost;
 * within a priority, bulks share equally, with all single jobs counting as one bulk. A lane is first in, first out by
 * `seq`, which a requeued job keeps. A pinned host is one lane for all callers and priorities, so that nothing
 * overtakes on a device. In the fifo queue each bulk and each priority has its own lane, so that none blocks another.
 */
export const claimOrder: ClaimOrder = {
  laneOf({ strategy, queue, share, bulkId, priority }) {
    if (strategy === "pinned") return queue;
    const lane = `${queue}/${share}/${bulkId ?? ""}`;
    return priority === "normal" ? lane : `${lane}/${priority}`;
  },
  sharesOf({ lane, share, bulkId }) {
    const priority = priorityOf(lane);
    return [
      { key: share, cost: 1 },
      { key: priority, cost: turnCosts[priority] },
      { key: bulkId ?? "", cost: 1 },
    ];
  },
  withinLane: ["seq"],
};

/** @param lane as returned by `laneOf` */
function priorityOf(lane: string): Priority {
  const [, , , last] = lane.split("/");
  return priorities.find((priority) => priority === last) ?? "normal";
}
