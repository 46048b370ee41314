/** Claims: a queued job becomes a node's own, and what its worker must ask before it sends anything. */
import type { OperationKind, QueueStrategy } from "../../model/job.ts";
import type { NodeFence } from "./nodes.ts";

/** The fencing token of one claim: what a worker writes counts only while the row still carries it. */
export interface ClaimFence extends NodeFence {
  /** Id of the job. */
  readonly id: string;
  /** One more with each claim. */
  readonly attempt: number;
}

export interface ClaimedJob {
  readonly fence: ClaimFence;
  readonly seq: number;
  readonly bulkId: string | null;
  readonly strategy: QueueStrategy;
  readonly queue: string;
  readonly lane: string;
  readonly host: string;
  readonly hostKey: string;
  readonly driver: string;
  readonly deviceType: string | null;
  readonly operation: OperationKind;
  readonly caller: string;
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** From its submission, or from when it was queued again, to the claim. */
  readonly waitedMs: number;
  readonly ttlMs: number;
  /** Attempts whose worker was lost after the first command was sent. */
  readonly lostAttempts: number;
  readonly retries: number;
  /** Lines that earlier attempts, which were lost, may have sent. */
  readonly sentBefore: readonly string[];
  readonly hasWebhook: boolean;
  /** JSON text; undefined: it was damaged. */
  readonly payload: string | undefined;
}

export interface ClaimRequest {
  /** Lanes of the fifo queue and how many of each. */
  readonly fifo: readonly { readonly lane: string; readonly count: number }[];
  /** Pinned queues, one job each. */
  readonly pinned: readonly string[];
  /** Pinned queues among them whose lease this node does not hold yet. */
  readonly unheld: readonly string[];
  /** Fifo workers of this node: the claimed jobs are spread over their names. */
  readonly fifoWorkers: number;
}

export interface ClaimResult {
  /** In the order of their `seq`. */
  readonly jobs: readonly ClaimedJob[];
  /** Of the unheld queues, those that are this node's now. */
  readonly taken: readonly string[];
}

/** `recorded`: the lines may go out. `cancel`, `worker`: somebody asked to stop the job. `lost`: the claim is gone. */
export type IntentOutcome = "recorded" | "cancel" | "worker" | "lost";

export const stopReasons = ["cancel", "worker"] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Claims {
  /**
   * Takes queued jobs from the heads of lanes, in `claimOrder`, and counts the attempt. A job is claimed by one node at
   * a time, and only while the lease of that node lasts; a pinned queue gives one job at a time, to the one node that
   * holds the queue; an expired job is not taken. Asked again after a lost answer, the same claim takes no more.
   * @throws ServiceError Unavailable
   */
  claim(node: NodeFence, request: ClaimRequest): Promise<ClaimResult>;

  /**
   * Writes down what is about to be sent, before a byte of it leaves: what a worker may have sent is known after its
   * death. Granted only while the claim is held, its node's lease lasts, and nobody asked to stop the job.
   * @param n number of the intent in its attempt, from 0; later ones add to the first.
   * @param note how far the job has come, for its recovery: the last one counts.
   * @throws ServiceError Unavailable: nothing may be sent; the same intent may be recorded again.
   */
  recordIntent(fence: ClaimFence, lines: readonly string[], n: number, note?: string): Promise<IntentOutcome>;

  /** Asks the nodes that run these jobs to stop them; the first reason stays. */
  requestStop(ids: readonly string[], why: StopReason): Promise<void>;

  /** Running jobs of this node that somebody asked to stop. */
  stopRequests(node: NodeFence): Promise<{ id: string; why: StopReason }[]>;
}
