/** Tables of jobs, their bulks, and the log of their status changes. */
import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { jobStatuses, operations, strategies, submitterKinds } from "../../api/job.ts";
import { claimOrder, stopReasons } from "../port.ts";

const sealed = (name: string) => blob(name, { mode: "buffer" });

export const jobs = sqliteTable(
  "jobs",
  {
    /** Order of submission, assigned by the database and independent of clocks. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    bulkId: text("bulk_id"),
    status: text("status", { enum: jobStatuses }).notNull(),
    strategy: text("strategy", { enum: strategies }).notNull(),
    queue: text("queue").notNull(),
    /** The lane that claims take from, as returned by `claimOrder.laneOf`. */
    lane: text("lane").notNull(),
    host: text("host").notNull(),
    hostKey: text("host_key").notNull(),
    driver: text("driver").notNull(),
    deviceType: text("device_type"),
    operation: text("operation", { enum: operations }).notNull(),
    caller: text("caller").notNull(),
    createdAt: integer("created_at").notNull(),
    enqueuedAt: integer("enqueued_at").notNull(),
    queuedT: integer("queued_t").notNull(),
    expiresT: integer("expires_t").notNull(),
    ttlMs: integer("ttl_ms").notNull(),
    resultTtlMs: integer("result_ttl_ms").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    queueMs: integer("queue_ms"),
    durationMs: integer("duration_ms"),
    node: text("node"),
    generation: integer("generation"),
    worker: text("worker"),
    /** Id of the claim that took it: a claim repeated after a lost response finds its own jobs. */
    claim: text("claim"),
    attempt: integer("attempt").notNull().default(0),
    /** How often a worker was lost after the first command was sent, and how many restarts after that are allowed. */
    lost: integer("lost").notNull().default(0),
    retries: integer("retries").notNull().default(0),
    /** Set before the first byte of a command is sent. */
    sendingAt: integer("sending_at"),
    /** Stop request: `cancel` or `worker`. */
    stop: text("stop", { enum: stopReasons }),
    /** Deleted after this time; set when the job ends. */
    keepT: integer("keep_t"),
    warnings: text("warnings"),
    /** Whether a webhook waits for its end. */
    hasWebhook: integer("hooked", { mode: "boolean" }).notNull().default(false),
    auditId: integer("audit_id"),
    payload: sealed("payload"),
    sent: sealed("sent"),
    result: sealed("result"),
    /** The short form of the request, without secrets; kept when the payload is deleted. */
    asked: sealed("asked"),
    /** The full request, if it contains more. */
    request: sealed("request"),
    /** The caller's description of the work, without secrets; not encrypted because it is searchable. */
    label: text("label"),
    ticket: text("ticket"),
    /** JSON array of strings. */
    tags: text("tags"),
    /** Of a failed job. */
    errorType: text("error_type"),
    /** The earliest start as given by the caller, and the steady time at which it is due. */
    notBefore: integer("not_before"),
    dueT: integer("due_t"),
    /** Id of the job that this one retries. */
    retryOf: text("retry_of"),
    /** The secrets of its request, kept for a while if the operator allows it. */
    retryPayload: sealed("retry_payload"),
    /** Its request without secrets, kept for a retry; for a job of a bulk, only the part specific to it. */
    kept: sealed("kept"),
    /** End (wall clock) of the maintenance window it must start in; null if no window applies. */
    windowEnd: integer("window_end"),
    /** The inventory name that the request used for the device. */
    device: text("device"),
    /** Whether nothing is to be changed on the device. */
    dryRun: integer("dry_run", { mode: "boolean" }),
    /** Null in rows of older versions: submitted by the key of the caller. */
    submitterKind: text("submitter_kind", { enum: submitterKinds }),
    submitter: text("submitter"),
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

/** One request for many devices. Deleted with the last of its jobs. */
export const bulks = sqliteTable("bulks", {
  /** Order of submission. */
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  id: text("id").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  caller: text("caller").notNull(),
  driver: text("driver").notNull(),
  operation: text("operation", { enum: operations }).notNull(),
  label: text("label"),
  ticket: text("ticket"),
  note: sealed("note"),
  /** JSON array of strings. */
  tags: text("tags"),
  /** Number of jobs submitted. */
  total: integer("total").notNull(),
  /** How many of its jobs may run concurrently. */
  concurrency: integer("concurrency"),
  /** After this many failed jobs, the waiting jobs are cancelled. */
  maxFailures: integer("max_failures"),
  bulkOrder: text("bulk_order"),
  /** Id of the bulk that this one retries. */
  retryOf: text("retry_of"),
  stoppedBecause: text("stopped_because"),
  stoppedAt: integer("stopped_at"),
  /** The part of the request that its devices share, without secrets, kept for a retry. */
  kept: sealed("kept"),
  /** The selector that chose its devices, and the inventory revision it was evaluated on. */
  selector: text("selector"),
  revision: integer("revision"),
  /** Whether its shared arguments ask for a dry run. */
  dryRun: integer("dry_run", { mode: "boolean" }),
  submitterKind: text("submitter_kind", { enum: submitterKinds }),
  submitter: text("submitter"),
});

/** Each change of a job's status, in commit order; written only by triggers of `jobs`. */
export const events = sqliteTable("events", {
  /** Increases by one without gaps, since the newest row is never deleted. */
  n: integer("n").primaryKey(),
  at: integer("at").notNull(),
  jobId: text("job_id").notNull(),
  bulkId: text("bulk_id"),
  host: text("host").notNull(),
  caller: text("caller").notNull(),
  status: text("status", { enum: jobStatuses }).notNull(),
  errorType: text("error_type"),
  attempt: integer("attempt").notNull(),
  /** The node that runs or ran it. */
  node: text("node"),
  dryRun: integer("dry_run", { mode: "boolean" }),
});
