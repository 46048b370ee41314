/** Finds orphaned jobs of dead nodes and expired jobs; `settlements` ends them. */
import type { ClaimFence, StopReason } from "./claims.ts";
import type { NodeFence } from "./nodes.ts";

/** A running job whose worker was lost. */
export interface Orphan {
  readonly fence: ClaimFence;
  readonly bulkId: string | null;
  readonly caller: string;
  readonly hasWebhook: boolean;
  readonly lostAttempts: number;
  readonly retries: number;
  /** Whether this attempt has recorded an intent. */
  readonly sending: boolean;
  /** Lines that this or earlier lost attempts may have sent. */
  readonly sent: readonly string[];
  /** Its progress, if noted with an intent. */
  readonly note?: string | undefined;
  readonly runMs: number;
  readonly stop: StopReason | null;
}

/** A job that exceeded its ttl in the queue. */
export interface ExpiredJob {
  readonly id: string;
  readonly lane: string;
  readonly bulkId: string | null;
  readonly caller: string;
  readonly hasWebhook: boolean;
  readonly ttlMs: number;
  /** End of the maintenance window it had to start in; null if no window applies. */
  readonly windowEnd: number | null;
}

/** A job that was ended because its row is damaged. */
export interface EndedDamagedJob {
  readonly id: string;
  readonly bulkId: string | null;
  readonly hasWebhook: boolean;
}

/** Jobs whose row is damaged are ended as failed when they are found: none is returned, here or by a claim. */
export interface Recovery {
  /**
   * @param listener is called for each job that was ended so
   * @returns unsubscribes
   */
  onDamagedEnded(listener: (job: EndedDamagedJob) => void): () => void;

  /**
   * Running jobs whose node is dead or has acquired a new lease, oldest first. Ends the jobs whose status is damaged, of
   * any node.
   */
  orphans(limit: number): Promise<Orphan[]>;

  /** Running jobs of a node except those it knows: claims whose response was lost. */
  runningOf(node: NodeFence, but?: readonly string[]): Promise<Orphan[]>;

  /** Queued jobs that exceeded their ttl, longest first; they can no longer be claimed. */
  expired(limit: number): Promise<ExpiredJob[]>;

  /**
   * Frees the queues and deletes the workers of dead nodes; a queue with a running job is freed once that job is
   * settled.
   */
  clearDeadNodes(): Promise<void>;
}
