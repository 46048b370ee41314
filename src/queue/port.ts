/** The interface between submission and execution: notifications, events, admission control and login gate. */
import type { Caller } from "../auth/port.ts";
import type { ServiceError } from "../base/errors.ts";
import type { FairSemaphore } from "../base/fair-semaphore.ts";
import type { PushOutcome } from "../model/checks.ts";
import type { DetachedTaskState } from "../model/detached.ts";
import type { QueueStrategy } from "../model/job.ts";
import type { LiveEvent, LiveStatus } from "../model/live-event.ts";
import type { Payload } from "../model/request.ts";
import type { ClaimedJob, JobEnd, StoredDetachedTask, WorkerState } from "../store/port.ts";

export type * from "./backlog-port.ts";
export type * from "./credential-port.ts";
export type { WebhookContent } from "./webhook-content.ts";

/** The part of a queued job that the order of claims needs. */
export interface QueuedJob {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  /** Id of the API key. */
  readonly caller: string;
}

/** Notified about queue changes; implemented by the scheduler of this node. */
export interface QueueListener {
  /** Jobs were queued; they are at the writer, before any later write. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Jobs were held until a time or, if given, for their bulk. */
  onHeld(bulkId: string | null): void;
  /** Stops jobs running on this node. */
  onStop(ids: readonly string[]): void;
  /** A webhook became due. */
  onEnded(): void;
  /** Current workers of this node. */
  ownWorkers(): readonly WorkerState[];
  /** Stops workers of this node; their jobs fail as WorkerLost. */
  onStopWorkers(names: readonly string[]): void;
  /** Reasons to refuse work, one sentence each: draining, lease lost. Empty if work is accepted. */
  notReady(): readonly string[];
}

/** Events of jobs on this node; ends on other nodes are not reported. */
export interface JobEvents {
  /** The end is stored. */
  announceEnd(ending: JobEnding): void;
  /** Another node has taken the job: waiters must read it again. */
  lostSight(id: string): void;
  /** @param listener called at each end of the job or in the bulk, and after `lostSight`. @returns unsubscribes. */
  onEnd(idOrBulk: string, listener: () => void): () => void;
  /** A job is about to be stored. */
  submitted(id: string): void;
  /** Whether it was recently submitted here and has not ended, so that waiters need not read it. */
  isOpen(id: string): boolean;
  /** Subscribes permanently. */
  onEveryEnd(listener: (ending: JobEnding) => void): void;
  /** Live output of running jobs. */
  readonly live: LiveOutput;
}

export interface JobEnding {
  readonly id: string;
  readonly bulkId: string | null;
  readonly status: JobEnd["status"];
  /** Error type if it failed. */
  readonly errorType?: string;
  /** Outcome of a push with checks. */
  readonly pushed?: PushOutcome;
  /** Undefined if it has not run here. */
  readonly ran?: Pick<
    ClaimedJob,
    "hostKey" | "driver" | "deviceType" | "operation" | "strategy" | "waitedMs"
  > & {
    readonly durationMs: number;
  };
}

/** A user on a device, with its canonical host. */
export interface Login {
  readonly host: string;
  readonly user: string;
}

/** Protects device accounts from lock-out: backs off after failed logins, and paces logins. */
export interface LoginGate {
  /**
   * Waits until this login may be tried.
   * @param hostKey the canonical host of the device.
   * @param open whether a session is open, so that a login is unlikely.
   * @param through logins at jump hosts, nearest first.
   * @throws ServiceError AuthBackoff, with `retry_after` in seconds; the reason of the signal.
   */
  enter(
    hostKey: string,
    user: string,
    signal: AbortSignal,
    open?: () => boolean,
    through?: readonly Login[],
  ): Promise<LoginPass>;
}

/** Access to detached tasks: recorded before they start, and queried at their servers. */
export interface DetachedAccess {
  readonly keptMs: number;
  /** Records a task before the job sends anything; no-op for other jobs. @throws ServiceError DriverError: too many */
  begin(job: ClaimedJob, payload: Payload): Promise<void>;
  /** Its job has succeeded. */
  started(id: string): Promise<void>;
  /**
   * Logs in with the sealed connection. @throws ServiceError the failure at the server
   * @param by.key of the caller; undefined: the service, with the key that started it. @returns undefined if removed
   */
  ask(
    task: StoredDetachedTask,
    action: DetachedAction,
    by: { readonly signal: AbortSignal; readonly key?: Pick<Caller, "keyId" | "hosts" | "credentials"> },
  ): Promise<FoundDetachedTask | undefined>;
}

/** `look` reads output from a byte offset; `remove` deletes its files from the server. */
export type DetachedAction =
  | { do: "look"; offset: number; maxBytes: number }
  | { do: "stop" }
  | { do: "remove" };

export interface FoundDetachedTask {
  readonly state: DetachedTaskState;
  readonly exitStatus: number | null;
  /** In ms since 1970, by the clock of the server. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Total output size in bytes. */
  readonly size: number;
  /** With secrets masked. */
  readonly output: string;
  readonly nextOffset: number;
}

/** Permission for one login. */
export interface LoginPass {
  /** The device took the credentials. */
  accepted(): void;
  /** The kind of error tells whether credentials were refused, accepted or never tried. */
  failed(error: ServiceError): void;
  /**
   * Waits until these jump hosts, the nearest first, may be tried, too: the device thread finds some of them in an
   * ssh_config. Those that `enter` was given are skipped. @throws ServiceError as `enter`; the pass holds nothing then.
   */
  enterHops(hops: readonly Login[], signal: AbortSignal): Promise<void>;
  /** Always called last. */
  leave(): void;
}

export interface LoginLimits {
  /** Failed logins per device and user before backing off; 0: never. */
  readonly failures: number;
  readonly backoffMs: number;
  /** Logins per second; 0: unlimited. */
  readonly perSecond: number;
}

/** Admission control per API key, so that no pattern of requests starves others. */
export interface Admission {
  /** Concurrent requests. */
  readonly requests: Quota;
  /** Concurrent lists longer than one piece. */
  readonly lists: Quota;
  /** Concurrent connection tests. */
  readonly connectionTests: Quota;
  /** Concurrent event streams. */
  readonly streams: Quota;
  /** Bytes of request bodies, and of list pieces being sent. */
  readonly bytes: Quota;
  /** Concurrent file transfers. */
  readonly files: Quota;
  /** Request rate; a bulk costs one per device. */
  readonly rateLimiter: RateLimiter;
  /** Heavy work on the main thread: parsing large bodies, bulks. */
  readonly heavyWork: FairSemaphore;
  /** Large bodies, from reading until accepted. */
  readonly largeBodies: FairSemaphore;
  /** List pieces with a single large result. */
  readonly largePieces: FairSemaphore;
  /** Submissions with an Idempotency-Key. */
  readonly inFlight: InFlightSubmissions;
  /** Requests garbage collection after something large was released. */
  collect(): void;
}

export interface AdmissionLimits {
  readonly requests: QuotaLimits;
  readonly lists: QuotaLimits;
  readonly streams: QuotaLimits;
  readonly bytes: QuotaLimits;
  readonly rate: RateLimits;
}

/** A limit in total and per API key, for concurrent requests, lists, or bytes held. */
export interface Quota {
  /** @returns releases it, once. @throws ServiceError TooManyRequests */
  take(key: string, count?: number): () => void;
  /** Counts existing usage even above the limit, so that later requests are refused. @returns releases it. */
  hold(key: string, count: number): () => void;
  /**
   * For usage that can be retried: refused if half of the key's share is used and it does not fit, so that any size
   * passes alone. @returns releases it. @throws ServiceError TooManyRequests
   */
  holdIfRoom(key: string, count: number): () => void;
  held(): number;
}

export interface QuotaLimits {
  readonly inAll: number;
  readonly perKey: number;
}

/** A token bucket per API key. */
export interface RateLimiter {
  /** @throws ServiceError TooManyRequests with `retryAfter` in seconds. */
  spend(key: string, cost: number): void;
  /** Charges usage known only afterwards, which delays later requests. */
  charge(key: string, cost: number): void;
}

export interface RateLimits {
  /** Cost per second; 0: unlimited. */
  readonly perSecond: number;
  /** Burst after a pause. */
  readonly burst: number;
}

/** Deduplicates concurrent submissions with the same Idempotency-Key. */
export interface InFlightSubmissions {
  /**
   * Runs the work, or returns the result or error of the same submission in progress.
   * @throws ServiceError Conflict (different text), InProgress (no answer in time)
   */
  run<T>(submission: Submission, work: () => Promise<T>): Promise<T>;
}

export interface Submission {
  /** Id of the API key. */
  readonly caller: string;
  /** The Idempotency-Key; undefined: not deduplicated. */
  readonly key: string | undefined;
  readonly endpoint: string;
  /** The body. */
  readonly text: string;
}

/** Recent live output of the jobs on this node. */
export interface LiveOutput {
  /** An attempt has begun: drops output of earlier ones. */
  begin(id: string, attempt: number): void;
  /** Ignored if the job does not run here. */
  add(id: string, event: LiveEvent): void;
  /** The attempt has ended. */
  end(id: string): void;
  /** Output from a position on; undefined if the job does not run here. */
  read(id: string, from: LivePosition | undefined): LivePiece | undefined;
  /** The last progress; undefined if there is none, or the job does not run here. */
  progressOf(id: string): Progress | undefined;
  /** Subscribes to starts, output and ends of the job. @returns unsubscribes. */
  listen(id: string, listener: () => void): () => void;
  /** Total characters kept. */
  held(): number;
}

/** Progress of a file transfer in bytes. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A position in characters from the start of an attempt. */
export interface LivePosition {
  readonly attempt: number;
  readonly at: number;
}

export interface LivePiece {
  readonly text: string;
  /** Number of preceding characters that are no longer kept. */
  readonly missed: number;
  /** Position of the next piece. */
  readonly next: LivePosition;
  /** The last event of each kind; the same object until it changes. */
  readonly statuses: readonly LiveStatus[];
}
