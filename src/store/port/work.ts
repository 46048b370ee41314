/** The work on jobs: nodes with their workers, claims, ends, recovery, held jobs. Locks are leases and fences. */

import type { JobStatus } from "../../api/jobs/job.ts";
import type { JobRow } from "../tables/jobs.ts";
import type { WorkerRow } from "../tables/nodes.ts";
import type { stopReasons } from "../tables/words.ts";
import type { TakenConfigurations } from "./history.ts";
import type { StoredJob } from "./jobs.ts";
import type { SentWork } from "./ledger.ts";
import type { Actor, NewTranscript } from "./trail.ts";

/** The fencing token of a node: each acquisition of its lease increments the generation, and every write carries it. */
export interface NodeFence {
  readonly name: string;
  readonly generation: number;
}

export interface NodeFacts {
  readonly name: string;
  /** Id of the data directory: the process that owns it knows that the previous one has ended. */
  readonly home: string;
  readonly hostname: string;
  readonly pid: number;
  readonly leaseMs: number;
}

export interface LiveNode extends NodeFence {
  readonly hostname: string;
  readonly pid: number;
}

/** Nodes and their leases, which permit claiming jobs. Leases run by the clock of the store, which all nodes share. */
export interface Nodes {
  /**
   * Acquires the lease of a name with a new generation; writes of older generations are rejected from then on. On a
   * shared store the name must be unused, expired or of this data directory.
   * @returns undefined if a process with another data directory holds it
   */
  acquire(facts: NodeFacts): Promise<NodeFence | undefined>;

  /**
   * Extends the lease to `leaseMs` from now.
   * @returns false if it is lost: a newer generation exists, or the node was declared dead
   * @throws ServiceError Unavailable after `patienceMs`
   */
  renew(node: NodeFence, leaseMs: number, patienceMs: number): Promise<boolean>;

  /** Does nothing if the lease is lost. `draining`: claims no more jobs and keeps its lease until it is done. */
  setState(node: NodeFence, state: "up" | "draining" | "dead"): Promise<void>;

  /**
   * Declares nodes dead whose lease expired more than `graceMs` ago; a dead node stays dead until it acquires a new
   * lease.
   * @param but the node that asks: it lives
   */
  retireExpired(graceMs: number, but?: NodeFence): Promise<void>;

  /** Declares all other nodes dead: for a store with a single owner, where any other node is left over. */
  retireOthers(node: NodeFence): Promise<void>;

  /** Nodes with a valid lease. */
  live(): Promise<LiveNode[]>;

  /** Releases pinned queues (all, or those given) without a running job, so that other nodes can lease them. */
  releaseQueues(node: NodeFence, queues?: readonly string[]): Promise<void>;
}

export interface WorkerState
  extends Pick<WorkerRow, "name" | "queue" | "currentJob" | "birthAt" | "succeeded" | "failed"> {
  readonly status: "idle" | "busy" | "suspended";
}

/** `heartbeatAt`: when its node last reported it. Times are in ms since 1970. */
export interface StoredWorker
  extends Omit<WorkerState, "status">,
    Pick<WorkerRow, "status" | "node" | "hostname" | "pid"> {
  readonly heartbeatAt: number;
  /** Whether the lease of its node is valid. */
  readonly alive: boolean;
}

/** Workers of all nodes as last reported, and requests to stop them. */
export interface Workers {
  /** Replaces the previous report of this node. */
  report(
    node: NodeFence,
    process: { readonly hostname: string; readonly pid: number },
    states: readonly WorkerState[],
  ): Promise<void>;

  /** Workers of all other nodes, by name. */
  ofOtherNodes(node: string): Promise<StoredWorker[]>;

  /** Requests that the nodes of these workers stop them; unknown names are ignored. */
  requestStop(names: readonly string[]): Promise<void>;

  /** Workers of this node with a stop request; each request is returned once. */
  takeStopRequests(node: string): Promise<string[]>;
}

/** The fencing token of one claim: a worker's writes take effect only while the row still carries it. */
export interface ClaimFence extends NodeFence {
  /** Id of the job. */
  readonly id: string;
  /** Increases by one with each claim. */
  readonly attempt: number;
}

type ClaimedColumns =
  | ("seq" | "bulkId" | "strategy" | "queue" | "lane" | "host" | "hostKey" | "device" | "driver")
  | ("deviceType" | "operation" | "caller" | "ttlMs" | "retries" | "hasWebhook");

export interface ClaimedJob extends Pick<JobRow, ClaimedColumns> {
  /** Id of the person whose key submitted it, or of the key. */
  readonly share: string;
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

/** Claims: assign queued jobs to a node, and check the claim before anything is sent to a device. */
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

export interface JobEnd {
  readonly id: string;
  readonly status: Extract<JobStatus, "finished" | "failed" | "cancelled">;
  /** JSON text of the result; encrypted by the store. */
  readonly result: string;
  readonly durationMs: number;
  /** Error type of a failed job. */
  readonly errorType?: string | undefined;
  /** Warnings of the run, appended to those of the submission. */
  readonly warnings?: readonly string[];
  readonly hasWebhook: boolean;
  /** Of what sent lines, or may have. */
  readonly transcript?: NewTranscript | undefined;
  /** What may have changed the device: its entry in the ledger. */
  readonly work?: SentWork | undefined;
  /** Of a take. */
  readonly taken?: TakenConfigurations | undefined;
  /** Of a push that sent lines: the configuration of its device is read this much later, in ms. */
  readonly takeInMs?: number | undefined;
  /** Whether more than the first intent may have been recorded. */
  readonly hasIntents: boolean;
}

/** The state that the row must be in: held by this claim, or still queued. */
export type Holder = { readonly fence: ClaimFence } | { readonly queued: true };

export interface Requeue {
  readonly fence: ClaimFence;
  /** Number of attempts lost while sending, including this one. */
  readonly lostAttempts: number;
}

export interface QueuedJobRef {
  readonly id: string;
  readonly hasWebhook: boolean;
}

/** All methods work when the storage is full: they free space. */
export interface Settlements {
  /**
   * Ends a job, writes its audit entry and makes its webhook due, in one transaction. Final states never change, and
   * only the holder may write. The payload and the recorded lines are deleted.
   * @returns whether this call ended it
   * @throws ServiceError Unavailable after 10 seconds; it may be sent again
   */
  end(end: JobEnd, holder: Holder): Promise<boolean>;

  /**
   * Requeues a claimed job at its old position, unless a stop was requested. The lines that a lost attempt may have
   * sent are kept.
   * @returns whether this call requeued it
   */
  requeue(requeue: Requeue): Promise<boolean>;

  /**
   * Cancels jobs that are not claimed, in one transaction with their audit entries and webhooks.
   * @param result JSON text of the result of each job
   * @returns those that were still queued or held
   */
  cancelQueued(jobs: readonly QueuedJobRef[], result: string, by: Actor): Promise<CancelledJob[]>;
}

export interface CancelledJob {
  readonly id: string;
  readonly share: string;
}

/** A running job whose worker was lost. */
export interface Orphan {
  readonly fence: ClaimFence;
  readonly bulkId: string | null;
  readonly caller: string;
  readonly hasWebhook: boolean;
  readonly operation: JobRow["operation"];
  readonly lostAttempts: number;
  readonly retries: number;
  /** Whether this attempt has recorded an intent. */
  readonly sending: boolean;
  /** Lines that this or earlier lost attempts may have sent. */
  readonly sent: readonly string[];
  /** Its progress, if noted with an intent. */
  readonly note?: string | undefined;
  /** JSON text of the payload; undefined if it is damaged. */
  readonly payload: string | undefined;
  readonly runMs: number;
  readonly stop: StopReason | null;
}

/** A job that exceeded its ttl in the queue. */
export interface ExpiredJob {
  readonly id: string;
  readonly lane: string;
  readonly bulkId: string | null;
  readonly share: string;
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

  /** Those of these jobs that run on no live node. Of jobs that are not in the store nothing is said. */
  ended(ids: readonly string[]): Promise<string[]>;

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

/** A status of `held`: it now waits for its bulk. */
export interface ReleasedJob extends Pick<StoredJob, "id" | "lane" | "strategy" | "bulkId" | "status"> {
  readonly share: string;
}

/** Released jobs keep their order and get their full ttl, as if submitted now; those of a paced bulk wait for it. */
export interface HeldJobs {
  /**
   * Also releases jobs that wait for a time, but not those that wait for their bulk. A job of a copied directory still
   * waits for its time. Each gets an audit entry in the same transaction.
   * @returns the jobs that were released
   */
  release(ids: readonly string[], by: Actor): Promise<ReleasedJob[]>;

  /**
   * Releases all jobs of a copied directory; those with a start time wait for it again. Takes up to a minute.
   * @returns how many there were
   */
  releaseAll(): Promise<number>;
}

/** A stopped bulk with waiting jobs. */
export interface StoppedBulk {
  readonly id: string;
  readonly because: string;
}

/**
 * Paced jobs have the status `held` and cannot be claimed. Which of them may proceed is computed from the stored rows
 * alone, so nothing is lost with a node, and several nodes let no more through than one.
 */
export interface Pacing {
  /**
   * Queues a batch of jobs whose start time has come, in the order of these times; their ttl starts then.
   * @returns the queued jobs, and the paced bulks among them
   */
  due(): Promise<{ queued: ReleasedJob[]; bulks: string[] }>;

  /**
   * Queues as many jobs of these bulks as their `concurrency` permits, with their full ttl. A bulk with `max_failures`
   * failed jobs is stopped instead.
   */
  fill(bulkIds: readonly string[]): Promise<{ queued: ReleasedJob[]; stopped: StoppedBulk[] }>;

  /** Bulks with held jobs that have room for more or are stopped. */
  waiting(): Promise<string[]>;

  /** Milliseconds until the next job is due; undefined if none waits for a time. */
  nextInMs(): Promise<number | undefined>;

  /** Whether the bulk limits concurrency. */
  isPaced(bulkId: string): Promise<boolean>;
}

/** Changes by others that concern this node. */
export interface News {
  /** Jobs submitted after `seq` have been queued for as long as the node that has them would need to start them. */
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
  /** Other nodes whose lease expired more than `graceMs` ago. */
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

/** Periodic polls of a node, combined: one cheap query answers many questions that are mostly answered with no. */
export interface Polls {
  /** One statement. @throws ServiceError Unavailable */
  news(node: NodeFence, seq: number, waitedMs: number): Promise<News>;

  /** One statement. @throws ServiceError Unavailable */
  upkeep(node: NodeFence, graceMs: number): Promise<Upkeep>;
}
