/** What the HTTP layer can ask for: the types of src/jobs, without how. */
import type { Caller } from "../auth/caller.ts";
import type { Patience } from "../base/patience.ts";
import type { JobStatus, JobTicket, ListedJob } from "../model/job.ts";
import type { PluginRecord } from "../model/plugin.ts";
import type { JobFilter, WorkerFilter, WorkerRecord } from "../model/worker.ts";
import type { LivePosition } from "../queue/live-output.ts";

/** A request body as text and as checked JSON: raw slices are needed for template contexts. */
export interface Body {
  readonly text: string;
  /** May be read from the text when it is first asked for. @throws ServiceError BadRequest, Validation */
  readonly value: unknown;
}

export interface BulkAnswer {
  succeeded: JobTicket[];
  /** Hosts whose job could not be submitted. */
  failed: string[];
  failed_jobs: { host: string; id: string; reason: string }[];
  bulk_id: string;
  warnings?: string[];
}

export interface TestAnswer {
  success: boolean;
  connection_time: number | null;
  error_message: string | null;
  device_info: Record<string, string> | null;
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

/** Every method throws ServiceError; kinds of requests map to statuses in http/respond. */
export interface Jobs {
  /** @throws Validation, Forbidden, TooManyRequests, Conflict (idempotency), Unavailable */
  submit(body: Body, caller: Caller, idempotencyKey?: string, patience?: Patience): Promise<JobTicket>;
  bulk(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    patience?: Patience,
  ): Promise<BulkAnswer>;
  /** Resolves when the job has ended or the signal or the time is over. */
  waitFor(id: string, forMs: number, signal: AbortSignal): Promise<ListedJob | undefined>;
  waitForBulk(bulkId: string, forMs: number, signal: AbortSignal): Promise<void>;
  /**
   * The states of a job and what its device says, as they come, from where `after` ended; ends with its final status.
   * A job of another node shows its states only. @throws ServiceError NotFound, with the first event
   */
  watch(
    id: string,
    caller: Caller,
    after: LivePosition | undefined,
    signal: AbortSignal,
  ): AsyncIterable<JobEvent>;
  statusesOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobStatus>>;
  /** Newest first, in pieces of bounded size: the next one is read when it is asked for. */
  list(filter: JobFilter, caller: Caller, page: { cursor?: string }): AsyncIterable<ListedJob[]>;
  /** The same for so many; `next` is the cursor of what follows. */
  page(filter: JobFilter, caller: Caller, page: { limit: number; cursor?: string }): Promise<JobPage>;
  /** @throws NotFound, BusinessFailure */
  cancel(filter: JobFilter, force: boolean, caller: Caller, signal?: AbortSignal): Promise<string[]>;
  /** Lets held jobs wait for a worker again. @throws NotFound, BusinessFailure, Validation */
  release(filter: JobFilter, caller: Caller): Promise<string[]>;
  testConnection(body: Body, caller: Caller, signal: AbortSignal): Promise<TestAnswer>;
  /** @throws BadRequest, NotFound, TemplateTimeout, TemplateLimit, Validation */
  render(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Rendered>;
  parse(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Parsed>;
  workers(filter: WorkerFilter, caller: Caller): Promise<WorkerRecord[]>;
  stopWorkers(filter: WorkerFilter, caller: Caller): Promise<string[]>;
  listPlugins(caller: Caller): Promise<PluginRecord[]>;
  /** Liveness of the parts behind the API. */
  ready(): Promise<{ ready: boolean; reasons: string[] }>;
  audit(filter: { since?: string; limit: number; cursor?: string }, caller: Caller): Promise<AuditPage>;
}

export type JobEvent =
  | { readonly kind: "state"; readonly status: JobStatus; readonly position: LivePosition | undefined }
  /** `missed`: characters before it that are no longer kept. */
  | {
      readonly kind: "output";
      readonly text: string;
      readonly missed: number;
      readonly position: LivePosition;
    };

export interface JobPage {
  readonly next: string | undefined;
  readonly pieces: AsyncIterable<ListedJob[]>;
}

export interface AuditPage {
  entries: AuditEntry[];
  next_cursor: string | null;
}

export interface AuditEntry {
  id: number;
  at: string;
  who: string;
  from: string | null;
  action: string;
  host: string | null;
  job_id: string | null;
  outcome: string;
  detail: string | null;
  /** Of a job: bytes, SHA-256 and first line of what was asked, without secrets. */
  asked: { length: number; sha256: string; first_line: string } | null;
}
