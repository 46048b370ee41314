/** Jobs: submission, listings and lookups; requests kept for retries, and idempotency keys. */
import type {
  HoldReason,
  JobStatus,
  OperationKind,
  Submitter,
  SubmitterCondition,
} from "../../api/jobs/job.ts";
import type { GivenJob, JobRecordRow } from "../tables/jobs.ts";
import type { NewBulk, StoredPurpose } from "./bulks.ts";
import type { Actor } from "./trail.ts";

/** Unique by its id: an insert with an existing one is ignored. */
export interface NewJob extends GivenJob, StoredPurpose {
  readonly caller: Actor;
  readonly submitter: Submitter;
  readonly warnings: readonly string[];
  /** JSON text; encrypted by the store. */
  readonly payload: string;
  /** The request as shown in short and in full, and its audit summary; encrypted by the store. */
  readonly asked?: { readonly asked: string; readonly request: string | null; readonly audit: string };
  readonly webhook?: NewWebhook | undefined;
  /** JSON text of a result: the job failed before it was queued. */
  readonly failure?: string | undefined;
  /** Error type of that failure. */
  readonly errorType?: string | undefined;
  /** JSON text: the request without secrets; encrypted by the store, kept as long as the job. */
  readonly retryRequest?: string | undefined;
  /** JSON text: the secrets, if kept for retries; encrypted by the store, deleted if the job succeeds. */
  readonly secrets?: string | undefined;
  /** Its bulk limits concurrency: it is held until the bulk has room for it. */
  readonly paced?: boolean | undefined;
}

export interface NewWebhook {
  /** Hash that identifies the receiver. */
  readonly receiver: string;
  /** Subscribed events; absent: all. */
  readonly events?: readonly string[] | undefined;
  /** JSON text, encrypted by the store: options, and the part of the request shown in the message. */
  readonly content: string;
}

/** A job without the fields that only its worker needs. Times ending in `At` are wall clock, in ms since 1970. */
export interface StoredJob extends JobRecordRow {
  readonly submitterKind: Submitter["kind"];
  readonly submitter: string;
  /** JSON texts. A result that can no longer be decrypted is replaced with a failure that says so. */
  readonly result: string | null;
  readonly asked: string | null;
  /** Only read for single jobs. */
  readonly request: string | null;
  /** Whether `request` was read. */
  readonly whole: boolean;
}

/** Filter of a listing; all conditions must match. */
export interface JobConditions {
  readonly ids?: readonly string[] | undefined;
  readonly status?: JobStatus | readonly JobStatus[] | undefined;
  /** Only jobs held for this reason. */
  readonly heldFor?: HoldReason | undefined;
  readonly queue?: string | undefined;
  readonly hostKey?: string | undefined;
  /** Any of these. */
  readonly hostKeys?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly driver?: string | undefined;
  readonly bulkId?: string | undefined;
  readonly operation?: OperationKind | undefined;
  readonly dryRun?: boolean | undefined;
  readonly submitter?: SubmitterCondition | undefined;
  readonly errorType?: string | undefined;
  readonly label?: string | undefined;
  readonly ticket?: string | undefined;
  /** One of its tags. */
  readonly tag?: string | undefined;
  /** Milliseconds since 1970; `createdSince` is inclusive, `createdUntil` exclusive. */
  readonly createdSince?: number | undefined;
  readonly createdUntil?: number | undefined;
  /** Only jobs submitted before this one (exclusive cursor). */
  readonly beforeSeq?: number | undefined;
}

/** The fields of a job needed before, or without, reading its result. */
export interface JobHead extends Pick<StoredJob, "seq" | "id" | "host" | "caller" | "bulkId" | "hasWebhook"> {
  /** Stored (compressed) size of the result and of the short request. */
  readonly bytes: number;
}

/** A job whose result is not decrypted yet: results are compressed, so the size is known only afterwards. */
export interface UnopenedJob {
  readonly status: JobStatus;
  open(): StoredJob;
  /** Without its result. */
  bare(): StoredJob;
  /** Undefined if the result is larger. */
  openUpTo(bytes: number): StoredJob | undefined;
}

/** A job of a listing, with as much of it as was read. */
export interface ListedHead {
  readonly head: JobHead;
  readonly job: UnopenedJob | undefined;
}

/** Which optional parts of jobs to read. */
export interface JobParts {
  /** Default true; null in the job if not read. */
  readonly result?: boolean | undefined;
  /** The short request; default true. */
  readonly asked?: boolean | undefined;
  /** The full request; default false. */
  readonly request?: boolean | undefined;
}

/** Position of a waiting job. */
export interface WaitingPlace {
  /** Number of jobs of the same status before it in its lane; for a job held by its bulk, in its bulk. */
  readonly before: number;
  /** Whether another job runs in its queue. */
  readonly queueRuns: boolean;
}

export interface WaitingLane extends Pick<StoredJob, "lane" | "strategy" | "bulkId"> {
  /** Of its last job. */
  readonly share: string;
  readonly count: number;
  readonly lastSeq: number;
}

/** Options of an insert. */
export interface Insertion {
  /** Inserts nothing if its key was used before. */
  readonly once?: IdempotentSubmission | undefined;
  /** Inserts nothing if the inventory has another revision by now. */
  readonly revision?: number | undefined;
  /** The bulk of all the jobs; with a change, only if that is still at this step and has no bulk for the same part. */
  readonly bulk?: NewBulk | undefined;
  readonly changeStep?: number | undefined;
  /** Called when the writer has queued the jobs: later writes come after them, in the same transaction if possible. */
  readonly onHandedOver?: (() => void) | undefined;
}

/** Jobs: submission, listings and lookups. */
export interface Jobs {
  /**
   * Stores jobs with their audit entries and webhooks in one transaction: all or none, and each once, however often the
   * call is repeated. `seq` is assigned in the given order.
   * @returns the response to an earlier submission with the same idempotency key; undefined if this is the first;
   * `stale` if nothing was inserted because the inventory has changed
   * @throws ServiceError Unavailable after 2.5 seconds plus a millisecond per job; `detail.ambiguous` if they may have
   * been stored
   */
  insert(jobs: readonly NewJob[], insertion?: Insertion): Promise<IdempotentAnswer | "stale" | undefined>;

  /** Newest first, results decrypted. */
  page(conditions: JobConditions, limit: number): Promise<StoredJob[]>;

  /** The jobs of a page without their results, newest first. */
  heads(conditions: JobConditions, limit: number): Promise<JobHead[]>;

  /** `heads` in one step with the jobs, if their encrypted parts are small; the others must be loaded. */
  listed(conditions: JobConditions, limit: number, parts?: JobParts): Promise<ListedHead[]>;

  /** Newest first, results not decrypted; jobs deleted since are omitted. */
  load(seqs: readonly number[], parts?: JobParts): Promise<UnopenedJob[]>;

  /** One job with its full request. */
  find(id: string): Promise<StoredJob | undefined>;

  /** For queued and held jobs; undefined for others. */
  placeOf(id: string): Promise<WaitingPlace | undefined>;

  /** Ids that begin with this prefix of lower-case hexadecimal digits and dashes, the newest first. */
  idsFrom(prefix: string, limit: number): Promise<string[]>;

  /** Unknown ids are omitted. */
  statusesOf(ids: readonly string[]): Promise<Map<string, JobStatus>>;

  /** Number of jobs of the bulk that have not ended. */
  unfinishedOf(bulkId: string): Promise<number>;
  /** The same, and how many have failed, in one step. */
  progressOf(bulkId: string): Promise<{ readonly unfinished: number; readonly failed: number }>;

  /** Number of waiting (queued or held) jobs by person, or key of a machine. */
  queuedByShare(): Promise<Map<string, number>>;

  /** Lanes with a queued job submitted after `seq`, with their numbers of queued jobs. */
  lanesAfter(seq: number): Promise<WaitingLane[]>;

  /** Submission time of the oldest queued job, in ms since 1970; held jobs are not counted. */
  oldestQueuedAt(): Promise<number | undefined>;

  /** `seq` of the newest job; 0 if there is none. */
  lastSeq(): Promise<number>;
}

type KeptColumns =
  | ("seq" | "id" | "bulkId" | "status" | "host" | "caller" | "driver" | "device" | "operation")
  | ("errorType" | "endedAt" | "label" | "ticket" | "tags");

export interface KeptJob extends Pick<StoredJob, KeptColumns> {
  /** JSON texts; null if nothing is kept. */
  readonly retryRequest: string | null;
  readonly secrets: string | null;
  readonly asked: string | null;
  /** JSON text: the error of a failed configuration push. */
  readonly error: string | null;
}

/** Requests kept for retries: without secrets as long as the job; the secrets only if the caller asked for it. */
export interface KeptRequests {
  /** Newest first. */
  jobs(conditions: JobConditions, limit: number): Promise<KeptJob[]>;

  /** JSON text of the part that the jobs of a bulk share. */
  ofBulk(bulkId: string): Promise<string | undefined>;

  /** From now on, deleted data is overwritten in the file (`secure_delete`). A libSQL server decides for itself. */
  overwriteErased(): Promise<void>;

  /**
   * Deletes the secrets of jobs that ended more than `keptMs` ago.
   * @returns how many; fewer than `retention.batch` means that none are left
   */
  eraseSecrets(keptMs: number): Promise<number>;
}

export interface IdempotentSubmission {
  /** Id of the API key; each API key has its own namespace. */
  readonly caller: string;
  readonly key: string;
  /** Keyed hash of endpoint and body. */
  readonly body: string;
  /** Unique to this submission. */
  readonly token: string;
  /** JSON text returned to repeated submissions. */
  readonly answer: string;
}

export interface IdempotentAnswer {
  /** Hash of the original submission; reusing the key with another body is an error of the caller. */
  readonly body: string;
  readonly answer: string;
}

/** Idempotency keys: a repeated submission gets the stored response for 24 hours and creates no second set of jobs. */
export interface Idempotency {
  /**
   * The response to an earlier submission with this key; undefined if there was none.
   * @throws ServiceError Internal if the stored response is damaged
   */
  findAnswer(caller: string, key: string): Promise<IdempotentAnswer | undefined>;
}
