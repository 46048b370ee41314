/**
 * Jobs held for a start time, for their bulk, or for a release. `due_t` has the reason: a time, 0 for the bulk, null for
 * a release.
 */
import type { HeldJobs, Pacing } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { bulks, jobs } from "../../tables.ts";
import { shareField } from "../jobs/listing.ts";
import { resumeSchedules } from "../schedules/copied-schedules.ts";
import { whoOf } from "../trail/audit.ts";

export const releasedRow = rowShape({
  ...fieldsOf(jobs, "id", "lane", "strategy", "bulkId", "status"),
  ...shareField,
});

const batch = 500;
/** Statements per transaction. */
const bulksAtOnce = 50;

/** How long a job may wait from a wall-clock time on: its ttl, limited by the end of its window. */
export const waitsFrom = (wall: string) =>
  `case when window_end is null then ttl_ms else least(ttl_ms, greatest(0, window_end - ${wall})) end`;
const waitsWhenDue = waitsFrom("coalesce(not_before, :at)");

/** Whether the job's bulk, if any, limits concurrency. */
export const isPaced = `exists (select 1 from bulks b
  where b.id = jobs.bulk_id and (b.concurrency is not null or b.max_failures is not null))`;

/** Whether the job's bulk has reached its failure limit: none of its jobs start any more. */
export const isStopped = `exists (select 1 from bulks b
  where b.id = jobs.bulk_id and b.max_failures is not null and b.stopped_because is not null)`;

/** A job that is overdue by more than its ttl is queued too, and expires there. */
const queueDue = `update jobs set enqueued_at = :at, queued_t = due_t, expires_t = due_t + ${waitsWhenDue},
  status = case when ${isPaced} and due_t + ${waitsWhenDue} > ${steadyNow} then 'held' else 'queued' end,
  due_t = case when ${isPaced} and due_t + ${waitsWhenDue} > ${steadyNow} then 0 end
where seq in (
  select seq from jobs indexed by jobs_due where due_t > 0 and due_t <= ${steadyNow} and +status = 'held'
  order by due_t limit ${batch})
returning ${releasedRow.columns}`;

/** Names all columns of the index but the last, so that rows come in the order of `seq`. */
const heldOf = `bulk_id = :bulk and bulk_id is not null and status = 'held' and error_type is null and ended_at is null`;

/** Without a limit, all of them; of a stopped bulk, none. */
const fillOne = `update jobs set status = 'queued', due_t = null, enqueued_at = :at, queued_t = ${steadyNow},
  expires_t = ${steadyNow} + ${waitsFrom(":at")}
where seq in (
  select seq from jobs indexed by jobs_bulk_state where ${heldOf} and due_t = 0 order by seq
  limit coalesce(
    (select greatest(0, coalesce(concurrency, 1000000) - (
        select count(*) from jobs indexed by jobs_bulk_state
        where bulk_id = :bulk and bulk_id is not null and status in ('queued', 'running')))
      from bulks where id = :bulk and stopped_because is null), 0))
returning ${releasedRow.columns}`;

const failedOf = `(select count(*) from jobs indexed by jobs_bulk_state
    where bulk_id = bulks.id and bulk_id is not null and status = 'failed')`;
const reached = `stopped_because is null and max_failures is not null and ${failedOf} >= max_failures`;
const setStopped = `update bulks set stopped_at = :at,
  stopped_because = 'max_failures: ' || ${failedOf} || ' of its jobs have failed'`;

const idRow = rowShape(fieldsOf(bulks, "id"));
const stoppedRow = rowShape({ ...fieldsOf(bulks, "id"), because: text("because", "stopped_because") });
const nextRow = rowShape({
  inMs: orNull(
    number(
      "in_ms",
      `(select min(due_t) from jobs indexed by jobs_due where due_t > 0 and +status = 'held') - ${steadyNow}`,
    ),
  ),
});

/**
 * Runs with the end of failed jobs: stops bulks that have reached their limit, and holds their queued jobs, at once.
 */
export function stopAfterFailures(jobIds: readonly string[], at: number): Statement[] {
  if (jobIds.length === 0) return [];
  const args = { failed: jobIds };
  const failedBulks = `(select bulk_id from jobs where id in :failed and +status = 'failed')`;
  return [
    { sql: `${setStopped} where id in ${failedBulks} and ${reached}`, args: { ...args, at } },
    {
      sql: `update jobs set status = 'held', due_t = 0 where status = 'queued' and bulk_id is not null
  and bulk_id in (select id from bulks where id in ${failedBulks} and max_failures is not null and stopped_because is not null)`,
      args,
    },
  ];
}

export function createPacing(database: Database): Pacing {
  const { clock } = database;

  return {
    async due() {
      const args = { at: clock.wall() };
      const [moved] = await database.write([{ sql: queueDue, args }]);
      const released = database.readable(releasedRow, moved).rows;
      const bulkIds = released.flatMap(({ status, bulkId }) => (status === "held" && bulkId ? [bulkId] : []));
      return { queued: released.filter(({ status }) => status === "queued"), bulks: [...new Set(bulkIds)] };
    },

    async fill(bulkIds) {
      const queued = [];
      for (let from = 0; from < bulkIds.length; from += bulksAtOnce) {
        const at = clock.wall();
        const statements = bulkIds.slice(from, from + bulksAtOnce).flatMap((bulk): Statement[] => [
          { sql: `${setStopped} where id = :bulk and ${reached}`, args: { bulk, at } },
          { sql: fillOne, args: { bulk, at } },
        ]);
        const results = await database.write(statements);
        const filled = results.filter((_, index) => index % 2 === 1);
        queued.push(...filled.flatMap((rows) => database.readable(releasedRow, rows).rows));
      }
      const stopped = await database.list(stoppedRow, {
        sql: `select ${stoppedRow.columns} from bulks
where id in :ids and max_failures is not null and stopped_because is not null`,
        args: { ids: bulkIds },
      });
      return { queued, stopped };
    },

    async waiting() {
      const rows = await database.list(idRow, {
        sql: `select ${idRow.columns} from bulks where (concurrency is not null or max_failures is not null)
  and exists (select 1 from jobs indexed by jobs_bulk_state
    where bulk_id = bulks.id and bulk_id is not null and status in ('held', 'queued'))`,
        args: {},
      });
      return rows.map(({ id }) => id);
    },

    async nextInMs() {
      const [next] = await database.select(nextRow, {
        sql: `select ${nextRow.columns}`,
        args: {},
      });
      return next?.inMs ?? undefined;
    },

    async isPaced(bulkId) {
      const rows = await database.list(idRow, {
        sql: `select ${idRow.columns} from bulks
where id = :id and (concurrency is not null or max_failures is not null)`,
        args: { id: bulkId },
      });
      return rows.length > 0;
    },
  };
}

/** Of a copied directory, before its start time. */
const isEarly = "due_t is null and not_before > :at";

const isReleased = "+status = 'held' and due_t is distinct from 0 and id in :ids";

/** Runs before the rows change, so that repeating the transaction after a lost response adds no entries. */
const auditRelease = `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome)
select :at, :at, :who, :from, 'job.release', host, id, 'queued' from jobs where ${isReleased}`;

/**
 * A job of a paced bulk then waits for that bulk; a job that already does is not released. A copied job keeps its start
 * time and its window.
 */
const releaseOne = `update jobs set status = case when (${isEarly}) or ${isPaced} then 'held' else 'queued' end,
  due_t = case when ${isEarly} then ${steadyNow} + not_before - :at when ${isPaced} then 0 end,
  enqueued_at = :at, queued_t = ${steadyNow},
  expires_t = ${steadyNow} + case when due_t is null then ${waitsFrom(":at")} else ttl_ms end,
  window_end = case when due_t is null then window_end end
where ${isReleased}
returning ${releasedRow.columns}`;

/** A job with a start time waits for it again. */
const releaseCopied = `update jobs set status = case when not_before > :at or ${isPaced} then 'held' else 'queued' end,
  due_t = case when not_before > :at then ${steadyNow} + not_before - :at when ${isPaced} then 0 end,
  enqueued_at = :at, queued_t = ${steadyNow}, expires_t = ${steadyNow} + ${waitsFrom(":at")}
where status = 'held' and due_t is null`;

/** Released jobs keep their order and wait as if submitted now. */
export function createHeldJobs(database: Database): HeldJobs {
  const { clock } = database;

  return {
    async release(ids, by) {
      const args = { at: clock.wall(), ids };
      const [, released] = await database.write([
        { sql: auditRelease, args: { ...args, who: whoOf(by), from: by.from } },
        { sql: releaseOne, args: { ...args } },
      ]);
      return database.readable(releasedRow, released).rows;
    },

    async releaseAll() {
      const [released] = await database.write(
        [{ sql: releaseCopied, args: { at: clock.wall() } }, resumeSchedules],
        { patienceMs: 60_000 },
      );
      return released?.changes ?? 0;
    },
  };
}
