/** What a node asks again and again though mostly nothing is there: many answers in one question. */
import type { NodeFence } from "./nodes.ts";

/** What others did that concerns this node. */
export interface News {
  /** Jobs that were submitted after the given one wait. */
  readonly queued: boolean;
  /** Somebody asked to stop jobs that this node runs. */
  readonly stops: boolean;
  /** Somebody asked to stop workers of this node. */
  readonly workerStops: boolean;
  /** Jobs have waited longer than their ttl. */
  readonly expired: boolean;
}

/** What there is to do for all nodes. */
export interface Upkeep {
  /** Nodes whose lease ended more than `graceMs` ago. */
  readonly lapsed: boolean;
  /** Running jobs of dead nodes. */
  readonly orphans: boolean;
  /** Queues or workers of dead nodes. */
  readonly leftovers: boolean;
  /** Jobs run that this node claimed. */
  readonly own: boolean;
  /** Jobs wait, queued or held. */
  readonly waiting: boolean;
}

export interface Looks {
  /** One statement. @throws ServiceError Unavailable */
  news(node: NodeFence, seq: number): Promise<News>;

  /** One statement. @throws ServiceError Unavailable */
  upkeep(node: NodeFence, graceMs: number): Promise<Upkeep>;
}
