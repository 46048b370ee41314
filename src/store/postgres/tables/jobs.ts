/** Tables of jobs: with their bulks, the log of their status changes, detached tasks and idempotency keys. */
import { sql } from "drizzle-orm";
import { boolean, index, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { detachedStates } from "../../../api/jobs/detached.ts";
import { jobStatuses, operations, strategies, submitterKinds } from "../../../api/jobs/job.ts";
import { claimOrder } from "../../port/claim-order.ts";
import { stopReasons } from "../../tables/words.ts";
import { counted, type Given, list, listText, type Row, sealed, table, whole } from "./columns.ts";

/** Order of submission, assigned by the database and independent of clocks. */
const seq = counted("seq");

/** A new job says these; they are stored as they are and stand in its record. */
export const jobGiven = {
  id: text("id").notNull().unique(),
  bulkId: text("bulk_id"),
  strategy: text("strategy", { enum: strategies }).notNull(),
  queue: text("queue").notNull(),
  /** The lane that claims take from, as returned by `claimOrder.laneOf`. */
  lane: text("lane").notNull(),
  host: text("host").notNull(),
  /** The host's canonical name. */
  hostKey: text("host_key").notNull(),
  driver: text("driver").notNull(),
  deviceType: text("device_type"),
  /** The inventory name that the request used for the device. */
  device: text("device"),
  operation: text("operation", { enum: operations }).notNull(),
  /** Whether nothing is to be changed on the device; false is stored as null. */
  dryRun: boolean("dry_run"),
  /** The caller's description of the work, without secrets; not encrypted because it is searchable. */
  label: text("label"),
  ticket: text("ticket"),
  /** Id of the job that this one retries. */
  retryOf: text("retry_of"),
  /** The earliest start as given by the caller, in ms since 1970: the job is held until then, and its ttl starts then. */
  notBefore: whole("not_before"),
  /** End (wall clock) of the maintenance window it must start in; null if no window applies. */
  windowEnd: whole("window_end"),
};

/** A new job says these too; only the dispatch reads them. */
export const jobLimits = {
  /** Maximum time to wait, and then maximum time to run. */
  ttlMs: whole("ttl_ms").notNull(),
  /** How long it is kept after its end. */
  resultTtlMs: whole("result_ttl_ms").notNull(),
  /** How often it may be restarted after its worker was lost while sending. */
  retries: whole("retries").notNull().default(0),
};

/** Written with a new job, and in its record. */
export const jobSubmission = {
  status: text("status", { enum: jobStatuses }).notNull(),
  /** Id of the API key. */
  caller: text("caller").notNull(),
  /** Null in rows of older versions: submitted by the key of the caller. */
  submitterKind: text("submitter_kind", { enum: submitterKinds }),
  submitter: text("submitter"),
  createdAt: whole("created_at").notNull(),
  enqueuedAt: whole("enqueued_at").notNull(),
  endedAt: whole("ended_at"),
  queueMs: whole("queue_ms"),
  durationMs: whole("duration_ms"),
  warnings: listText("warnings"),
  tags: listText("tags"),
  /** Whether a webhook waits for its end. */
  hasWebhook: boolean("hooked").notNull().default(false),
  /** Of a failed job; null also for jobs that an older version ended. */
  errorType: text("error_type"),
};

/** Encrypted parts of a new job. */
export const jobParts = {
  payload: sealed("payload"),
  result: sealed("result"),
  /** The short form of the request, without secrets; kept when the payload is deleted. */
  asked: sealed("asked"),
  /** The full request, if it contains more. */
  request: sealed("request"),
  /** Its request without secrets, kept for a retry; for a job of a bulk, only the part specific to it. */
  retryRequest: sealed("kept"),
  /** The secrets of its request, kept for a while if the operator allows it. */
  retryPayload: sealed("retry_payload"),
};

/** Written later, and in its record. */
export const jobProgress = {
  startedAt: whole("started_at"),
  worker: text("worker"),
  attempt: whole("attempt").notNull().default(0),
  /**
   * Of a held job: 0 while it waits for its bulk, null while it waits for a release, else the steady time at which it
   * is due.
   */
  dueT: whole("due_t"),
};

/** Written and read by the dispatch. */
const dispatch = {
  queuedT: whole("queued_t").notNull(),
  expiresT: whole("expires_t").notNull(),
  node: text("node"),
  generation: whole("generation"),
  /** Id of the claim that took it: a claim repeated after a lost response finds its own jobs. */
  claim: text("claim"),
  /** How often a worker was lost after the first command was sent. */
  lost: whole("lost").notNull().default(0),
  /** Set before the first byte of a command is sent. */
  sendingAt: whole("sending_at"),
  sent: sealed("sent"),
  stop: text("stop", { enum: stopReasons }),
  /** Deleted after this time; set when the job ends. */
  keepT: whole("keep_t"),
  auditId: whole("audit_id"),
};

export const jobs = table(
  "jobs",
  {
    seq,
    ...jobGiven,
    ...jobLimits,
    ...jobSubmission,
    ...jobParts,
    ...jobProgress,
    ...dispatch,
  },
  (job) => [
    index("jobs_ready")
      .on(job.lane, ...claimOrder.withinLane.map((field) => job[field]))
      .where(sql`status = 'queued'`),
    index("jobs_expiry").on(job.expiresT).where(sql`status = 'queued'`),
    index("jobs_running").on(job.node, job.generation, job.claim).where(sql`status = 'running'`),
    index("jobs_stop").on(job.node).where(sql`status = 'running' and stop is not null`),
    uniqueIndex("jobs_pinned").on(job.queue).where(sql`status = 'running' and strategy = 'pinned'`),
    index("jobs_keep").on(job.keepT).where(sql`keep_t is not null`),
    index("jobs_status").on(job.status, job.seq),
    index("jobs_host").on(job.hostKey, job.seq),
    index("jobs_device").on(job.device, job.seq).where(sql`device is not null`),
    index("jobs_bulk").on(job.bulkId, job.seq).where(sql`bulk_id is not null`),
    // Covering index for the counts of a bulk: 10,000 jobs are counted without reading them.
    index("jobs_bulk_state")
      .on(job.bulkId, job.status, job.errorType, job.endedAt)
      .where(sql`bulk_id is not null`),
    index("jobs_bulk_warned").on(job.bulkId).where(sql`bulk_id is not null and warnings is not null`),
    index("jobs_label").on(job.label, job.seq).where(sql`label is not null`),
    index("jobs_ticket").on(job.ticket, job.seq).where(sql`ticket is not null`),
    index("jobs_tagged").on(job.seq, job.tags).where(sql`tags is not null`),
    index("jobs_error").on(job.errorType, job.seq).where(sql`error_type is not null`),
    index("jobs_due").on(job.dueT).where(sql`due_t is not null`),
    index("jobs_retry").on(job.retryOf).where(sql`retry_of is not null`),
    index("jobs_retry_payload").on(job.keepT).where(sql`retry_payload is not null`),
  ],
);

/** A new bulk says these. */
export const bulkGiven = {
  id: text("id").notNull().unique(),
  /** Id of the API key. */
  caller: text("caller").notNull(),
  driver: text("driver").notNull(),
  operation: text("operation", { enum: operations }).notNull(),
  /** Whether its shared arguments ask for a dry run; false is stored as null. */
  dryRun: boolean("dry_run"),
  label: text("label"),
  ticket: text("ticket"),
  note: sealed("note"),
  /** How many of its jobs may run concurrently. */
  concurrency: whole("concurrency"),
  /** After this many failed jobs, the waiting jobs are cancelled. */
  maxFailures: whole("max_failures"),
  order: text("bulk_order"),
  /** Id of the bulk that this one retries. */
  retryOf: text("retry_of"),
  /** The selector that chose its devices, and the inventory revision it was evaluated on. */
  selector: text("selector"),
  revision: whole("revision"),
  /** The part of the request that its devices share, without secrets, kept for a retry. */
  retryRequest: sealed("kept"),
  /** The change that submitted it, and for what: unique, so that no wave is submitted twice. */
  changeId: text("change_id"),
  changePart: text("change_part"),
};

/** One request for many devices. Deleted with the last of its jobs. */
export const bulks = table("bulks", {
  /** Order of submission. */
  seq: counted("seq"),
  ...bulkGiven,
  createdAt: whole("created_at").notNull(),
  tags: list("tags"),
  /** Number of jobs submitted; some may have been deleted since. */
  total: whole("total").notNull(),
  /** Null in rows of older versions, as of jobs. */
  submitterKind: text("submitter_kind", { enum: submitterKinds }),
  submitter: text("submitter"),
  stoppedBecause: text("stopped_because"),
  stoppedAt: whole("stopped_at"),
});

/** Each change of a job's status, in commit order; written only by triggers of `jobs`. */
export const events = table("events", {
  /** Increases by one without gaps, since the newest row is never deleted. */
  n: whole("n").primaryKey(),
  at: whole("at").notNull(),
  jobId: text("job_id").notNull(),
  bulkId: text("bulk_id"),
  host: text("host").notNull(),
  caller: text("caller").notNull(),
  status: text("status", { enum: jobStatuses }).notNull(),
  errorType: text("error_type"),
  attempt: whole("attempt").notNull(),
  /** The node that runs or ran it. */
  node: text("node"),
  dryRun: boolean("dry_run"),
  /** The inventory name that the request used for the device. */
  device: text("device"),
});

/** Lines of the second and later intents of one attempt; those of the first are in `jobs.sent`. */
export const sendings = table(
  "sendings",
  {
    jobId: text("job_id").notNull(),
    attempt: whole("attempt").notNull(),
    n: whole("n").notNull(),
    lines: sealed("lines", { table: "jobs", column: "sent", row: "job_id" }).notNull(),
  },
  (intent) => [primaryKey({ columns: [intent.jobId, intent.attempt, intent.n] })],
);

/** Work that outlives its session, until it is removed. */
export const detachedTasks = table(
  "detached_tasks",
  {
    /** The id of the job that started it. */
    id: text("id").primaryKey(),
    host: text("host").notNull(),
    /** The host's canonical name. */
    hostKey: text("host_key").notNull(),
    driver: text("driver").notNull(),
    caller: text("caller").notNull(),
    state: text("state", { enum: detachedStates }).notNull(),
    exitStatus: whole("exit_status"),
    createdAt: whole("created_at").notNull(),
    /** By the clock of the server that it runs on. */
    startedAt: whole("started_at"),
    endedAt: whole("ended_at"),
    /** When the server was last polled. */
    seenAt: whole("seen_at"),
    /** When its next status check is due. */
    dueT: whole("due_t").notNull(),
    /** Connection and arguments for finding it again. */
    payload: sealed("payload").notNull(),
    asked: sealed("asked"),
  },
  (task) => [
    index("detached_tasks_host").on(task.hostKey, task.id),
    index("detached_tasks_caller").on(task.caller),
    index("detached_tasks_due").on(task.dueT),
  ],
);

export const idempotency = table(
  "idempotency",
  {
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** Keyed hash of the body, which may contain a password. */
    body: text("body").notNull(),
    /** The submission that created the row: only that one inserts its jobs. */
    token: text("token").notNull(),
    answer: sealed("answer").notNull(),
    dropT: whole("drop_t").notNull(),
  },
  (answer) => [
    primaryKey({ columns: [answer.caller, answer.key] }),
    index("idempotency_drop").on(answer.dropT),
  ],
);

export type JobRow = Row<typeof jobs>;
export type GivenJob = Given<typeof jobs, keyof typeof jobGiven | keyof typeof jobLimits>;
/** What the record of a job is made of, besides its sealed parts. */
export const jobRecord = { seq, ...jobGiven, ...jobSubmission, ...jobProgress };
export type JobRecordRow = Pick<JobRow, keyof typeof jobRecord>;
export type GivenBulk = Given<typeof bulks, keyof typeof bulkGiven>;
export type BulkRow = Row<typeof bulks>;
export type EventRow = Row<typeof events>;
export type DetachedTaskRow = Row<typeof detachedTasks>;
