/** Claims: assign queued jobs to a node, and check the claim before anything is sent to a device. */
import type { JobRow } from "../tables/jobs.ts";
import type { stopReasons } from "../tables/words.ts";
import type { NodeFence } from "./nodes.ts";

/** The fencing token of one claim: a worker's writes take effect only while the row still carries it. */
export interface ClaimFence extends NodeFence {
  /** Id of the job. */
  readonly id: string;
  /** Increases by one with each claim. */
  readonly attempt: number;
}

type ClaimedColumns =
  | ("seq" | "bulkId" | "strategy" | "queue" | "lane" | "host" | "hostKey" | "driver" | "deviceType")
  | ("operation" | "caller" | "ttlMs" | "retries" | "hasWebhook");

export interface ClaimedJob extends Pick<JobRow, ClaimedColumns> {
  readonly fence: ClaimFence;
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** From its submission, or from when it was requeued, to the claim. */
  readonly waitedMs: number;
  /** Number of attempts whose worker was lost after the first command was sent. */
  readonly lostAttempts: number;
  /** Lines that earlier, lost attempts may have sent. */
  readonly sentBefore: readonly string[];
  /** JSON text; undefined if it is damaged. */
  readonly payload: string | undefined;
}

export interface ClaimRequest {
  /** Lanes of the fifo queue, and how many jobs to take from each. */
  readonly fifo: readonly { readonly lane: string; readonly count: number }[];
  /** Pinned queues, one job from each. */
  readonly pinned: readonly string[];
  /** Those of `pinned` that this node has not leased yet. */
  readonly unheld: readonly string[];
  /** Number of fifo workers of this node; claimed jobs are distributed over their names. */
  readonly fifoWorkers: number;
}

export interface ClaimResult {
  /** Ordered by `seq`. */
  readonly jobs: readonly ClaimedJob[];
  /** The lane of each claimed job whose row is damaged: it was ended as failed. */
  readonly damaged: readonly string[];
  /** Those of `unheld` that this node has leased now. */
  readonly taken: readonly string[];
}

/** `recorded`: the lines may be sent. `cancel`, `worker`: a stop was requested. `lost`: the claim is no longer held. */
export type IntentOutcome = "recorded" | "cancel" | "worker" | "lost";

export type StopReason = (typeof stopReasons)[number];

export interface Claims {
  /**
   * Takes queued jobs from the heads of lanes, in `claimOrder`, and increments their attempts. A job is claimed by one
   * node at a time, and only while that node's lease is valid. A pinned queue runs one job at a time, on the one node
   * that has leased the queue. Expired jobs are not taken. Idempotent: repeating a claim after a lost response takes no
   * more jobs.
   * @throws ServiceError Unavailable
   */
  claim(node: NodeFence, request: ClaimRequest): Promise<ClaimResult>;

  /**
   * Write-ahead record of the lines about to be sent, so that what a worker may have sent is known if it dies. Granted
   * only while the claim is held, the node's lease is valid and no stop was requested.
   * @param n number of the intent within its attempt, from 0; later ones append to the first
   * @param note progress of the job, for recovery; the last one is kept
   * @throws ServiceError Unavailable: nothing may be sent; the same intent may be recorded again
   */
  recordIntent(fence: ClaimFence, lines: readonly string[], n: number, note?: string): Promise<IntentOutcome>;

  /** Requests that the nodes running these jobs stop them; the first reason is kept. */
  requestStop(ids: readonly string[], why: StopReason): Promise<void>;

  /** Running jobs of this node for which a stop was requested. */
  stopRequests(node: NodeFence): Promise<{ id: string; why: StopReason }[]>;
}
