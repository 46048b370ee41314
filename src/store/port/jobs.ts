/** Jobs: how they get in, and how callers see them. */
import type { HoldReason, JobStatus, OperationKind, QueueStrategy } from "../../model/job.ts";
import type { Actor } from "./audit.ts";
import type { NewBulk, StoredPurpose } from "./bulks.ts";
import type { IdempotentAnswer, IdempotentSubmission } from "./idempotency.ts";

export interface NewJob extends StoredPurpose {
  /** Unique; a job whose id is there already is not inserted again. */
  readonly id: string;
  readonly bulkId: string | null;
  readonly strategy: QueueStrategy;
  readonly queue: string;
  /** As `claimOrder.laneOf` gives it. */
  readonly lane: string;
  readonly host: string;
  /** The host's canonical name. */
  readonly hostKey: string;
  readonly driver: string;
  readonly deviceType: string | null;
  /** Name of the device in the inventory that it was asked for by. */
  readonly device?: string | undefined;
  readonly operation: OperationKind;
  readonly caller: Actor;
  /** How long it may wait, and then how long it may run. */
  readonly ttlMs: number;
  /** How long it stays after its end. */
  readonly resultTtlMs: number;
  /** How often it may be started again after a worker was lost while it was sending. */
  readonly retries: number;
  readonly warnings: readonly string[];
  /** JSON text; sealed by the store. */
  readonly payload: string;
  /** What of it is shown, in short and whole, and what the audit trail keeps; sealed by the store. Absent where nothing was. */
  readonly asked?: { readonly asked: string; readonly request: string | null; readonly audit: string };
  readonly webhook?: NewWebhook | undefined;
  /** JSON text of a result: the job has failed before it was queued. */
  readonly failure?: string | undefined;
  /** Type of that failure. */
  readonly errorType?: string | undefined;
  /** Id of the job that this one does again. */
  readonly retryOf?: string | null | undefined;
  /** To come, in ms since 1970: until then it is held, and its ttl begins then. */
  readonly notBefore?: number | undefined;
  /** In ms since 1970: what has not begun then does not begin. */
  readonly windowEnd?: number | undefined;
  /** JSON text: the request without its secrets; sealed by the store, kept as long as the job. */
  readonly kept?: string | undefined;
  /** JSON text: the secrets, where they are kept for a while; sealed by the store, gone when the job ends well. */
  readonly secrets?: string | undefined;
  /** Its bulk holds its jobs back: it is held until that has room for it. */
  readonly paced?: boolean | undefined;
}

export interface NewWebhook {
  /** Hash that tells receivers apart. */
  readonly receiver: string;
  /** Events it wants; absent: all. */
  readonly events?: readonly string[] | undefined;
  /** JSON text, sealed by the store: options and what the message tells of the request. */
  readonly content: string;
}

/** A job without what only its worker needs. Times ending in `At` are the wall clock's, in ms since 1970. */
export interface StoredJob {
  /** Order of submission, given by the database: no clock can turn it round. */
  readonly seq: number;
  readonly id: string;
  readonly bulkId: string | null;
  readonly status: JobStatus;
  readonly strategy: QueueStrategy;
  readonly queue: string;
  readonly lane: string;
  readonly host: string;
  readonly hostKey: string;
  readonly driver: string;
  readonly deviceType: string | null;
  /** Name of the device in the inventory that it was asked for by. */
  readonly device: string | null;
  readonly operation: OperationKind;
  /** Id of the API key. */
  readonly caller: string;
  readonly createdAt: number;
  readonly enqueuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly queueMs: number | null;
  readonly durationMs: number | null;
  readonly worker: string | null;
  readonly attempt: number;
  /** JSON list of texts. */
  readonly warnings: string | null;
  readonly label: string | null;
  readonly ticket: string | null;
  /** JSON list of texts. */
  readonly tags: string | null;
  /** Of a job that failed; null also for those that an older version ended. */
  readonly errorType: string | null;
  /** It begins no sooner. */
  readonly notBefore: number | null;
  /** Then the window that it may begin in closes; null: none holds it. */
  readonly windowEnd: number | null;
  /** Of a held job: 0 while it waits for its bulk, null while it waits for a word, else the steady time it waits for. */
  readonly dueT: number | null;
  /** Id of the job that this one does again. */
  readonly retryOf: string | null;
  readonly hasWebhook: boolean;
  /** JSON texts. A result that can not be opened any more is a failure that says so. */
  readonly result: string | null;
  readonly asked: string | null;
  /** Read only where one job is asked for. */
  readonly request: string | null;
  /** Whether `request` was read. */
  readonly whole: boolean;
}

/** What a listing goes by; all of it must hold. */
export interface JobConditions {
  readonly ids?: readonly string[] | undefined;
  readonly status?: JobStatus | readonly JobStatus[] | undefined;
  /** Only jobs that are held, and for that. */
  readonly heldFor?: HoldReason | undefined;
  readonly queue?: string | undefined;
  readonly hostKey?: string | undefined;
  /** One of these. */
  readonly hostKeys?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly driver?: string | undefined;
  readonly bulkId?: string | undefined;
  readonly operation?: OperationKind | undefined;
  readonly errorType?: string | undefined;
  readonly label?: string | undefined;
  readonly ticket?: string | undefined;
  /** One of its tags. */
  readonly tag?: string | undefined;
  /** Milliseconds since 1970: at or after, and before. */
  readonly createdSince?: number | undefined;
  readonly createdUntil?: number | undefined;
  /** Only jobs submitted before this one. */
  readonly beforeSeq?: number | undefined;
}

/** What needs to be known of a job before its result is read, or when it never is. */
export interface JobHead {
  readonly seq: number;
  readonly id: string;
  readonly host: string;
  readonly caller: string;
  readonly bulkId: string | null;
  readonly hasWebhook: boolean;
  /** Of the result as it is stored, packed, and of what was asked in short. */
  readonly bytes: number;
}

/** Stored results are packed: how large one is shows when it is opened. */
export interface UnopenedJob {
  readonly status: JobStatus;
  open(): StoredJob;
  /** Without its result. */
  bare(): StoredJob;
  /** Undefined when the result is larger. */
  openUpTo(bytes: number): StoredJob | undefined;
}

/** A job of a list, and what was read of it. */
export interface ListedHead {
  readonly head: JobHead;
  readonly job: UnopenedJob | undefined;
}

/** What is read of jobs besides their states. */
export interface JobParts {
  /** Default yes; one that is not read is null. */
  readonly result?: boolean | undefined;
  /** What was asked in short; default yes. */
  readonly asked?: boolean | undefined;
  /** The whole of it; default no. */
  readonly request?: boolean | undefined;
}

/** How a waiting job stands. */
export interface WaitingPlace {
  /** How many of the same status stand before it in its lane; of what its bulk holds back, in its bulk. */
  readonly before: number;
  /** Another job runs in its queue. */
  readonly queueRuns: boolean;
}

export interface WaitingLane {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly caller: string;
  readonly bulkId: string | null;
  readonly count: number;
  readonly lastSeq: number;
}

/** What comes with jobs that are inserted. */
export interface Insertion {
  /** Inserts nothing when its key was used before. */
  readonly once?: IdempotentSubmission | undefined;
  /** Inserts nothing when the inventory is at another revision by now. */
  readonly revision?: number | undefined;
  /** The bulk that all of them are of. */
  readonly bulk?: NewBulk | undefined;
  /** Called when the writer has them: what is written now comes after them, in the same transaction if it can. */
  readonly onHandedOver?: (() => void) | undefined;
}

export interface Jobs {
  /**
   * Stores jobs, each with its audit entry and its webhook, in one transaction: all of them or none, and each of them
   * once however often it is sent. They get their `seq` in the order given.
   * @returns what an earlier submission with the same idempotency key was answered; undefined when this one is the first;
   * `stale` when nothing was inserted because the inventory has changed.
   * @throws ServiceError Unavailable after 2.5 seconds and a millisecond for each job; `detail.ambiguous` when they may
   * have been stored.
   */
  insert(jobs: readonly NewJob[], insertion?: Insertion): Promise<IdempotentAnswer | "stale" | undefined>;

  /** Newest first, results opened. */
  page(conditions: JobConditions, limit: number): Promise<StoredJob[]>;

  /** Which jobs a page is of, newest first, without their results. */
  heads(conditions: JobConditions, limit: number): Promise<JobHead[]>;

  /** The same in one step with the jobs themselves, where what is sealed of them is small: the others are to be loaded. */
  listed(conditions: JobConditions, limit: number, parts?: JobParts): Promise<ListedHead[]>;

  /** Newest first, results unopened; those that were deleted since are left out. */
  load(seqs: readonly number[], parts?: JobParts): Promise<UnopenedJob[]>;

  /** One job with its whole request. */
  find(id: string): Promise<StoredJob | undefined>;

  /** Of a job that is queued or held; undefined for any other. */
  placeOf(id: string): Promise<WaitingPlace | undefined>;

  /** Unknown ids are left out. */
  statusesOf(ids: readonly string[]): Promise<Map<string, JobStatus>>;

  /** How many jobs of a bulk have not ended. */
  unfinishedOf(bulkId: string): Promise<number>;

  /** How many jobs wait, queued or held, by caller. */
  queuedByCaller(): Promise<Map<string, number>>;

  /** Lanes with queued jobs of which one was submitted after `seq`, and how many queued jobs they hold. */
  lanesAfter(seq: number): Promise<WaitingLane[]>;

  /** When the job that waits longest was submitted, in milliseconds since 1970; held ones do not count. */
  oldestQueuedAt(): Promise<number | undefined>;

  /** The newest job; 0 when there is none. */
  lastSeq(): Promise<number>;
}
