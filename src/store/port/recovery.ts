/** What dead nodes left behind, and jobs that waited too long: found here, settled by `settlements`. */
import type { ClaimFence, StopReason } from "./claims.ts";
import type { NodeFence } from "./nodes.ts";

/** A running job whose worker is gone. */
export interface Orphan {
  readonly fence: ClaimFence;
  readonly bulkId: string | null;
  readonly caller: string;
  readonly hasWebhook: boolean;
  readonly lostAttempts: number;
  readonly retries: number;
  /** Whether anything was recorded as about to be sent in this attempt. */
  readonly sending: boolean;
  /** Lines that it, or lost attempts before it, may have sent. */
  readonly sent: readonly string[];
  /** How far it had come, where that was noted with the lines. */
  readonly note?: string | undefined;
  readonly runMs: number;
  readonly stop: StopReason | null;
}

/** A job that waited longer than its ttl. */
export interface ExpiredJob {
  readonly id: string;
  readonly lane: string;
  readonly bulkId: string | null;
  readonly caller: string;
  readonly hasWebhook: boolean;
  readonly ttlMs: number;
  /** When the window that it might have begun in closed; null: none held it. */
  readonly windowEnd: number | null;
}

export interface Recovery {
  /** Running jobs whose node is dead or has acquired its lease anew, oldest first. */
  orphans(limit: number): Promise<Orphan[]>;

  /** Running jobs of a node but those it knows of: what is left are claims whose answer was lost. */
  runningOf(node: NodeFence, but?: readonly string[]): Promise<Orphan[]>;

  /** Queued jobs that waited longer than their ttl, longest first; nothing claims them any more. */
  expired(limit: number): Promise<ExpiredJob[]>;

  /** Frees the queues and forgets the workers of dead nodes; a queue in which a job runs waits until that is settled. */
  clearDeadNodes(): Promise<void>;
}
