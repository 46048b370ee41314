/** Inserts jobs with their audit entries and webhooks in one transaction; idempotent. */
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { Insertion, Jobs, NewJob, NewWebhook } from "../port.ts";
import { insertBulk, tagsJson } from "./bulks.ts";
import { createBatcher } from "./database/batcher.ts";
import { type Database, steadyNow } from "./database/database.ts";
import { inGroups } from "./database/groups.ts";
import { seals } from "./database/seals.ts";
import { givenColumns, type Statement, type Value } from "./database/statement.ts";
import { type Condition, insertionGuard } from "./insertion-guard.ts";
import { waitsFrom } from "./pacing.ts";
import { noticeOfBulk } from "./webhooks.ts";

/** 1,500 parameters per statement; more rows are no faster. */
const rowsAtOnce = 50;
const stretchMs = 10;

interface SingleJob {
  readonly job: NewJob;
  readonly onHandedOver: (() => void) | undefined;
}

export function createInsert(database: Database): Jobs["insert"] {
  const insertSingle = createBatcher(async (singles: readonly SingleJob[]) => {
    const handOver = () => {
      for (const { onHandedOver } of singles) onHandedOver?.();
    };
    await insertAll(
      singles.map(({ job }) => job),
      { onHandedOver: handOver },
    );
    return singles.map(() => true);
  }, rowsAtOnce);

  async function insertAll(jobs: readonly NewJob[], { once, bulk, revision, onHandedOver }: Insertion) {
    // Few jobs are encrypted without yielding, so that later calls cannot overtake this one.
    const atOnce = jobs.length <= rowsAtOnce;
    const guard = insertionGuard(database, once, revision, jobs[0]?.id);
    const statements: Statement[] = bulk ? [insertBulk(database, bulk, jobs.length, guard.condition)] : [];
    let since = performance.now();
    for (const group of inGroups(jobs, rowsAtOnce)) {
      statements.push(...insertStatements(database, group, guard.condition));
      // Encrypting thousands of payloads takes a second.
      if (atOnce || performance.now() - since < stretchMs) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    // No job of it will end later.
    if (bulk && jobs.every(({ failure }) => failure !== undefined))
      statements.push(noticeOfBulk(database, bulk.id, guard.condition));
    const allStatements = [...guard.before, ...statements, ...guard.after];
    // The caller of a bulk waits one millisecond longer per job.
    const written = database.write(allStatements, { extraMs: jobs.length });
    onHandedOver?.();
    return guard.answer(await written);
  }

  return async (jobs, insertion = {}) => {
    const [job] = jobs;
    const { once, bulk, revision, onHandedOver } = insertion;
    const isPlain = !once && !bulk && revision === undefined;
    if (jobs.length !== 1 || job === undefined || !isPlain) return insertAll(jobs, insertion);
    await insertSingle({ job, onHandedOver });
    return undefined;
  };
}

function insertStatements(database: Database, jobs: readonly NewJob[], condition: Condition): Statement[] {
  const at = database.clock.wall();
  return [
    insertAudit(database, jobs, at, condition),
    insertJobs(database, jobs, at, condition),
    ...jobs.flatMap((job) => (job.webhook ? [insertDelivery(database, job, job.webhook)] : [])),
  ];
}

/** Inserted before the jobs, which refer to their ids; not inserted again if the jobs exist. */
function insertAudit(
  { cipher }: Database,
  jobs: readonly NewJob[],
  at: number,
  condition: Condition,
): Statement {
  const entries = jobs.map((job) => ({
    at,
    ended_at: job.failure === undefined ? null : at,
    who: `${job.caller.name} (${job.caller.keyId})`,
    from_address: job.caller.from,
    action: actionOf(job),
    host: job.host,
    job_id: job.id,
    outcome: job.failure === undefined ? "accepted" : "failed",
    detail: job.driver,
    asked: job.asked === undefined ? null : cipher.seal(job.asked.audit, seals.auditAsked(job.id)),
    bulk_id: job.bulkId,
    ticket: job.ticket || null,
    device: job.device ?? null,
    submitter_kind: job.submitter.kind,
    submitter: job.submitter.name,
  }));
  return {
    sql: condition.sql === "" ? plainAuditSql : auditSql(condition.sql),
    args: { ...entryTable.args(entries), ...condition.args },
  };
}

const entryColumns = [
  ...(["at", "ended_at", "who", "from_address", "action", "host", "job_id", "outcome", "detail"] as const),
  ...(["asked", "bulk_id", "ticket", "device", "submitter_kind", "submitter"] as const),
] as const;
const entryTable = givenColumns("new_entry", entryColumns);
const auditSql = (condition: string) => `with ${entryTable.definition}
insert into audit (${entryColumns.join(", ")})
select ${entryColumns.join(", ")} from new_entry
where not exists (select 1 from jobs where id = new_entry.job_id)${condition}`;
const plainAuditSql = auditSql("");

/** A dry run is no push, and must not look like one. */
function actionOf({ operation, dryRun }: NewJob): string {
  if (operation === "query") return "device.query";
  return dryRun === true ? "device.config.dry_run" : "device.config";
}

const jobColumns = [
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
  "device",
  "operation",
  "dry_run",
  "caller",
  "submitter_kind",
  "submitter",
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
  "label",
  "ticket",
  "tags",
  "error_type",
  "retry_of",
  "not_before",
  "window_end",
  "kept",
  "retry_payload",
] as const;
const columnList = jobColumns.join(", ");

/** The audit entries of these jobs were inserted just before, in the same order, and have the highest ids. */
function insertJobs(
  database: Database,
  jobs: readonly NewJob[],
  at: number,
  condition: Condition,
): Statement {
  const rows = jobTable.args(jobs.map((job, position) => jobRow(database, job, at, position)));
  return {
    sql: condition.sql === "" ? plainJobsSql : jobsSql(condition.sql),
    args: { ...rows, ...condition.args, now: database.now(), at, count: jobs.length },
  };
}

const jobTable = givenColumns("new_job", [...jobColumns, "delay_ms", "position"]);
const jobsSql = (condition: string) => `with ${jobTable.definition}, steady (t) as (select ${steadyNow})
insert into jobs (${columnList}, audit_id, queued_t, expires_t, keep_t, due_t)
select ${columnList}, (select max(id) from audit) - :count + 1 + position, steady.t, steady.t + ${waitsFrom(":at")},
  case when status = 'failed' then steady.t + result_ttl_ms end,
  case when status = 'held' then case when delay_ms > 0 then steady.t + delay_ms else 0 end end
from new_job, steady
where not exists (select 1 from jobs where id = new_job.id)${condition}`;
const plainJobsSql = jobsSql("");

type JobRow = Record<(typeof jobColumns)[number] | "position" | "delay_ms", Value>;

function jobRow({ cipher }: Database, job: NewJob, at: number, position: number): JobRow {
  const failed = job.failure !== undefined;
  const durationMs = failed ? 0 : null;
  const delayMs = job.notBefore === undefined ? 0 : Math.max(1, job.notBefore - at);
  const isHeld = delayMs > 0 || job.paced === true;
  return {
    id: job.id,
    ttl_ms: job.ttlMs,
    result_ttl_ms: job.resultTtlMs,
    bulk_id: job.bulkId,
    status: failed ? "failed" : isHeld ? "held" : "queued",
    strategy: job.strategy,
    queue: job.queue,
    lane: job.lane,
    host: job.host,
    host_key: job.hostKey,
    driver: job.driver,
    device_type: job.deviceType,
    device: job.device ?? null,
    operation: job.operation,
    dry_run: job.dryRun === true ? 1 : null,
    caller: job.caller.keyId,
    submitter_kind: job.submitter.kind,
    submitter: job.submitter.name,
    created_at: at,
    enqueued_at: at,
    retries: job.retries,
    warnings: job.warnings.length > 0 ? JSON.stringify(job.warnings) : null,
    asked: job.asked === undefined ? null : cipher.seal(job.asked.asked, seals.asked(job.id)),
    request: job.asked?.request ? cipher.seal(job.asked.request, seals.request(job.id)) : null,
    hooked: job.webhook ? 1 : 0,
    payload: failed ? null : cipher.seal(job.payload, seals.payload(job.id)),
    result: job.failure === undefined ? null : cipher.seal(job.failure, seals.result(job.id)),
    ended_at: failed ? at : null,
    queue_ms: durationMs,
    duration_ms: durationMs,
    label: job.label || null,
    ticket: job.ticket || null,
    tags: tagsJson(job.tags),
    error_type: failed ? (job.errorType ?? null) : null,
    retry_of: job.retryOf ?? null,
    not_before: job.notBefore ?? null,
    window_end: job.windowEnd ?? null,
    kept: job.kept === undefined ? null : cipher.seal(job.kept, seals.kept(job.id)),
    retry_payload:
      failed || job.secrets === undefined ? null : cipher.seal(job.secrets, seals.retryPayload(job.id)),
    delay_ms: delayMs,
    position,
  };
}

function insertDelivery(database: Database, job: NewJob, webhook: NewWebhook): Statement {
  const failed = job.failure !== undefined;
  const isWanted = webhook.events === undefined || webhook.events.includes("job.failed");
  return {
    sql: `insert into deliveries (job_id, state, receiver, events, event, hook, ended_n, next_t)
select :job_id, :state, :receiver, :events, :event, :hook,
  ${failed ? "(select coalesce(max(ended_n), 0) + 1 from deliveries)" : "null"}, ${steadyNow}
where exists (select 1 from jobs where id = :job_id) on conflict (job_id) do nothing`,
    args: {
      job_id: job.id,
      state: failed ? (isWanted ? "pending" : "skipped") : "waiting",
      receiver: webhook.receiver,
      events: webhook.events ? JSON.stringify(webhook.events) : null,
      event: failed ? "job.failed" : null,
      hook: database.cipher.seal(webhook.content, seals.hook(job.id)),
      now: database.now(),
    },
  };
}
