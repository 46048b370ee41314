/** Puts jobs into the store: the row, its audit entry and its webhook in one transaction, once however often it is sent. */
import type { OperationKind, QueueStrategy } from "../model/job.ts";
import type { Statement } from "./connect.ts";
import { type Database, nowSql } from "./database.ts";
import { type IdempotentAnswer, type IdempotentSubmission, idempotencyGuard } from "./idempotency.ts";
import { seals } from "./seals.ts";

export interface NewJob {
  readonly id: string;
  readonly bulkId: string | null;
  readonly strategy: QueueStrategy;
  readonly queue: string;
  readonly lane: string;
  readonly host: string;
  readonly hostKey: string;
  readonly driver: string;
  readonly deviceType: string | null;
  readonly operation: OperationKind;
  readonly caller: { readonly keyId: string; readonly name: string; readonly from: string | null };
  readonly ttlMs: number;
  readonly resultTtlMs: number;
  /** How often it may be started again after a worker was lost while it was sending. */
  readonly retries: number;
  readonly warnings: readonly string[];
  /** JSON text, sealed here. */
  readonly payload: string;
  readonly hook?: NewHook | undefined;
  /** JSON text of a result: the job has failed before it was queued. */
  readonly failure?: string | undefined;
}

export interface NewHook {
  /** Hash that tells receivers apart. */
  readonly receiver: string;
  /** Events it wants; absent: all. */
  readonly events?: readonly string[] | undefined;
  /** JSON text, sealed here: options and what the message tells of the request. */
  readonly content: string;
}

/** @returns inserts jobs; what an earlier submission with the same idempotency key was answered, if there was one. */
export function createInsert(database: Database) {
  return async (
    jobs: readonly NewJob[],
    once?: IdempotentSubmission,
  ): Promise<IdempotentAnswer | undefined> => {
    const guard = idempotencyGuard(database, once);
    const at = database.clock.wall();
    const statements = jobs.flatMap((job) => [
      auditEntry(job, at, guard.condition),
      jobRow(database, job, at, guard.condition),
      ...(job.hook ? [delivery(database, job, job.hook)] : []),
    ]);
    return guard.answer(await database.write([...guard.before, ...statements, ...guard.after]));
  };
}

/** Comes before the job, which takes its number; not again when the job is there. */
function auditEntry(job: NewJob, at: number, condition: Statement): Statement {
  const failed = job.failure !== undefined;
  return {
    sql: `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome, detail)
select ?, ?, ?, ?, ?, ?, ?, ?, ? where not exists (select 1 from jobs where id = ?)${condition.sql}`,
    args: [
      at,
      failed ? at : null,
      `${job.caller.name} (${job.caller.keyId})`,
      job.caller.from,
      job.operation === "config" ? "device.config" : "device.query",
      job.host,
      job.id,
      failed ? "failed" : "accepted",
      job.driver,
      job.id,
      ...condition.args,
    ],
  };
}

const columns = [
  "id",
  "bulk_id",
  "status",
  "strategy",
  "queue",
  "lane",
  "host",
  "host_key",
  "driver",
  "device_type",
  "operation",
  "caller",
  "created_at",
  "enqueued_at",
  "ttl_ms",
  "result_ttl_ms",
  "retries",
  "warnings",
  "hooked",
  "payload",
  "result",
  "ended_at",
  "queue_ms",
  "duration_ms",
] as const;
const insertSql = `insert into jobs (${columns.join(", ")}, audit_id, queued_t, expires_t, keep_t)
select ${columns.map(() => "?").join(", ")}, last_insert_rowid(), n.t, n.t + ?, case when ? then n.t + ? end
from (select ${nowSql} as t) n where not exists (select 1 from jobs where id = ?)`;

function jobRow(database: Database, job: NewJob, at: number, condition: Statement): Statement {
  const { cipher } = database;
  const failed = job.failure !== undefined;
  const zero = failed ? 0 : null;
  return {
    sql: insertSql + condition.sql,
    args: [
      job.id,
      job.bulkId,
      failed ? "failed" : "queued",
      job.strategy,
      job.queue,
      job.lane,
      job.host,
      job.hostKey,
      job.driver,
      job.deviceType,
      job.operation,
      job.caller.keyId,
      at,
      at,
      job.ttlMs,
      job.resultTtlMs,
      job.retries,
      job.warnings.length > 0 ? JSON.stringify(job.warnings) : null,
      job.hook ? 1 : 0,
      failed ? null : cipher.seal(job.payload, seals.payload(job.id)),
      job.failure === undefined ? null : cipher.seal(job.failure, seals.result(job.id)),
      failed ? at : null,
      zero,
      zero,
      job.ttlMs,
      failed ? 1 : 0,
      job.resultTtlMs,
      database.now(),
      job.id,
      ...condition.args,
    ],
  };
}

function delivery(database: Database, job: NewJob, hook: NewHook): Statement {
  const failed = job.failure !== undefined;
  const wanted = hook.events === undefined || hook.events.includes("job.failed");
  return {
    sql: `insert into deliveries (job_id, state, receiver, events, event, hook, ended_n, next_t)
select ?, ?, ?, ?, ?, ?, ${failed ? "(select coalesce(max(ended_n), 0) + 1 from deliveries)" : "null"}, ${nowSql}
where exists (select 1 from jobs where id = ?) on conflict (job_id) do nothing`,
    args: [
      job.id,
      failed ? (wanted ? "pending" : "skipped") : "waiting",
      hook.receiver,
      hook.events ? JSON.stringify(hook.events) : null,
      failed ? "job.failed" : null,
      database.cipher.seal(hook.content, seals.hook(job.id)),
      database.now(),
      job.id,
    ],
  };
}
