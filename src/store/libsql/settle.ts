/** Ends of jobs: one transaction for the row, its audit entry and its webhook; only the holder of the claim writes. */
import type { Holder, JobEnd, Requeue, Settlements } from "../port.ts";
import type { Statement } from "./connect.ts";
import { type Database, nowSql } from "./database.ts";
import { createBatcher, rowsOf } from "./gather.ts";
import { seals } from "./seals.ts";

interface Ending {
  readonly end: JobEnd;
  readonly holder: Holder;
}

const rowsAtOnce = 50;
const patienceMs = 10_000;

export function createSettle(database: Database): Omit<Settlements, "cancelQueued"> {
  const { cipher, clock } = database;
  const gathered = createBatcher(endAll, rowsAtOnce);

  async function endAll(all: readonly Ending[]): Promise<boolean[]> {
    const at = clock.wall();
    const now = database.now();
    const statements = [
      rows(all, at, now),
      ...auditOf(all, at),
      ...all.flatMap(({ end }) => (end.hasWebhook ? [pendingDelivery(end, now)] : [])),
      ...sendingsOf(all.filter(({ end }) => end.hasIntents).map(({ end }) => end.id)),
    ];
    const [ended] = await database.write(statements, { essential: true, patienceMs });
    const ids = new Set(ended?.rows.map((row) => row[0]));
    return all.map(({ end }) => ids.has(end.id));
  }

  function rows(all: readonly Ending[], at: number, now: number | null): Statement {
    return {
      sql: `update jobs set status = v.column2, duration_ms = v.column3, result = v.column4, ended_at = max(?, coalesce(started_at, created_at)),
queue_ms = coalesce(queue_ms, max(0, ${nowSql} - queued_t)), keep_t = ${nowSql} + result_ttl_ms, payload = null, sent = null, stop = null,
warnings = case when v.column8 is null then warnings when warnings is null then v.column8
  else substr(warnings, 1, length(warnings) - 1) || ',' || substr(v.column8, 2) end
from (values ${rowsOf(all.length, 8)}) v where jobs.id = v.column1 and (
  (v.column5 is null and +jobs.status in ('queued', 'held'))
  or (+jobs.status = 'running' and jobs.node = v.column5 and jobs.generation = v.column6 and jobs.attempt = v.column7)
) returning id`,
      args: [
        at,
        now,
        now,
        ...all.flatMap(({ end, holder }) => [
          end.id,
          end.status,
          Math.max(0, Math.round(end.durationMs)),
          cipher.seal(end.result, seals.result(end.id)),
          ...("fence" in holder
            ? [holder.fence.name, holder.fence.generation, holder.fence.attempt]
            : [null, null, null]),
          end.warnings === undefined || end.warnings.length === 0 ? null : JSON.stringify(end.warnings),
        ]),
      ],
    };
  }

  /** Follow the end of the rows, and do nothing where a row has not ended so. By id only: not through all that ended. */
  function auditOf(all: readonly Ending[], at: number): Statement[] {
    return [...new Set(all.map(({ end }) => end.status))].map((status) => ({
      sql: `update audit set outcome = ?, ended_at = ? where outcome = 'accepted' and id in (
select audit_id from jobs where id in (select value from json_each(?)) and +status = ?)`,
      args: [
        status,
        at,
        JSON.stringify(all.filter(({ end }) => end.status === status).map(({ end }) => end.id)),
        status,
      ],
    }));
  }

  return {
    /**
     * @returns whether this call ended it.
     * @throws ServiceError Unavailable after 10 seconds
     */
    end: (end: JobEnd, holder: Holder): Promise<boolean> => gathered({ end, holder }),

    /**
     * Puts a claimed job back at its old place in the order; not one that somebody asked to stop. What a lost attempt
     * may have sent stays known.
     */
    async requeue({ fence, lostAttempts }: Requeue): Promise<boolean> {
      const [requeued] = await database.write(
        [
          {
            sql: `update jobs set status = 'queued', node = null, generation = null, worker = null, claim = null, started_at = null, queue_ms = null,
sending_at = null, sent = case when ? > 0 then sent end, lost = ?, enqueued_at = ?, queued_t = ${nowSql}
where id = ? and +status = 'running' and node = ? and generation = ? and attempt = ? and stop is null`,
            args: [
              lostAttempts,
              lostAttempts,
              clock.wall(),
              database.now(),
              fence.id,
              fence.name,
              fence.generation,
              fence.attempt,
            ],
          },
          ...sendingsOf([fence.id]),
        ],
        { essential: true, patienceMs },
      );
      return (requeued?.changes ?? 0) > 0;
    },
  };
}

function sendingsOf(ids: readonly string[]): Statement[] {
  if (ids.length === 0) return [];
  return [
    {
      sql: "delete from sendings where job_id in (select value from json_each(?))",
      args: [JSON.stringify(ids)],
    },
  ];
}

/** Makes the webhook of a job that has ended so due. */
export function pendingDelivery(
  { id, status }: Pick<JobEnd, "id" | "status">,
  now: number | null,
): Statement {
  const event = `job.${status}`;
  return {
    sql: `update deliveries set event = ?, next_t = ${nowSql},
state = case when events is null or exists (select 1 from json_each(events) where value = ?) then 'pending' else 'skipped' end,
ended_n = (select coalesce(max(ended_n), 0) + 1 from deliveries)
where job_id = ? and state = 'waiting' and exists (select 1 from jobs where id = ? and +status = ?)`,
    args: [event, now, event, id, id, status],
  };
}
