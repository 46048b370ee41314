/** Ends of jobs: one transaction for the row, its audit entry and its webhook; only the holder of the claim writes. */
import type { JobStatus } from "../model/job.ts";
import type { Fence } from "./claims.ts";
import type { Statement } from "./connect.ts";
import { type Database, nowSql } from "./database.ts";
import { seals } from "./seals.ts";

export interface End {
  readonly id: string;
  readonly status: Extract<JobStatus, "finished" | "failed" | "cancelled">;
  /** JSON text of the result. */
  readonly result: string;
  readonly durationMs: number;
  readonly hooked: boolean;
  /** Whether rows of further sendings may exist. */
  readonly sendings: boolean;
}

/** Which state the row must be in: still this claim's, or still queued. */
export type Holder = { readonly fence: Fence } | { readonly queued: true };

export interface Requeue {
  readonly fence: Fence;
  readonly lost: number;
}

const keepSql = `${nowSql} + result_ttl_ms`;

export function createSettle(database: Database) {
  const { cipher, clock } = database;

  /** @returns whether the job was ended by this call (or by an earlier one of the same claim whose answer was lost). */
  async function end(one: End, holder: Holder, patienceMs?: number): Promise<boolean> {
    const results = await database.write(endStatements(one, holder), options(patienceMs));
    return (results[0]?.changes ?? 0) > 0;
  }

  function options(patienceMs: number | undefined) {
    return patienceMs === undefined ? { essential: true } : { essential: true, patienceMs };
  }

  function endStatements(one: End, holder: Holder): Statement[] {
    const now = database.now();
    const at = clock.wall();
    const held = heldBy(holder);
    const row: Statement = {
      sql: `update jobs set status = ?, ended_at = max(?, coalesce(started_at, created_at)), duration_ms = ?, queue_ms = coalesce(queue_ms, max(0, ${nowSql} - queued_t)),
result = ?, payload = null, sent = null, stop = null, keep_t = ${keepSql} where id = ? and ${held.sql}`,
      args: [
        one.status,
        at,
        Math.max(0, Math.round(one.durationMs)),
        now,
        cipher.seal(one.result, seals.result(one.id)),
        now,
        one.id,
        ...held.args,
      ],
    };
    return [row, ...endings(one, at, now)];
  }

  /** What follows the end of the row, and does nothing when the row has not ended. */
  function endings(one: End, at: number, now: number | null): Statement[] {
    const statements: Statement[] = [
      {
        sql: `update audit set outcome = ?, ended_at = ? where id = (select audit_id from jobs where id = ? and status = ?) and outcome = 'accepted'`,
        args: [one.status, at, one.id, one.status],
      },
    ];
    if (one.hooked) statements.push(pending(one, now));
    if (one.sendings) statements.push({ sql: "delete from sendings where job_id = ?", args: [one.id] });
    return statements;
  }

  function pending(one: End, now: number | null): Statement {
    const event = `job.${one.status}`;
    return {
      sql: `update deliveries set event = ?, next_t = ${nowSql},
state = case when events is null or exists (select 1 from json_each(events) where value = ?) then 'pending' else 'skipped' end,
ended_n = (select coalesce(max(ended_n), 0) + 1 from deliveries)
where job_id = ? and state = 'waiting' and exists (select 1 from jobs where id = ? and status = ?)`,
      args: [event, now, event, one.id, one.id, one.status],
    };
  }

  /** Puts a claimed job back at its old place in the order. */
  async function requeue(one: Requeue, patienceMs?: number): Promise<boolean> {
    const held = heldBy({ fence: one.fence });
    const [rows] = await database.write(
      [
        {
          sql: `update jobs set status = 'queued', node = null, generation = null, worker = null, claim = null, started_at = null, queue_ms = null,
sending_at = null, sent = null, lost = ?, enqueued_at = ?, queued_t = ${nowSql} where id = ? and ${held.sql}`,
          args: [one.lost, clock.wall(), database.now(), one.fence.id, ...held.args],
        },
        { sql: "delete from sendings where job_id = ?", args: [one.fence.id] },
      ],
      options(patienceMs),
    );
    return (rows?.changes ?? 0) > 0;
  }

  return { end, requeue, endStatements };
}

function heldBy(holder: Holder): Statement {
  if ("queued" in holder) return { sql: "status = 'queued'", args: [] };
  const { name, generation, attempt } = holder.fence;
  return {
    sql: "status = 'running' and node = ? and generation = ? and attempt = ?",
    args: [name, generation, attempt],
  };
}
