/** The interface of the queue: what those who submit tell those who run, and what both count, wait for and hold back. */
import type { Caller } from "../auth/port.ts";
import type { ServiceError } from "../base/errors.ts";
import type { FairSemaphore } from "../base/fair-semaphore.ts";
import type { PushOutcome } from "../model/checks.ts";
import type { DetachedTaskState } from "../model/detached.ts";
import type { QueueStrategy } from "../model/job.ts";
import type { Payload } from "../model/request.ts";
import type { ClaimedJob, JobEnd, StoredDetachedTask, WorkerState } from "../store/port.ts";

export type * from "./backlog-port.ts";
export type * from "./credential-port.ts";
export type { WebhookContent } from "./webhook-content.ts";

/** A queued job as far as the order of claims needs it. */
export interface QueuedJob {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  /** Id of the API key. */
  readonly caller: string;
}

/** Whoever runs what is queued: the scheduler of this node. */
export interface QueueListener {
  /** Jobs wait; they are with the writer, and what is written now comes after them. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Jobs came to be held for a time or, where it is named, for their bulk. */
  onHeld(bulkId: string | null): void;
  /** Stops jobs that run on this node. */
  onStop(ids: readonly string[]): void;
  /** A webhook became due. */
  onEnded(): void;
  /** Workers of this node as they are now. */
  ownWorkers(): readonly WorkerState[];
  /** Stops workers of this node; their jobs fail as WorkerLost. */
  onStopWorkers(names: readonly string[]): void;
  /** Why no work is taken, one sentence each: it drains, its lease is lost. Empty when it is. */
  notReady(): readonly string[];
}

/** Tells those who wait that a job of this node has ended; ends on other nodes are not heard of here. */
export interface JobEvents {
  /** The end is in the store. */
  announceEnd(ending: JobEnding): void;
  /** What this node knew of a job holds no more, others have taken it: whoever waits for it looks again. */
  lostSight(id: string): void;
  /** @param listener is called for each end of this job, or of each job of this bulk, and when sight of it is lost. @returns stops that. */
  onEnd(idOrBulk: string, listener: () => void): () => void;
  /** A job is about to be put into the store. */
  submitted(id: string): void;
  /** It was submitted here lately, and no end of it was announced: whoever waits for it need not look. */
  isOpen(id: string): boolean;
  /** For as long as the service lives. */
  onEveryEnd(listener: (ending: JobEnding) => void): void;
  /** What the devices of running jobs say. */
  readonly live: LiveOutput;
}

export interface JobEnding {
  readonly id: string;
  readonly bulkId: string | null;
  readonly status: JobEnd["status"];
  /** Kind of the error of one that failed. */
  readonly errorType?: string;
  /** Of a push with checks. */
  readonly pushed?: PushOutcome;
  /** Absent: it ended without having run here. */
  readonly ran?: Pick<
    ClaimedJob,
    "hostKey" | "driver" | "deviceType" | "operation" | "strategy" | "waitedMs"
  > & {
    readonly durationMs: number;
  };
}

/** Somebody on a device, in the one spelling of its host. */
export interface Login {
  readonly host: string;
  readonly user: string;
}

/** Guards accounts on devices: after some wrong passwords nobody tries again for a while; logins are spread over time. */
export interface LoginGate {
  /**
   * Waits until this login may be tried.
   * @param hostKey the device, in its one spelling.
   * @param open whether a session with the device is open, so that probably nothing logs in.
   * @param through logins at jump hosts on the way, the nearest first.
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

/** Detached tasks: written down before they are started, and asked for at their servers. */
export interface DetachedAccess {
  readonly keptMs: number;
  /** Before the job sends anything; nothing for other jobs. @throws ServiceError DriverError: there are too many */
  begin(job: ClaimedJob, payload: Payload): Promise<void>;
  /** Its job has ended well. */
  started(id: string): Promise<void>;
  /**
   * Logs in by the connection that is sealed with it. @throws ServiceError what went wrong at the server
   * @param by.key of who asks; absent: the service itself, by the key that started it. @returns undefined: it was removed
   */
  ask(
    task: StoredDetachedTask,
    action: DetachedAction,
    by: { readonly signal: AbortSignal; readonly key?: Pick<Caller, "keyId" | "hosts" | "credentials"> },
  ): Promise<FoundDetachedTask | undefined>;
}

/** `look` reads its output from a byte on; `remove` takes what is kept of it off the server. */
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
  /** Bytes of the whole output. */
  readonly size: number;
  /** Without secrets. */
  readonly output: string;
  readonly nextOffset: number;
}

/** Leave to log in once. */
export interface LoginPass {
  /** The device took the credentials. */
  accepted(): void;
  /** Its kind tells whether the credentials were refused, taken, or never tried. */
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
  /** Failed logins of a device and user after which nobody tries for a while; 0: never. */
  readonly failures: number;
  readonly backoffMs: number;
  /** New logins a second; 0: no limit. */
  readonly perSecond: number;
}

/** What one API key may take of the service at once and over time, so that no pattern of requests starves the others. */
export interface Admission {
  /** Requests under way. */
  readonly requests: Quota;
  /** Lists that are longer than one piece. */
  readonly lists: Quota;
  /** Connection tests under way. */
  readonly connectionTests: Quota;
  /** Streams of events; each is a connection that waits. */
  readonly streams: Quota;
  /** Bodies, and pieces of lists on their way to their readers. */
  readonly bytes: Quota;
  /** Files that are written or read over the API. */
  readonly files: Quota;
  /** Requests over time; a bulk costs one for each device. */
  readonly rateLimiter: RateLimiter;
  /** Heavy work of the main thread: bodies that are read, bulks. */
  readonly heavyWork: FairSemaphore;
  /** Bodies of megabytes, from their reading until their request was taken. */
  readonly largeBodies: FairSemaphore;
  /** Pieces of lists that are one large result. */
  readonly largePieces: FairSemaphore;
  /** Submissions with an Idempotency-Key. */
  readonly inFlight: InFlightSubmissions;
  /** Something of megabytes is done with: its memory is wanted back. */
  collect(): void;
}

export interface AdmissionLimits {
  readonly requests: QuotaLimits;
  readonly lists: QuotaLimits;
  readonly streams: QuotaLimits;
  readonly bytes: QuotaLimits;
  readonly rate: RateLimits;
}

/** A limit in all with a share for each API key: requests under way, running lists, bytes held. */
export interface Quota {
  /** @returns gives it back, once. @throws ServiceError TooManyRequests */
  take(key: string, count?: number): () => void;
  /** Counts what is there already, above the limit if need be: what comes next is refused. @returns gives it back. */
  hold(key: string, count: number): () => void;
  /**
   * Counts what can be made again: refused where half of the key's share is used and it does not fit, so that one of
   * any size always passes alone. @returns gives it back. @throws ServiceError TooManyRequests
   */
  holdIfRoom(key: string, count: number): () => void;
  held(): number;
}

export interface QuotaLimits {
  readonly inAll: number;
  readonly perKey: number;
}

/** A token bucket for each API key. */
export interface RateLimiter {
  /** @throws ServiceError TooManyRequests with `retryAfter`, seconds until it would be taken. */
  spend(key: string, cost: number): void;
  /** What turned out to have been used: it delays what comes next. */
  charge(key: string, cost: number): void;
}

export interface RateLimits {
  /** Cost a second; 0: no limit. */
  readonly perSecond: number;
  /** Cost that may come at once after a rest. */
  readonly burst: number;
}

/** Submissions with an Idempotency-Key that are under way: a repeat waits for the first one's answer and does no work. */
export interface InFlightSubmissions {
  /**
   * Runs the work, or gives what the same submission that is under way gives, its error included.
   * @throws ServiceError Conflict (another text), InProgress (no answer in time)
   */
  run<T>(submission: Submission, work: () => Promise<T>): Promise<T>;
}

export interface Submission {
  /** Id of the API key. */
  readonly caller: string;
  /** The Idempotency-Key; absent: nothing is repeated. */
  readonly key: string | undefined;
  readonly endpoint: string;
  /** Of the body. */
  readonly text: string;
}

/** What devices say while their jobs run: the last of it for each job on this node, for those who watch. */
export interface LiveOutput {
  /** An attempt has begun: what an earlier one said is gone. */
  begin(id: string, attempt: number): void;
  append(id: string, text: string): void;
  /** How far its file transfer is. */
  progress(id: string, progress: Progress): void;
  /** The attempt is over. */
  end(id: string): void;
  /** What was said from a position on; undefined while the job does not run here. */
  read(id: string, from: LivePosition | undefined): LivePiece | undefined;
  /** What was last told of this attempt; undefined where nothing was, or the job does not run here. */
  progressOf(id: string): Progress | undefined;
  /** Called for each beginning, piece and end of this job until that is stopped. */
  listen(id: string, listener: () => void): () => void;
  /** Characters that are kept, in all. */
  held(): number;
}

/** Of a file transfer, in bytes. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Characters from the beginning of an attempt. */
export interface LivePosition {
  readonly attempt: number;
  readonly at: number;
}

export interface LivePiece {
  readonly text: string;
  /** Characters before it that are no longer kept. */
  readonly missed: number;
  /** Where the next one begins. */
  readonly next: LivePosition;
}
