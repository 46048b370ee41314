/** The order in which waiting jobs are claimed: stated here once, as a value that the store's SQL and the scheduler go by. */
import { type Priority, priorities, type QueueStrategy } from "../../model/job.ts";

/** What the place of a waiting job follows from; nothing of it changes while the job waits. */
export interface OrderedJob {
  readonly strategy: QueueStrategy;
  readonly queue: string;
  /** Id of the API key. */
  readonly caller: string;
  readonly bulkId: string | null;
  readonly priority: Priority;
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

/** While jobs of several priorities wait, ten of the higher go for each of the next lower: a low one waits, but not for ever. */
const turnCosts: Readonly<Record<Priority, number>> = { high: 1, normal: 10, low: 100 };

/**
 * Callers share alike, whatever their priorities; below a caller its priorities by their cost; below them its bulks
 * alike, its single jobs counting as one bulk. A lane is first in, first out by `seq`, which a requeued job keeps. A
 * pinned host is one lane whoever calls and whatever the priority, so that nothing overtakes on a device. In the fifo
 * queue each bulk and each priority has a lane of its own, so that one need not wait behind another.
 */
export const claimOrder: ClaimOrder = {
  laneOf({ strategy, queue, caller, bulkId, priority }) {
    if (strategy === "pinned") return queue;
    const lane = `${queue}/${caller}/${bulkId ?? ""}`;
    return priority === "normal" ? lane : `${lane}/${priority}`;
  },
  sharesOf({ lane, caller, bulkId }) {
    const priority = priorityOf(lane);
    return [
      { key: caller, cost: 1 },
      { key: priority, cost: turnCosts[priority] },
      { key: bulkId ?? "", cost: 1 },
    ];
  },
  withinLane: ["seq"],
};

/** Of a lane as `laneOf` writes it. */
function priorityOf(lane: string): Priority {
  const [, , , last] = lane.split("/");
  return priorities.find((priority) => priority === last) ?? "normal";
}
