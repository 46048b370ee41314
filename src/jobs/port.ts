/** The interface of jobs: everything the API offers on jobs. */

import type { Body } from "../api/body.ts";
import type { ChangeQuestion, ChangeSentinel, GateVerdict } from "../api/changes/change-gates.ts";
import type { BulkFilter, JobFilter } from "../api/filters.ts";
import type { RestorePlan, TakePlan } from "../api/history/history.ts";
import type { BulkAnswer, BulkDetail, BulkRecord, BulkResult, CancelledBulk } from "../api/jobs/bulk.ts";
import type { Check } from "../api/jobs/checks.ts";
import type { JobStatus, JobTicket, ListedJob, QueueStrategy } from "../api/jobs/job.ts";
import type { ExecuteRequest, OpenEnd, OperationOptions, TestAnswer } from "../api/jobs/request.ts";
import type { TranscriptRecord } from "../api/jobs/transcript.ts";

import type { Caller } from "../auth/port.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { EffectiveDevice } from "../inventory/port.ts";
import type { WorkerState } from "../store/port.ts";

/** The part of a queued job that the order of claims needs. */
export interface QueuedJob {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  /** Whose turns it takes: `shareOf` its caller. */
  readonly share: string;
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

export interface Rendered {
  text: string;
  /** Likely mistakes in the template, if any. */
  warnings?: string[];
}

export interface Parsed {
  /** JSON text of the array of records, in the parser's own key order. */
  json: string;
  warnings?: string[];
}

/** Where a stored webhook sends. */
export interface WebhookTarget {
  /** Origin of its address, or the plugin's name. */
  readonly address: string;
  /** As returned by `receiverOf`. */
  readonly receiver: string;
  readonly signed: boolean;
  /** JSON text of the plugin, its options and the delivery plan; contains secrets. */
  readonly content: string;
}

/**
 * Methods with a caller are limited to what its key may reach, and check the scope they name. All throw ServiceError:
 * Forbidden (scope or host), Unavailable when the store does not answer, besides what each lists. http/answer/respond maps
 * error kinds to HTTP statuses.
 */
export interface Jobs extends BulkReading {
  /**
   * Submits one operation. Scope `operate`.
   * @param idempotencyKey a repeat within 24 hours gets the first answer.
   * @throws ServiceError Validation, TooManyRequests, InUse (the key was used with another body), InProgress (the
   * first submission with the key is still under way), BadRequest (a key that is too long)
   */
  submit(body: Body, caller: Caller, idempotencyKey?: string, budget?: TimeBudget): Promise<JobTicket>;
  /**
   * Submits one operation for many devices: invalid entries are stored as failed jobs. Scope `operate`.
   * @param signal aborted when the caller disconnects: a bulk that is still waiting is dropped.
   * @throws ServiceError as `submit`; PayloadTooLarge
   */
  bulk(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    budget?: TimeBudget,
  ): Promise<BulkAnswer>;
  /** The bulk that was submitted with this key within 24 hours. */
  submittedBulk(caller: Caller, idempotencyKey: string): Promise<string | undefined>;
  /**
   * Checks that the body of a bulk or discovery can be stored and submitted later. Scope `operate`.
   * @throws ServiceError Validation (invalid, contains a secret, or names what the key may not reach), PayloadTooLarge
   */
  checkKept(value: unknown, caller: Caller, of?: "bulk" | "discovery" | "take"): Promise<void>;
  /** @throws ServiceError Validation, Forbidden (a host that the key may not reach) */
  checkWebhook(config: Readonly<Record<string, unknown>>, caller: Caller): Promise<WebhookTarget>;
  /**
   * Discovers inventory devices, each as a job whose result is recorded in the inventory. Scope `operate`; writing
   * detected platforms needs `admin` and a key without host limits.
   * @throws ServiceError as `bulk`
   */
  discover(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    budget?: TimeBudget,
  ): Promise<BulkAnswer>;
  /**
   * Reads configurations of inventory devices into the history, each by a job. Scope `operate`.
   * @param why per device, if not because the caller asked for it
   * @throws ServiceError as `bulk`
   */
  take(
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    budget?: TimeBudget,
    why?: (device: string) => TakeReason,
  ): Promise<BulkAnswer>;
  /**
   * Submits a dry run, if the driver lets the device compare. Scope `operate`.
   * @param request of an inventory device
   * @param plan of a restored version: `config` is masked, and the lines are read when the job runs
   * @returns no job, and why, if the device cannot compare
   * @throws ServiceError as `submit`
   */
  compare(
    request: ComparedRequest,
    caller: Caller,
    plan?: RestorePlan,
  ): Promise<{ readonly job: JobTicket | undefined; readonly warnings: readonly string[] }>;
  /**
   * Retries a failed or cancelled job with its original request; secrets come with the body. Scope `operate`.
   * @throws ServiceError as `submit`; NotFound, BusinessFailure (it has not ended, or has succeeded), Validation (a
   * secret is missing, nothing was kept, or the outcome of a push is unknown)
   */
  retryJob(
    id: string,
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    budget?: TimeBudget,
  ): Promise<JobTicket>;
  /** Retries the jobs of a bulk as a new bulk. @throws ServiceError as `retryJob` and `bulk` */
  retryBulk(
    id: string,
    body: Body,
    caller: Caller,
    idempotencyKey?: string,
    signal?: AbortSignal,
    budget?: TimeBudget,
  ): Promise<BulkAnswer>;
  /** Waits until the job has ended, or for the time or signal. @returns the job as it is then; undefined if unknown */
  waitFor(id: string, forMs: number, signal: AbortSignal): Promise<ListedJob | undefined>;
  /** Waits until all jobs of the bulk have ended, or for the time or signal. */
  waitForBulk(bulkId: string, forMs: number, signal: AbortSignal): Promise<void>;
  /**
   * What a push sent and received, kept as long as the audit trail. Scope `read`.
   * @throws ServiceError NotFound
   */
  sentBy(id: string, caller: Caller): Promise<TranscriptRecord>;
  /** Statuses by id, without unknown ids. */
  statusesOf(ids: readonly string[]): Promise<ReadonlyMap<string, JobStatus>>;
  /** The canonical host of an inventory device with that name, otherwise of that host. */
  hostNamed(host: string, caller: Caller): Promise<string>;
  /** Canonical hosts of the devices that match a selector. @throws ServiceError Validation */
  hostsOf(select: string, caller: Caller, signal?: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Newest first, streamed in pieces of bounded size. `signal` aborts when the caller disconnects.
   * @throws ServiceError BadRequest (the job of the cursor is gone), Validation (invalid `since` or `until`)
   */
  list(
    filter: JobFilter,
    caller: Caller,
    page: { cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): AsyncIterable<ListedJob[]>;
  /** One page of at most `limit` jobs. @throws ServiceError as `list` */
  page(
    filter: JobFilter,
    caller: Caller,
    page: { limit: number; cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): Promise<JobPage>;
  /**
   * Cancels queued and held jobs and, with `force`, stops running ones. Scope `operate`.
   * @param signal aborted when the caller disconnects: the remaining jobs stay queued.
   * @returns ids.
   * @throws ServiceError Validation (no filter), NotFound (no job with that id), BusinessFailure (it has ended, or runs)
   */
  cancel(filter: JobFilter, force: boolean, caller: Caller, signal?: AbortSignal): Promise<string[]>;
  /**
   * Moves held jobs to the queue. Scope `operate`.
   * @returns ids.
   * @throws ServiceError Validation (no filter), NotFound (no job with that id), BusinessFailure (it is not held)
   */
  release(filter: JobFilter, caller: Caller): Promise<string[]>;
  /**
   * Logs in immediately, outside of the queue. A device failure is a result, not an error. Scope `operate`.
   * @throws ServiceError Validation, TooManyRequests
   */
  testConnection(body: Body, caller: Caller, signal: AbortSignal): Promise<TestAnswer>;
  /**
   * Renders a template immediately. Scope `operate`.
   * @param engine from the path; undefined: `name` of the body, else the default.
   * @throws ServiceError Validation, BadRequest, NotFound, TooManyRequests, TemplateError, TemplateTimeout, TemplateLimit
   */
  render(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Rendered>;
  /** Parses. Without an engine: `name` of the body, else detected. @throws ServiceError as `render`; ParseError */
  parse(body: Body, engine: string | undefined, caller: Caller, signal: AbortSignal): Promise<Parsed>;
  /** Whether the service accepts work, and if not, why. Never throws. */
  ready(): Promise<Readiness>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Why what is acknowledged may be lost with a machine. */
  readonly doubts: readonly string[];
}

export type ComparedRequest = Pick<
  ExecuteRequest,
  "device" | "connection_args" | "config" | "driver_args"
> & { readonly options?: Pick<OperationOptions, "label" | "ticket"> };

/** What changes ask of jobs. */
export interface ChangeJobs {
  /** Inventory devices that a change names, by name. @throws ServiceError Validation */
  changeDevices(
    of: { readonly devices?: readonly string[] | null; readonly select?: string | null },
    caller: Caller,
    signal?: AbortSignal,
  ): Promise<readonly EffectiveDevice[]>;
  /**
   * How many devices one bulk holds.
   * @param shared members that each of its jobs gets
   * @returns whether the bulk has room for one more device, with so many characters of its own; the first always has
   */
  changeRoom(
    shared: Readonly<Record<string, unknown>>,
  ): Promise<(device: string, ownChars: number) => boolean>;
  /**
   * Submits a part of a change as a bulk, with the rights of its author. Scope `operate`.
   * @returns its id
   * @throws ServiceError as `bulk`; Conflict: the change is at another step, or the part was submitted before
   */
  changeBulk(part: ChangeSubmission, caller: Caller): Promise<string>;
}

/** What gates of changes ask of jobs. */
export interface GateJobs {
  /**
   * Checks the gates of a request, for a caller who writes it.
   * @throws ServiceError Validation, Forbidden (a host that the caller may not reach)
   */
  checkGates(gates: ChangeGates, caller: Caller): Promise<void>;
  /** Asks once, with the rights of the author. @throws ServiceError Cancelled */
  askQuestion(question: ChangeQuestion, caller: Caller, signal: AbortSignal): Promise<GateAnswer>;
}

export interface ChangeGates {
  readonly sentinels: readonly ChangeSentinel[];
  readonly questions: readonly ChangeQuestion[];
}

export interface GateAnswer {
  readonly verdict: GateVerdict;
  readonly reason: string;
}

/** A part of a change, at the step that submits it. */
export interface ChangeSubmission {
  readonly id: string;
  readonly step: number;
  readonly part: string;
  readonly work:
    | {
        readonly kind: "check";
        readonly devices: readonly { readonly device: string; readonly checks: readonly Check[] }[];
        readonly shared: Readonly<Record<string, unknown>>;
      }
    | {
        readonly kind: "take";
        readonly label: string;
        readonly devices: readonly string[];
        readonly reason: TakeReason;
      }
    | {
        readonly kind: "push";
        readonly devices: readonly {
          readonly device: string;
          readonly config: string | readonly string[];
          readonly restore?: RestorePlan;
          readonly driverArgs?: Readonly<Record<string, unknown>> | undefined;
          /** The push is left open for this time, where the device can. */
          readonly holdSeconds?: number | undefined;
          /** In place of a push: the end of one that was left open. It waits for no maintenance window. */
          readonly ends?: OpenEnd | undefined;
        }[];
        /** Nothing is pushed: the lines are rehearsed, for the plan with this hash. */
        readonly rehearses?: string | undefined;
        /** Members of a bulk: checks, driver_args, ttl and the like. */
        readonly shared: Readonly<Record<string, unknown>>;
      };
}

/** Why a configuration is read. */
export type TakeReason = Pick<TakePlan, "source" | "causeJobId" | "who" | "note">;

/** Expensive parts of records: parts set to false are not read, and are missing or null. */
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

interface BulkReading {
  /**
   * Bulks with at least one job visible to the caller, newest first, with counts of the visible jobs.
   * @throws ServiceError BadRequest (the bulk of the cursor is gone), Validation (an invalid time)
   */
  bulks(filter: BulkFilter, caller: Caller, page: { limit: number; cursor?: string }): Promise<BulkPage>;
  /** @throws ServiceError NotFound */
  bulkRecord(id: string, caller: Caller): Promise<BulkDetail>;
  /** Of all jobs of each bulk, for a caller that may see them. Bulks whose jobs were deleted are omitted. */
  bulkResults(ids: readonly string[]): Promise<Map<string, BulkResult>>;
  /**
   * Cancels waiting jobs of a bulk and, with `force`, stops running ones; only jobs visible to the caller. Scope
   * `operate`.
   * @param signal as in `cancel`.
   * @throws ServiceError NotFound
   */
  cancelBulk(id: string, force: boolean, caller: Caller, signal?: AbortSignal): Promise<CancelledBulk>;
}

export interface BulkPage {
  readonly bulks: BulkRecord[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}
