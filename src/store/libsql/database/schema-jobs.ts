/** Tables of jobs, of the bulks that they came in, and of what happens to them. */
import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { jobStatuses, operations, strategies } from "../../../model/job.ts";
import { claimOrder, stopReasons } from "../../port.ts";

const sealed = (name: string) => blob(name, { mode: "buffer" });

export const jobs = sqliteTable(
  "jobs",
  {
    /** Order of submission, given by the database: no clock can turn it round. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    bulkId: text("bulk_id"),
    status: text("status", { enum: jobStatuses }).notNull(),
    strategy: text("strategy", { enum: strategies }).notNull(),
    queue: text("queue").notNull(),
    /** What a claim takes from: as `claimOrder.laneOf` gives it. */
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
    /** Which claim took it: a claim whose answer was lost is asked again and finds what it took. */
    claim: text("claim"),
    attempt: integer("attempt").notNull().default(0),
    /** How often a worker was lost after the first command was sent, and how often that may start it again. */
    lost: integer("lost").notNull().default(0),
    retries: integer("retries").notNull().default(0),
    /** Set before the first command byte leaves. */
    sendingAt: integer("sending_at"),
    /** Asked to stop: `cancel` or `worker`. */
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
    /** What was asked, in short, without secrets: it stays when the payload has gone. */
    asked: sealed("asked"),
    /** The whole of it where that is more. */
    request: sealed("request"),
    /** What its caller names it, without secrets: in the clear, because it is looked for. */
    label: text("label"),
    ticket: text("ticket"),
    /** JSON list of texts. */
    tags: text("tags"),
    /** Of a job that failed. */
    errorType: text("error_type"),
    /** It begins no sooner: as its caller said, and when that is. */
    notBefore: integer("not_before"),
    dueT: integer("due_t"),
    /** Id of the job that this one does again. */
    retryOf: text("retry_of"),
    /** The secrets of its request, kept for a while where an operator wants that. */
    retryPayload: sealed("retry_payload"),
    /** Its request without secrets, kept for a retry; of a bulk what this job has for itself. */
    kept: sealed("kept"),
    /** The window that it may begin in closes then, by the wall clock; null: none holds it. */
    windowEnd: integer("window_end"),
    /** Name of the device in the inventory that it was asked for by. */
    device: text("device"),
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
    // Holds all that a bulk is counted by: ten thousand jobs are counted without reading them.
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

/** One request for many devices. Goes with the last of its jobs. */
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
  /** JSON list of texts. */
  tags: text("tags"),
  /** Jobs that it was made of. */
  total: integer("total").notNull(),
  /** How many of it may run at once. */
  concurrency: integer("concurrency"),
  /** After so many that failed, what waits is cancelled. */
  maxFailures: integer("max_failures"),
  bulkOrder: text("bulk_order"),
  /** Id of the bulk that this one does again. */
  retryOf: text("retry_of"),
  stoppedBecause: text("stopped_because"),
  stoppedAt: integer("stopped_at"),
  /** What its devices share, without secrets, kept for a retry. */
  kept: sealed("kept"),
  /** What chose its devices, and the revision of the inventory of which it did. */
  selector: text("selector"),
  revision: integer("revision"),
});

/** Each change of a job's status, in the order of the commits: triggers of `jobs` write it, no statement does. */
export const events = sqliteTable("events", {
  /** One more than the last; without a gap, for the newest row is never deleted. */
  n: integer("n").primaryKey(),
  at: integer("at").notNull(),
  jobId: text("job_id").notNull(),
  bulkId: text("bulk_id"),
  host: text("host").notNull(),
  caller: text("caller").notNull(),
  status: text("status", { enum: jobStatuses }).notNull(),
  errorType: text("error_type"),
  attempt: integer("attempt").notNull(),
  /** That runs it, or ran it. */
  node: text("node"),
});
