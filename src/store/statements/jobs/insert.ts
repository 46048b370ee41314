/** Inserts jobs with their audit entries and webhooks in one transaction; idempotent. */
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Insertion, Jobs, NewJob, NewWebhook } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { givenColumns, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, namesOf } from "../../tables/columns.ts";
import {
  audit,
  deliveries,
  jobGiven,
  jobLimits,
  jobParts,
  jobSubmission,
  jobs as jobTable,
} from "../../tables.ts";
import { whoOf } from "../trail/audit.ts";
import { noticeOfBulk } from "../webhooks/webhooks.ts";
import { waitsFrom } from "../work/pacing.ts";
import { insertBulk } from "./bulks.ts";
import { type Condition, insertionGuard } from "./idempotency.ts";

/** 1,500 parameters per statement; more rows are no faster. */
const rowsAtOnce = 50;
const stretchMs = 10;

interface SingleJob {
  readonly job: NewJob;
  readonly onHandedOver: (() => void) | undefined;
}

export function createInsert(database: Database): Jobs["insert"] {
  const insertSingle = database.batcher(async (singles: readonly SingleJob[]) => {
    const handOver = () => {
      for (const { onHandedOver } of singles) onHandedOver?.();
    };
    await insertAll(
      singles.map(({ job }) => job),
      { onHandedOver: handOver },
    );
    return singles.map(() => true);
  }, rowsAtOnce);

  async function insertAll(jobs: readonly NewJob[], insertion: Insertion) {
    const { once, bulk, revision, changeStep: step, onHandedOver } = insertion;
    // Few jobs are encrypted without yielding, so that later calls cannot overtake this one.
    const atOnce = jobs.length <= rowsAtOnce;
    const { changeId: id, changePart: part } = bulk ?? {};
    const change = id && part && step !== undefined ? { id, step, part } : undefined;
    const ids = { firstId: jobs[0]?.id, bulkId: bulk?.id };
    const guard = insertionGuard(database, once, { revision, change }, ids);
    const statements: Statement[] = bulk ? [insertBulk(database, bulk, jobs.length, guard.condition)] : [];
    let since = performance.now();
    for (const group of database.grouped(jobs, rowsAtOnce)) {
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
    const written = database.write(allStatements, { extraMs: jobs.length, repeatable: true });
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
  const entries = jobs.map((job) =>
    entry.row(cipher, {
      at,
      endedAt: job.failure === undefined ? null : at,
      who: whoOf(job.caller),
      from: job.caller.from,
      action: actionOf(job),
      host: job.host,
      jobId: job.id,
      outcome: job.failure === undefined ? "accepted" : "failed",
      detail: job.driver,
      asked: job.asked?.audit,
      bulkId: job.bulkId,
      ticket: job.ticket || null,
      device: job.device,
      submitterKind: job.submitter.kind,
      submitter: job.submitter.name,
    }),
  );
  return {
    sql: condition.sql === "" ? plainAuditSql : auditSql(condition.sql),
    args: { ...entryTable.rows(entries), ...condition.args },
  };
}

const entry = written(audit, ...namesBut(audit, "id", "sentSha256"));
const entryTable = givenColumns("new_entry", entry.types);
const auditSql = (condition: string) => `with ${entryTable.definition}
insert into audit (${entry.columns})
select ${entry.columns} from new_entry
where not exists (select 1 from jobs where id = new_entry.job_id)${condition}`;
const plainAuditSql = auditSql("");

/** A dry run is no push, and must not look like one. */
function actionOf({ operation, dryRun }: NewJob): string {
  if (operation === "query") return "device.query";
  return dryRun === true ? "device.config.dry_run" : "device.config";
}

const newJob = written(jobTable, ...namesOf({ ...jobGiven, ...jobLimits, ...jobSubmission, ...jobParts }));

/** The audit entries of these jobs were inserted just before, in the same order, and have the highest ids. */
function insertJobs(
  database: Database,
  jobs: readonly NewJob[],
  at: number,
  condition: Condition,
): Statement {
  const rows = newJobs.rows(jobs.map((job, position) => jobRow(database, job, at, position)));
  return {
    sql: condition.sql === "" ? plainJobsSql : jobsSql(condition.sql),
    args: { ...rows, ...condition.args, at, count: jobs.length },
  };
}

const newJobs = givenColumns("new_job", { ...newJob.types, delay_ms: "bigint", place: "bigint" });
const jobsSql = (condition: string) => `with ${newJobs.definition}, steady (t) as (select ${steadyNow})
insert into jobs (${newJob.columns}, audit_id, queued_t, expires_t, keep_t, due_t)
select ${newJob.columns}, (select max(id) from audit) - :count + 1 + place, steady.t,
  steady.t + ${waitsFrom(":at")},
  case when status = 'failed' then steady.t + result_ttl_ms end,
  case when status = 'held' then case when delay_ms > 0 then steady.t + delay_ms else 0 end end
from new_job, steady
where not exists (select 1 from jobs where id = new_job.id)${condition}`;
const plainJobsSql = jobsSql("");

function jobRow({ cipher }: Database, job: NewJob, at: number, position: number) {
  const failed = job.failure !== undefined;
  const durationMs = failed ? 0 : null;
  const delayMs = typeof job.notBefore === "number" ? Math.max(1, job.notBefore - at) : 0;
  const isHeld = delayMs > 0 || job.paced === true;
  const values = newJob.row(cipher, {
    ...job,
    label: job.label || null,
    ticket: job.ticket || null,
    dryRun: job.dryRun || null,
    status: failed ? "failed" : isHeld ? "held" : "queued",
    caller: job.caller.keyId,
    submitterKind: job.submitter.kind,
    submitter: job.submitter.name,
    createdAt: at,
    enqueuedAt: at,
    endedAt: failed ? at : null,
    queueMs: durationMs,
    durationMs,
    warnings: job.warnings.length > 0 ? JSON.stringify(job.warnings) : null,
    tags: job.tags && job.tags.length > 0 ? JSON.stringify(job.tags) : null,
    hasWebhook: job.webhook !== undefined,
    errorType: failed ? job.errorType : null,
    payload: failed ? null : job.payload,
    result: job.failure,
    asked: job.asked?.asked,
    request: job.asked?.request || null,
    retryPayload: failed ? null : job.secrets,
  });
  return [...values, delayMs, position];
}

function insertDelivery(database: Database, job: NewJob, webhook: NewWebhook): Statement {
  const failed = job.failure !== undefined;
  const isWanted = webhook.events === undefined || webhook.events.includes("job.failed");
  return {
    sql: `insert into deliveries (${newDelivery.columns}, ended_n, next_t)
select ${newDelivery.parameters},
  ${failed ? "(select coalesce(max(ended_n), 0) + 1 from deliveries)" : "null"}, ${steadyNow}
where exists (select 1 from jobs where id = :job_id) on conflict (job_id) do nothing`,
    args: {
      ...newDelivery.values(database.cipher, {
        jobId: job.id,
        state: failed ? (isWanted ? "pending" : "skipped") : "waiting",
        receiver: webhook.receiver,
        events: webhook.events && JSON.stringify(webhook.events),
        event: failed ? "job.failed" : null,
        hook: webhook.content,
      }),
    },
  };
}

const newDelivery = written(deliveries, "jobId", "state", "receiver", "events", "event", "hook");
