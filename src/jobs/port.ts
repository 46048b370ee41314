/** The interface of jobs: all that a caller can ask of the service. */
import type { Caller } from "../auth/port.ts";
import type { Patience } from "../base/patience.ts";
import type { CredentialRecord } from "../model/credential.ts";
import type { DetachedTaskPiece, DetachedTaskRecord, DetachedTaskState } from "../model/detached.ts";
import type { JobStatus, JobTicket, ListedJob } from "../model/job.ts";
import type { KeyRecord, MadeKey } from "../model/key.ts";
import type { LoginSessionRecord } from "../model/login-session.ts";
import type { PluginRecord } from "../model/plugin.ts";
import type { StatisticsRecord } from "../model/statistics.ts";
import type { JobFilter, WorkerFilter, WorkerRecord } from "../model/worker.ts";
import type { BulkReading } from "./bulk-port.ts";

export type * from "./bulk-port.ts";

/** A request body as text and as checked JSON: raw slices are needed for template contexts. */
export interface Body {
  readonly text: string;
  /** May be read from the text when it is first asked for. @throws ServiceError BadRequest, Validation */
  readonly value: unknown;
}

/** What a bulk is answered with: every device is named once. */
export interface BulkAnswer {
  succeeded: JobTicket[];
  /** Hosts whose job could not be submitted. */
  failed: string[];
  /** The same, with the failed job that was stored for each and why. */
  failed_jobs: { host: string; id: string; reason: string }[];
  bulk_id: string;
  /** The bulk whose jobs these do again. */
  retry_of?: string;
  warnings?: string[];
}

export interface TestAnswer {
  success: boolean;
  /** Seconds; null when it failed. */
  connection_time: number | null;
  /** A sentence; null when it succeeded. */
  error_message: string | null;
  /** What the driver told of the device; null when it failed. */
  device_info: Record<string, string> | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface Rendered {
  text: string;
  /** What looks like a mistake in the template; absent when nothing does. */
  warnings?: string[];
}

export interface Parsed {
  /** JSON text of the array of records, in the parser's own key order. */
  json: string;
  warnings?: string[];
}

/**
 * Methods that get a caller show and change only what its key may reach, and those that name a scope check it. All throw
 * ServiceError: Forbidden for a scope or host that the key has not, Unavailable when the store does not answer, and what
 * each names itself. Kinds become statuses in http/respond.
 */
export interface Jobs extends BulkReading {
  /**
   * Takes one operation. Scope `operate`.
   * @param idempotencyKey a repeat within 24 hours gets the first answer.
   * @throws ServiceError Validation, TooManyRequests, Conflict (the key was used with another body), InProgress (the
   * first submission with the key is still under way), BadRequest (a key that is too long)
   */
  submit(body: Body, caller: Caller, idempotencyKey?: string, patience?: Patience): Promise<JobTicket>;
  /**
   * Takes one operation for many devices: those that are wrong are stored as failed, the others are queued. Scope `operate`.
   * @param signal the caller is gone: a bulk that still waits for its turn is not begun.
   * @throws ServiceError as `submit`; PayloadTooLarge
   */
  bulk(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    patience?: Patience,
  ): Promise<BulkAnswer>;
  /**
   * Whether the body of a bulk, or of a discovery, may be kept and submitted later. Scope `operate`.
   * @throws ServiceError Validation (a secret stands in it, or it is none), PayloadTooLarge
   */
  checkKept(value: unknown, caller: Caller, of?: "bulk" | "discovery"): void;
  /**
   * Asks devices of the inventory what they are, each as a job whose answer is noted there. Scope `operate`; to have
   * platforms written that are found, `admin` of a key that may reach all hosts.
   * @throws ServiceError as `bulk`
   */
  discover(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    patience?: Patience,
  ): Promise<BulkAnswer>;
  /**
   * Does a job again that failed or was cancelled, as it was asked; its secrets come with the body. Scope `operate`.
   * @throws ServiceError as `submit`; NotFound, BusinessFailure (it has not ended, or ended well), Validation (a secret
   * is missing, nothing was kept, or nobody knows what became of its configuration)
   */
  retryJob(
    id: string,
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    patience?: Patience,
  ): Promise<JobTicket>;
  /** The same for the jobs of a bulk, as a new bulk. @throws ServiceError as `retryJob` and `bulk` */
  retryBulk(
    id: string,
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    patience?: Patience,
  ): Promise<BulkAnswer>;
  /** Resolves when the job has ended or the signal or the time is over, with the job as it is then; undefined: there is none. */
  waitFor(id: string, forMs: number, signal: AbortSignal): Promise<ListedJob | undefined>;
  /** Resolves when all jobs of the bulk have ended or the signal or the time is over. */
  waitForBulk(bulkId: string, forMs: number, signal: AbortSignal): Promise<void>;
  /** Ids that are not known are left out. */
  statusesOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobStatus>>;
  /** The hosts of the devices that a selector chooses, in canonical form. @throws ServiceError Validation */
  hostsOf(select: string, caller: Caller): Promise<ReadonlySet<string>>;
  /**
   * Newest first, in pieces of bounded size: the next one is read when it is asked for. `signal`: the caller is gone.
   * @throws ServiceError BadRequest (a cursor whose job is gone), Validation (`since` or `until` is no time)
   */
  list(
    filter: JobFilter,
    caller: Caller,
    page: { cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): AsyncIterable<ListedJob[]>;
  /** At most `limit` of them. @throws ServiceError as `list` */
  page(
    filter: JobFilter,
    caller: Caller,
    page: { limit: number; cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): Promise<JobPage>;
  /**
   * Cancels what is queued or held and, by `force`, stops what runs. Scope `operate`.
   * @param signal the caller is gone: what is cancelled by then stays cancelled, the rest stays queued.
   * @returns ids.
   * @throws ServiceError Validation (no filter), NotFound (no job with that id), BusinessFailure (it has ended, or runs)
   */
  cancel(filter: JobFilter, force: boolean, caller: Caller, signal?: AbortSignal): Promise<string[]>;
  /**
   * Puts held jobs back into the queue. Scope `operate`.
   * @returns ids.
   * @throws ServiceError Validation (no filter), NotFound (no job with that id), BusinessFailure (it is not held)
   */
  release(filter: JobFilter, caller: Caller): Promise<string[]>;
  /**
   * Logs in at once, beside the queue. What goes wrong at the device is an answer, not an error. Scope `operate`.
   * @throws ServiceError Validation, TooManyRequests
   */
  testConnection(body: Body, caller: Caller, signal: AbortSignal): Promise<TestAnswer>;
  /**
   * Renders a template at once. Scope `operate`.
   * @param engine its name in the path; absent: `name` of the body, else the default.
   * @throws ServiceError Validation, BadRequest, NotFound, TooManyRequests, TemplateError, TemplateTimeout, TemplateLimit
   */
  render(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Rendered>;
  /** The same for a parser; absent: `name` of the body, else what the template looks like. @throws ServiceError as `render`; ParseError */
  parse(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Parsed>;
  /** Work that outlives its jobs, newest first, as it was when its servers were last asked. Scope `read`. */
  detachedTasks(
    filter: { host?: string; state?: DetachedTaskState },
    caller: Caller,
    page: { limit?: number; cursor?: string },
  ): Promise<{ tasks: DetachedTaskRecord[]; next: string | undefined }>;
  /**
   * Asks the server how it stands, and for a piece of its output from a byte on. Scope `read`.
   * @throws ServiceError NotFound, TooManyRequests, BusinessFailure (the server gave no answer)
   */
  readDetachedTask(
    id: string,
    offset: number,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DetachedTaskPiece>;
  /**
   * Stops one that runs; removes one that is over, from its server, too. Scope `operate`.
   * @param force forgets it, whatever becomes of it at the server.
   * @throws ServiceError as `readDetachedTask`
   */
  endDetachedTask(
    id: string,
    force: boolean,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DetachedTaskRecord & { removed: boolean }>;
  /** Workers of all nodes. Scope `read`. */
  workers(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]>;
  /** Stops them; their jobs fail as WorkerLost. Scope `operate`. @returns names. @throws ServiceError Validation (no filter) */
  stopWorkers(filter: WorkerFilter, caller: Caller): Promise<string[]>;
  /** API keys, never in clear, those no longer in force included. Scope `admin`, of a key that may reach all hosts. */
  listKeys(caller: Caller): Promise<KeyRecord[]>;
  /** Makes a key, which is told once. Scope as `listKeys`. @throws ServiceError Validation, Conflict (the name is taken) */
  addKey(body: Body, caller: Caller): Promise<MadeKey>;
  /** Another list of credentials, which counts at once. Scope as `listKeys`. @throws ServiceError Validation, NotFound */
  changeKey(nameOrId: string, body: Body, caller: Caller): Promise<void>;
  /** What is kept on the appliance, never its values. Scope as `listKeys`. */
  listCredentials(caller: Caller): Promise<CredentialRecord[]>;
  /**
   * Keeps a credential, in place of a former one. Scope as `listKeys`.
   * @throws ServiceError Validation, PayloadTooLarge (there are too many)
   */
  setCredential(ref: string, source: string, body: Body, caller: Caller): Promise<"added" | "changed">;
  /** Scope as `listKeys`. @throws ServiceError NotFound */
  removeCredential(ref: string, source: string, caller: Caller): Promise<void>;
  /** Scope as `listKeys`. @throws ServiceError NotFound, Conflict (the last admin key) */
  revokeKey(nameOrId: string, caller: Caller): Promise<void>;
  /**
   * A login session for the key of the caller. Scope `read`.
   * @param agent User-Agent of the caller.
   * @returns its token, told once. @throws ServiceError Forbidden (the caller came with a session)
   */
  beginLoginSession(
    caller: Caller,
    agent: string | null,
  ): Promise<{ token: string; session: LoginSessionRecord }>;
  /** Those of the caller's key; all for an admin key that may reach all hosts. Scope `read`. */
  listLoginSessions(caller: Caller): Promise<LoginSessionRecord[]>;
  /**
   * Ends one of those that `listLoginSessions` gives; `current` is the caller's own. Scope `read`.
   * @returns its id. @throws ServiceError NotFound
   */
  endLoginSession(name: string, caller: Caller): Promise<string>;
  /** Those that are taken and those that are refused. Scope `admin`. */
  listPlugins(caller: Caller): Promise<PluginRecord[]>;
  /** How jobs ended in the last minutes, those that the caller may see. Scope `read`. */
  statistics(minutes: number, caller: Caller): Promise<StatisticsRecord>;
  /** Whether the service takes work, and why not. Never throws. */
  ready(): Promise<{ ready: boolean; reasons: string[] }>;
  /** Who did what, newest first. Scope `admin`. @throws ServiceError BadRequest (a cursor that was not given) */
  audit(filter: { since?: string; limit: number; cursor?: string }, caller: Caller): Promise<AuditPage>;
}

/** Parts of records that cost the most: what is false is not read, and missing or null in the record. */
export interface RecordParts {
  readonly result: boolean;
  /** `command` or `config`, `request`, `note`, `priority`. */
  readonly asked: boolean;
  readonly webhook: boolean;
}

export interface JobPage {
  /** The cursor of what follows; absent: this is the end. */
  readonly next: string | undefined;
  readonly pieces: AsyncIterable<ListedJob[]>;
}

export interface AuditPage {
  entries: AuditEntry[];
  next_cursor: string | null;
}

export interface AuditEntry {
  id: number;
  /** ISO 8601. */
  at: string;
  /** Name and id of the API key. */
  who: string;
  /** Address of the caller. */
  from: string | null;
  action: string;
  host: string | null;
  job_id: string | null;
  outcome: string;
  detail: string | null;
  /** Of a job: bytes, SHA-256 and first line of what was asked, without secrets. */
  asked: { length: number; sha256: string; first_line: string } | null;
}
