/** Puts jobs into the store: the row, its audit entry and its webhook in one transaction, once however often it is sent. */

import { yieldToEventLoop } from "../../base/yield.ts";
import type { IdempotentAnswer, IdempotentSubmission, Jobs, NewJob, NewWebhook } from "../port.ts";
import type { Statement } from "./connect.ts";
import { type Database, nowSql } from "./database.ts";
import { createBatcher, rowsOf } from "./gather.ts";
import { idempotencyGuard } from "./idempotency.ts";
import { seals } from "./seals.ts";

/** A caller waits this long, and a millisecond for each job. */
const patienceMs = 2_500;
/** 1,500 parameters a statement; more rows gain nothing. */
const rowsAtOnce = 50;
const stretchMs = 10;

interface Single {
  readonly job: NewJob;
  readonly handed: (() => void) | undefined;
}

/**
 * @returns inserts jobs; what an earlier submission with the same idempotency key was answered, if there was one.
 * `handed` is called when the writer has them: what is written now comes after them, in the same transaction if it can.
 */
export function createInsert(database: Database): Jobs["insert"] {
  const single = createBatcher(async (all: readonly Single[]) => {
    await insertAll(
      all.map(({ job }) => job),
      undefined,
      () => {
        for (const one of all) one.handed?.();
      },
    );
    return all.map(() => true);
  }, rowsAtOnce);

  async function insertAll(
    jobs: readonly NewJob[],
    once: IdempotentSubmission | undefined,
    handed: (() => void) | undefined,
  ) {
    const guard = idempotencyGuard(database, once);
    const statements: Statement[] = [];
    let since = performance.now();
    for (let at = 0; at < jobs.length; at += rowsAtOnce) {
      statements.push(...insertStatements(database, jobs.slice(at, at + rowsAtOnce), guard.condition));
      // Sealing thousands of payloads takes a second.
      if (performance.now() - since < stretchMs) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    const all = [...guard.before, ...statements, ...guard.after];
    const written = database.write(all, { patienceMs: patienceMs + jobs.length });
    handed?.();
    return guard.answer(await written);
  }

  return async (
    jobs: readonly NewJob[],
    once?: IdempotentSubmission,
    handed?: () => void,
  ): Promise<IdempotentAnswer | undefined> => {
    const [only] = jobs;
    if (jobs.length !== 1 || !only || once) return insertAll(jobs, once, handed);
    await single({ job: only, handed });
    return undefined;
  };
}

function insertStatements(database: Database, jobs: readonly NewJob[], condition: Statement): Statement[] {
  const at = database.clock.wall();
  return [
    auditEntries(database, jobs, at, condition),
    jobRows(database, jobs, at, condition),
    ...jobs.flatMap((job) => (job.webhook ? [delivery(database, job, job.webhook)] : [])),
  ];
}

/** They come before the jobs, which take their numbers; not again when the jobs are there. */
function auditEntries(
  { cipher }: Database,
  jobs: readonly NewJob[],
  at: number,
  condition: Statement,
): Statement {
  return {
    sql: `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome, detail, asked)
select * from (values ${rowsOf(jobs.length, 10)}) v where not exists (select 1 from jobs where id = v.column7)${condition.sql}`,
    args: [
      ...jobs.flatMap((job) => [
        at,
        job.failure === undefined ? null : at,
        `${job.caller.name} (${job.caller.keyId})`,
        job.caller.from,
        job.operation === "config" ? "device.config" : "device.query",
        job.host,
        job.id,
        job.failure === undefined ? "accepted" : "failed",
        job.driver,
        job.asked === undefined ? null : cipher.seal(job.asked.audit, seals.auditAsked(job.id)),
      ]),
      ...condition.args,
    ],
  };
}

const columns = [
  "id",
  "ttl_ms",
  "result_ttl_ms",
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
  "retries",
  "warnings",
  "asked",
  "request",
  "hooked",
  "payload",
  "result",
  "ended_at",
  "queue_ms",
  "duration_ms",
] as const;
const names = columns.map((_, at) => `v.column${at + 1}`).join(", ");
/** The entries of these jobs were written just before, in the same order, and are the last ones. */
const auditId = `(select max(id) from audit) - ? + 1 + v.column${columns.length + 1}`;

function jobRows(database: Database, jobs: readonly NewJob[], at: number, condition: Statement): Statement {
  return {
    sql: `insert into jobs (${columns.join(", ")}, audit_id, queued_t, expires_t, keep_t)
select ${names}, ${auditId}, n.t, n.t + v.column2, case when v.column5 = 'failed' then n.t + v.column3 end
from (values ${rowsOf(jobs.length, columns.length + 1)}) v, (select ${nowSql} as t) n
where not exists (select 1 from jobs where id = v.column1)${condition.sql}`,
    args: [
      jobs.length,
      ...jobs.flatMap((job, index) => [...jobCells(database, job, at), index]),
      database.now(),
      ...condition.args,
    ],
  };
}

function jobCells({ cipher }: Database, job: NewJob, at: number): Statement["args"] {
  const failed = job.failure !== undefined;
  const zero = failed ? 0 : null;
  return [
    job.id,
    job.ttlMs,
    job.resultTtlMs,
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
    job.retries,
    job.warnings.length > 0 ? JSON.stringify(job.warnings) : null,
    job.asked === undefined ? null : cipher.seal(job.asked.asked, seals.asked(job.id)),
    job.asked?.request ? cipher.seal(job.asked.request, seals.request(job.id)) : null,
    job.webhook ? 1 : 0,
    failed ? null : cipher.seal(job.payload, seals.payload(job.id)),
    job.failure === undefined ? null : cipher.seal(job.failure, seals.result(job.id)),
    failed ? at : null,
    zero,
    zero,
  ];
}

function delivery(database: Database, job: NewJob, hook: NewWebhook): Statement {
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
