/**
 * Tables of the store. `*_at` is wall-clock time for display, `*_t` is the store's steady time for decisions; both in
 * ms.
 */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { detachedStates } from "../api/detached.ts";
import { submitterKinds } from "../api/job.ts";
import { deliveryStates } from "./port.ts";

export * from "./tables/inventory.ts";
export * from "./tables/jobs.ts";
export * from "./tables/schedules.ts";
export * from "./tables/sources.ts";
export * from "./tables/webhooks.ts";

const sealed = (name: string) => blob(name, { mode: "buffer" });

/** Lines of the second and later intents of one attempt; those of the first are in `jobs.sent`. */
export const sendings = sqliteTable(
  "sendings",
  {
    jobId: text("job_id").notNull(),
    attempt: integer("attempt").notNull(),
    n: integer("n").notNull(),
    lines: sealed("lines").notNull(),
  },
  (intent) => [primaryKey({ columns: [intent.jobId, intent.attempt, intent.n] })],
);

export const nodes = sqliteTable("nodes", {
  name: text("name").primaryKey(),
  /** Increases with each start of the node: the fencing token of all its writes. */
  generation: integer("generation").notNull(),
  /** `up`, `draining`, `dead`. */
  state: text("state").notNull(),
  /** Id of the data directory, which one process owns: its owner knows that the node's previous process has ended. */
  home: text("home").notNull(),
  hostname: text("hostname").notNull(),
  pid: integer("pid").notNull(),
  startedAt: integer("started_at").notNull(),
  beatAt: integer("beat_at").notNull(),
  leaseT: integer("lease_t").notNull(),
});

/** Which node runs the jobs of a pinned host. Valid while that node's lease is. */
export const queues = sqliteTable(
  "queues",
  {
    name: text("name").primaryKey(),
    node: text("node").notNull(),
    generation: integer("generation").notNull(),
    fence: integer("fence").notNull(),
    sinceT: integer("since_t").notNull(),
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
    currentJob: text("current_job"),
    beatAt: integer("beat_at").notNull(),
    birthAt: integer("birth_at").notNull(),
    succeeded: integer("succeeded").notNull(),
    failed: integer("failed").notNull(),
    /** Set if another node requested a stop. */
    stop: integer("stop").notNull().default(0),
  },
  (worker) => [index("workers_node").on(worker.node)],
);

/** Outbox of webhooks: inserted with the job, made pending in the transaction that ends it. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    jobId: text("job_id").primaryKey(),
    state: text("state", { enum: deliveryStates }).notNull(),
    /** Hash of the receiver's address: deliveries to one receiver are sent one after another. */
    receiver: text("receiver").notNull(),
    /** JSON array of subscribed events; null: all. */
    events: text("events"),
    event: text("event"),
    /** Sequence number of the job's end. */
    endedN: integer("ended_n"),
    nextT: integer("next_t"),
    node: text("node"),
    generation: integer("generation"),
    claimT: integer("claim_t"),
    tries: integer("tries").notNull().default(0),
    attempts: text("attempts").notNull().default("[]"),
    hook: sealed("hook"),
    /** Of a stored webhook; `job_id` is then the id of the message. */
    webhook: text("webhook"),
  },
  (delivery) => [
    index("deliveries_due").on(delivery.endedN).where(sql`state = 'pending'`),
    index("deliveries_next").on(delivery.nextT).where(sql`state = 'pending'`),
    index("deliveries_held").on(delivery.receiver).where(sql`state = 'pending' and node is not null`),
    index("deliveries_order").on(delivery.endedN),
    index("deliveries_receiver")
      .on(delivery.receiver, delivery.nextT, delivery.endedN)
      .where(sql`state = 'pending'`),
    index("deliveries_webhook").on(delivery.webhook, delivery.endedN).where(sql`webhook is not null`),
  ],
);

/** Work that outlives its session, until it is removed. */
export const detachedTasks = sqliteTable(
  "detached_tasks",
  {
    /** The id of the job that started it. */
    id: text("id").primaryKey(),
    host: text("host").notNull(),
    hostKey: text("host_key").notNull(),
    driver: text("driver").notNull(),
    caller: text("caller").notNull(),
    state: text("state", { enum: detachedStates }).notNull(),
    exitStatus: integer("exit_status"),
    createdAt: integer("created_at").notNull(),
    /** By the clock of the server that it runs on. */
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    /** When the server was last polled. */
    seenAt: integer("seen_at"),
    /** When its next status check is due. */
    dueT: integer("due_t").notNull(),
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

export const keys = sqliteTable("keys", {
  id: text("id").primaryKey(),
  name: text("name").notNull().unique(),
  /** SHA-256 of the key, hex. */
  hash: text("hash").notNull().unique(),
  scope: text("scope").notNull(),
  hosts: text("hosts", { mode: "json" }).$type<string[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
  /** Patterns of credentials that it may use; null: no list of its own. */
  credentials: text("credentials", { mode: "json" }).$type<string[]>(),
});

/** Sessions that represent a key in a browser. Column names differ from those of keys because the tables are joined. */
export const loginSessions = sqliteTable(
  "login_sessions",
  {
    sessionId: text("session_id").primaryKey(),
    /** SHA-256 of the token, hex. */
    hash: text("hash").notNull().unique(),
    keyId: text("key_id").notNull(),
    loggedInAt: integer("logged_in_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    endsAt: integer("ends_at").notNull(),
    address: text("address"),
    agent: text("agent"),
  },
  (session) => [
    index("login_sessions_key").on(session.keyId, session.lastSeenAt),
    index("login_sessions_end").on(session.endsAt),
  ],
);

/** Credentials that an administrator has stored here, for requests to reference. */
export const credentials = sqliteTable(
  "credentials",
  {
    source: text("source").notNull(),
    ref: text("ref").notNull(),
    /** Names of the encrypted fields. */
    fields: text("fields", { mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    changedAt: integer("changed_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    values: sealed("secret").notNull(),
  },
  (credential) => [primaryKey({ columns: [credential.source, credential.ref] })],
);

/** Host keys trusted on first use. */
export const hostKeys = sqliteTable(
  "host_keys",
  {
    host: text("host").notNull(),
    port: integer("port").notNull(),
    type: text("type").notNull(),
    fingerprint: text("fingerprint").notNull(),
    seenAt: integer("seen_at").notNull(),
  },
  (key) => [primaryKey({ columns: [key.host, key.port, key.type] })],
);

/** The last key that a host presented in place of a known one, until it is accepted or the known one is forgotten. */
export const hostKeyOffers = sqliteTable(
  "host_key_offers",
  {
    host: text("host").notNull(),
    port: integer("port").notNull(),
    type: text("type").notNull(),
    fingerprint: text("fingerprint").notNull(),
    seenAt: integer("seen_at").notNull(),
  },
  (key) => [primaryKey({ columns: [key.host, key.port] })],
);

/** What pushes sent and received, without secrets; kept as long as the audit trail, longer than the jobs. */
export const transcripts = sqliteTable(
  "transcripts",
  {
    jobId: text("job_id").primaryKey(),
    at: integer("at").notNull(),
    host: text("host").notNull(),
    /** Id of the API key. */
    caller: text("caller").notNull(),
    content: sealed("content").notNull(),
  },
  (transcript) => [index("transcripts_at").on(transcript.at)],
);

export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    endedAt: integer("ended_at"),
    who: text("who").notNull(),
    from: text("from_address"),
    action: text("action").notNull(),
    host: text("host"),
    jobId: text("job_id"),
    outcome: text("outcome").notNull(),
    detail: text("detail"),
    /** Length, SHA-256 and first line of the request. */
    asked: sealed("asked"),
    /** Of a job. */
    bulkId: text("bulk_id"),
    ticket: text("ticket"),
    device: text("device"),
    submitterKind: text("submitter_kind", { enum: submitterKinds }),
    submitter: text("submitter"),
    /** Of its transcript. */
    sentSha256: text("sent_sha256"),
  },
  (entry) => [index("audit_at").on(entry.at)],
);

export const idempotency = sqliteTable(
  "idempotency",
  {
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** Keyed hash of the body, which may contain a password. */
    body: text("body").notNull(),
    /** The submission that created the row: only that one inserts its jobs. */
    token: text("token").notNull(),
    answer: sealed("answer").notNull(),
    dropT: integer("drop_t").notNull(),
  },
  (answer) => [
    primaryKey({ columns: [answer.caller, answer.key] }),
    index("idempotency_drop").on(answer.dropT),
  ],
);

export const meta = sqliteTable("meta", { key: text("key").primaryKey(), value: text("value").notNull() });
