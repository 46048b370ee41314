/** Periodic polls of a node, combined: one cheap query answers many questions that are mostly answered with no. */
import type { NodeFence } from "./nodes.ts";

/** Changes by others that concern this node. */
export interface News {
  /** Jobs submitted after `seq` are queued. */
  readonly queued: boolean;
  /** Stops were requested for jobs that this node runs. */
  readonly stops: boolean;
  /** Stops were requested for workers of this node. */
  readonly workerStops: boolean;
  /** Jobs have exceeded their ttl. */
  readonly expired: boolean;
}

/** Pending upkeep, for all nodes. */
export interface Upkeep {
  /** Nodes whose lease expired more than `graceMs` ago. */
  readonly lapsed: boolean;
  /** Running jobs of dead nodes, and jobs whose status is damaged. */
  readonly orphans: boolean;
  /** Queues or workers of dead nodes. */
  readonly leftovers: boolean;
  /** Jobs claimed by this node are running. */
  readonly own: boolean;
  /** Jobs are waiting, queued or held. */
  readonly waiting: boolean;
}

export interface Polls {
  /** One statement. @throws ServiceError Unavailable */
  news(node: NodeFence, seq: number): Promise<News>;

  /** One statement. @throws ServiceError Unavailable */
  upkeep(node: NodeFence, graceMs: number): Promise<Upkeep>;
}
