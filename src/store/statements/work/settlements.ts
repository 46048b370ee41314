/**
 * Ends of jobs: one transaction for the row, its audit entry and its webhook; only the holder of the claim may write.
 */
import type { MakeId } from "../../id.ts";
import type { Holder, JobEnd, Settlements } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, outOfIndexes, steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { givenColumns, givenMany, type Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs } from "../../tables.ts";
import { askAfterPush } from "../history/due.ts";
import { type EndedTake, storeTakes } from "../history/takes.ts";
import { shareField } from "../jobs/listing.ts";
import { type EndedWork, endPatienceMs, lostWork, workEntries } from "../ledger/entries.ts";
import { whoOf } from "../trail/audit.ts";
import { insertTranscript } from "../trail/transcripts.ts";
import { deliveryDue } from "../webhooks/deliveries.ts";
import { isStopped, stopAfterFailures } from "./pacing.ts";

interface Ending {
  readonly end: JobEnd;
  readonly holder: Holder;
}

const rowsAtOnce = 50;
/** Jobs are found by their ids. */
const jobStatus = outOfIndexes("jobs.status");
const idRow = rowShape(fieldsOf(jobs, "id"));

export function createSettlements(database: Database, makeId: MakeId): Settlements {
  const { clock } = database;
  const endBatched = database.batcher(endAll, rowsAtOnce);

  async function endAll(endings: readonly Ending[]): Promise<boolean[]> {
    const at = clock.wall();
    const ends = endings.map(({ end }) => end);
    const work = [...worksOf(ends), ...(await lostWork(database, waitingOf(endings)))];
    const entries = await workEntries(database, work, at);
    const statements = [
      endJobs(database, endings, at),
      ...endAudit(ends, at),
      ...ends.flatMap((end) => insertTranscript(database, end, at)),
      ...entries,
      ...storeTakes(database, takesOf(endings, makeId), at),
      ...askForTakes(ends),
      ...stopAfterFailures(
        ends.filter(({ status }) => status === "failed").map(({ id }) => id),
        at,
      ),
      ...ends.flatMap((end) => (end.hasWebhook ? [deliveryDue(end)] : [])),
      ...deleteIntents(ends.filter(({ hasIntents }) => hasIntents).map(({ id }) => id)),
    ];
    const options = { essential: true, patienceMs: endPatienceMs, repeatable: true };
    const [rows] = await database.write(statements, options);
    const ended = new Set(database.readable(idRow, rows).rows.map(({ id }) => id));
    return ends.map(({ id }) => ended.has(id));
  }

  return {
    end: (end, holder) => endBatched({ end, holder }),

    async requeue({ fence, lostAttempts }) {
      const [requeued] = await database.write(
        [
          {
            sql: `update jobs set status = case when ${isStopped} then 'held' else 'queued' end,
  due_t = case when ${isStopped} then 0 end, node = null, generation = null, worker = null, claim = null,
  started_at = null, queue_ms = null, sending_at = null, sent = case when :lost > 0 then sent end, lost = :lost,
  enqueued_at = :at, queued_t = ${steadyNow}
where id = :id and +status = 'running' and node = :node and generation = :generation and attempt = :attempt
  and stop is null`,
            args: {
              id: fence.id,
              node: fence.name,
              generation: fence.generation,
              attempt: fence.attempt,
              lost: lostAttempts,
              at: clock.wall(),
            },
          },
          ...deleteIntents([fence.id]),
        ],
        { essential: true, patienceMs: endPatienceMs },
      );
      return (requeued?.changes ?? 0) > 0;
    },

    cancelQueued: createCancelQueued(database, makeId),
  };
}

function worksOf(ends: readonly JobEnd[]): EndedWork[] {
  return ends.flatMap(({ work, ...end }) => (work === undefined ? [] : [{ ...end, work }]));
}

function waitingOf(endings: readonly Ending[]): JobEnd[] {
  return endings.flatMap(({ end, holder }) => ("queued" in holder ? [end] : []));
}

function takesOf(endings: readonly Ending[], makeId: MakeId): EndedTake[] {
  return endings.flatMap(({ end: { taken }, holder }) =>
    taken === undefined || !("fence" in holder)
      ? []
      : [{ fence: holder.fence, taken, textIds: taken.versions.map(() => makeId()) }],
  );
}

/** All pushes wait equally long. */
function askForTakes(ends: readonly JobEnd[]): Statement[] {
  const pushes = ends.filter(({ takeInMs }) => takeInMs !== undefined);
  return askAfterPush(
    pushes.map(({ id }) => id),
    pushes[0]?.takeInMs ?? 0,
  );
}

function endJobs(database: Database, endings: readonly Ending[], at: number): Statement {
  const rows = endTable.args(
    endings.map(({ end, holder }) => {
      const fence = "fence" in holder ? holder.fence : undefined;
      return {
        id: end.id,
        status: end.status,
        error_type: end.status === "failed" ? (end.errorType ?? null) : null,
        duration_ms: Math.max(0, Math.round(end.durationMs)),
        result: database.cipher.seal(end.result, placeOf(jobs.result, end.id)),
        node: fence?.name ?? null,
        generation: fence?.generation ?? null,
        attempt: fence?.attempt ?? null,
        warnings:
          end.warnings === undefined || end.warnings.length === 0 ? null : JSON.stringify(end.warnings),
      };
    }),
  );
  return { sql: endSql, args: { ...rows, at } };
}

/**
 * On PostgreSQL a transaction whose answer was lost is sent again: jobs that it had ended then have its result, sealed as
 * it is only once.
 */
const endedAgain = `jobs.id)
select id from ended
union all select jobs.id from ending join jobs on jobs.id = ending.id
where ${jobStatus} = ending.status and jobs.result = ending.result`;
const endTable = givenColumns("ending", {
  id: "text",
  status: "text",
  error_type: "text",
  duration_ms: "bigint",
  result: "bytea",
  node: "text",
  generation: "bigint",
  attempt: "bigint",
  warnings: "text",
});
const endSql = `with ${endTable.definition}${either("", ", ended as (")}
update jobs set status = ending.status, error_type = ending.error_type, duration_ms = ending.duration_ms,
  result = ending.result,
  ended_at = greatest(:at, coalesce(started_at, created_at)),
  queue_ms = coalesce(queue_ms, greatest(0, ${steadyNow} - queued_t)), keep_t = ${steadyNow} + result_ttl_ms,
  payload = null, sent = null, stop = null, due_t = null,
  retry_payload = case when ending.status <> 'finished' then retry_payload end,
  warnings = case
    when ending.warnings is null then jobs.warnings
    when jobs.warnings is null then ending.warnings
    else substr(jobs.warnings, 1, length(jobs.warnings) - 1) || ',' || substr(ending.warnings, 2) end
from ending
where jobs.id = ending.id and (
  (ending.node is null and ${jobStatus} in ('queued', 'held'))
  or (${jobStatus} = 'running' and jobs.node = ending.node and jobs.generation = ending.generation
    and jobs.attempt = ending.attempt))
returning ${either(idRow.columns, endedAgain)}`;

/**
 * These run after the rows were ended, and do nothing for rows that were not. Found by id only, without scanning ended
 * jobs.
 */
export function endAudit(ends: readonly Pick<JobEnd, "id" | "status">[], at: number): Statement[] {
  return [...new Set(ends.map(({ status }) => status))].map((status) => ({
    sql: `update audit set outcome = :status, ended_at = :at where outcome = 'accepted' and id ${either("in (", "= any(array(")}
  select audit_id from jobs where id in :ids and ${jobStatus} = :status)${either("", ")")}`,
    args: {
      status,
      at,
      ids: ends.filter((end) => end.status === status).map(({ id }) => id),
    },
  }));
}

export function deleteIntents(jobIds: readonly string[]): Statement[] {
  if (jobIds.length === 0) return [];
  return [
    {
      sql: "delete from sendings where job_id in :ids",
      args: { ids: jobIds },
    },
  ];
}

const queuedIds = `select id from jobs
  where id in :ids and ${jobStatus} in ('queued', 'held')`;

const endCancelled = `update audit set outcome = 'cancelled', ended_at = :at
where outcome = 'accepted' and id in (select audit_id from jobs where id in (${queuedIds}))`;

const addAudit = `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome)
select :at, :at, :who, :from, 'job.cancel', host, id, 'cancelled' from jobs where id in (${queuedIds})`;

const cancelledTable = givenMany("cancelled", { id: "text", result: "bytea" });
const cancelJobs = `with ${cancelledTable.definition}
update jobs set status = 'cancelled', duration_ms = 0, result = cancelled.result,
  claim = :claim, ended_at = greatest(:at, created_at), queue_ms = coalesce(queue_ms, greatest(0, ${steadyNow} - queued_t)),
  keep_t = ${steadyNow} + result_ttl_ms, payload = null, sent = null, stop = null, due_t = null
from cancelled
where jobs.id = cancelled.id and ${jobStatus} in ('queued', 'held')`;

const cancelledRow = rowShape({ ...fieldsOf(jobs, "id"), ...shareField });
const selectCancelled = `select ${cancelledRow.columns} from jobs
where id in :ids and ${jobStatus} = 'cancelled' and claim = :claim`;

/** Up to 1,000 jobs in one transaction of a few statements, with their audit entries and webhooks. */
function createCancelQueued(database: Database, makeId: MakeId): Settlements["cancelQueued"] {
  const { cipher, clock } = database;

  return async (queued, result, by) => {
    if (queued.length === 0) return [];
    const at = clock.wall();
    const claim = `cancel.${makeId()}`;
    const ids = queued.map((job) => job.id);
    const status = "cancelled" as const;
    const lost = await lostWork(
      database,
      queued.map(({ id }) => ({ id, status, result })),
    );
    const entries = await workEntries(database, lost, at);
    const sealed = queued.map(({ id }) => [id, cipher.seal(result, placeOf(jobs.result, id))]);
    const written = await database.write(
      [
        // Runs before the rows change, so that repeating the transaction after a lost response adds no entries.
        { sql: endCancelled, args: { at, ids } },
        { sql: addAudit, args: { at, ids, who: whoOf(by), from: by.from } },
        { sql: cancelJobs, args: { at, claim, ...cancelledTable.rows(sealed) } },
        ...entries,
        ...queued.filter((job) => job.hasWebhook).map(({ id }) => deliveryDue({ id, status: "cancelled" })),
        { sql: selectCancelled, args: { ids, claim } },
      ],
      { essential: true, patienceMs: endPatienceMs },
    );
    return database.readable(cancelledRow, written.at(-1)).rows;
  };
}
