/** Tables of the store. `*_at` is wall-clock time for people, `*_t` is the store's steady time for decisions; both in ms. */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

const sealed = (name: string) => blob(name, { mode: "buffer" });

export const jobs = sqliteTable(
  "jobs",
  {
    /** Order of submission, given by the database: no clock can turn it round. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull().unique(),
    bulk_id: text("bulk_id"),
    status: text("status").notNull(),
    strategy: text("strategy").notNull(),
    queue: text("queue").notNull(),
    /** What a claim takes from: the queue of a pinned host, or `fifo/<caller>/<bulk>`. */
    lane: text("lane").notNull(),
    host: text("host").notNull(),
    host_key: text("host_key").notNull(),
    driver: text("driver").notNull(),
    device_type: text("device_type"),
    operation: text("operation").notNull(),
    caller: text("caller").notNull(),
    created_at: integer("created_at").notNull(),
    enqueued_at: integer("enqueued_at").notNull(),
    queued_t: integer("queued_t").notNull(),
    expires_t: integer("expires_t").notNull(),
    ttl_ms: integer("ttl_ms").notNull(),
    result_ttl_ms: integer("result_ttl_ms").notNull(),
    started_at: integer("started_at"),
    ended_at: integer("ended_at"),
    queue_ms: integer("queue_ms"),
    duration_ms: integer("duration_ms"),
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
    sending_at: integer("sending_at"),
    /** Asked to stop: `cancel` or `worker`. */
    stop: text("stop"),
    /** Deleted after this time; set when the job ends. */
    keep_t: integer("keep_t"),
    warnings: text("warnings"),
    /** Whether a webhook waits for its end. */
    hooked: integer("hooked", { mode: "boolean" }).notNull().default(false),
    audit_id: integer("audit_id"),
    payload: sealed("payload"),
    sent: sealed("sent"),
    result: sealed("result"),
    /** What was asked, in short, without secrets: it stays when the payload has gone. */
    asked: sealed("asked"),
    /** The whole of it where that is more. */
    request: sealed("request"),
  },
  (job) => [
    index("jobs_ready").on(job.lane, job.seq).where(sql`status = 'queued'`),
    index("jobs_expiry").on(job.expires_t).where(sql`status = 'queued'`),
    index("jobs_running").on(job.node, job.generation, job.claim).where(sql`status = 'running'`),
    index("jobs_stop").on(job.node).where(sql`status = 'running' and stop is not null`),
    uniqueIndex("jobs_pinned").on(job.queue).where(sql`status = 'running' and strategy = 'pinned'`),
    index("jobs_keep").on(job.keep_t).where(sql`keep_t is not null`),
    index("jobs_status").on(job.status, job.seq),
    index("jobs_host").on(job.host_key, job.seq),
    index("jobs_bulk").on(job.bulk_id, job.seq).where(sql`bulk_id is not null`),
  ],
);

/** Lines of further sendings of one attempt; the first stands in `jobs.sent`. */
export const sendings = sqliteTable(
  "sendings",
  {
    job_id: text("job_id").notNull(),
    attempt: integer("attempt").notNull(),
    n: integer("n").notNull(),
    lines: sealed("lines").notNull(),
  },
  (one) => [primaryKey({ columns: [one.job_id, one.attempt, one.n] })],
);

export const nodes = sqliteTable("nodes", {
  name: text("name").primaryKey(),
  /** One more with each life of the node: the fence of everything it writes. */
  generation: integer("generation").notNull(),
  /** `up`, `draining`, `dead`. */
  state: text("state").notNull(),
  /** Id of the data directory, which one process holds: who has it knows that the former life is over. */
  home: text("home").notNull(),
  hostname: text("hostname").notNull(),
  pid: integer("pid").notNull(),
  started_at: integer("started_at").notNull(),
  beat_at: integer("beat_at").notNull(),
  lease_t: integer("lease_t").notNull(),
});

/** Who commands a pinned host. Held while the lease of its node lasts. */
export const queues = sqliteTable(
  "queues",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: integer("generation").notNull(),
    fence: integer("fence").notNull(),
    since_t: integer("since_t").notNull(),
  },
  (queue) => [index("queues_node").on(queue.node)],
);

export const workers = sqliteTable(
  "workers",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: integer("generation").notNull(),
    status: text("status").notNull(),
    pid: integer("pid").notNull(),
    hostname: text("hostname").notNull(),
    queue: text("queue").notNull(),
    current_job: text("current_job"),
    beat_at: integer("beat_at").notNull(),
    birth_at: integer("birth_at").notNull(),
    succeeded: integer("succeeded").notNull(),
    failed: integer("failed").notNull(),
    /** Another node asked to stop it. */
    stop: integer("stop").notNull().default(0),
  },
  (worker) => [index("workers_node").on(worker.node)],
);

/** Outbox of webhooks: written with the job, made pending in the transaction that ends it. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    job_id: text("job_id").primaryKey(),
    /** `waiting` (for the job's end), `pending`, `delivered`, `failed`, `skipped`. */
    state: text("state").notNull(),
    /** Hash of the receiver's address: deliveries to one receiver go one after the other. */
    receiver: text("receiver").notNull(),
    /** JSON list of the events it wants; null: all. */
    events: text("events"),
    event: text("event"),
    /** Order of ending. */
    ended_n: integer("ended_n"),
    next_t: integer("next_t"),
    node: text("node"),
    generation: integer("generation"),
    claim_t: integer("claim_t"),
    tries: integer("tries").notNull().default(0),
    attempts: text("attempts").notNull().default("[]"),
    hook: sealed("hook"),
  },
  (one) => [
    index("deliveries_due").on(one.ended_n).where(sql`state = 'pending'`),
    index("deliveries_next").on(one.next_t).where(sql`state = 'pending'`),
    index("deliveries_held").on(one.receiver).where(sql`state = 'pending' and node is not null`),
    index("deliveries_order").on(one.ended_n),
  ],
);

export const keys = sqliteTable("keys", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** SHA-256 of the key, hex. */
  hash: text("hash").notNull().unique(),
  scope: text("scope").notNull(),
  hosts: text("hosts", { mode: "json" }).$type<string[]>().notNull(),
  created_at: integer("created_at").notNull(),
  expires_at: integer("expires_at"),
  last_used_at: integer("last_used_at"),
  revoked_at: integer("revoked_at"),
});

/** Host keys accepted on first use. */
export const hostKeys = sqliteTable(
  "host_keys",
  {
    host: text("host").notNull(),
    port: integer("port").notNull(),
    type: text("type").notNull(),
    fingerprint: text("fingerprint").notNull(),
    seen_at: integer("seen_at").notNull(),
  },
  (one) => [primaryKey({ columns: [one.host, one.port, one.type] })],
);

export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    ended_at: integer("ended_at"),
    who: text("who").notNull(),
    from: text("from_address"),
    action: text("action").notNull(),
    host: text("host"),
    job_id: text("job_id"),
    outcome: text("outcome").notNull(),
    detail: text("detail"),
    /** Length, SHA-256 and first line of what was asked. */
    asked: sealed("asked"),
  },
  (one) => [index("audit_at").on(one.at)],
);

export const idempotency = sqliteTable(
  "idempotency",
  {
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** Keyed hash of the body, which may hold a password. */
    body: text("body").notNull(),
    /** Which submission made the row: only that one inserts its jobs. */
    token: text("token").notNull(),
    answer: sealed("answer").notNull(),
    drop_t: integer("drop_t").notNull(),
  },
  (one) => [primaryKey({ columns: [one.caller, one.key] }), index("idempotency_drop").on(one.drop_t)],
);

export const meta = sqliteTable("meta", { key: text("key").primaryKey(), value: text("value").notNull() });
