/** Cancels a thousand queued jobs in one transaction of a few statements, each with its audit entries and its webhook. */

import type { Actor, QueuedJobRef, Settlements } from "../port.ts";
import { whoOf } from "./audit.ts";
import type { Statement } from "./connect.ts";
import { asText, type Database, nowSql } from "./database.ts";
import type { MakeId } from "./id.ts";
import { seals } from "./seals.ts";
import { pendingDelivery } from "./settle.ts";

/** A server takes its time for a thousand rows. */
const patienceMs = 10_000;

/** @param result JSON text that each of them ends with. @returns the ids of those that were still queued. */
export function createCancelQueued(database: Database, makeId: MakeId): Settlements["cancelQueued"] {
  const { cipher, clock } = database;

  return async (jobs: readonly QueuedJobRef[], result: string, by: Actor): Promise<string[]> => {
    if (jobs.length === 0) return [];
    const at = clock.wall();
    const now = database.now();
    const claim = `cancel.${makeId()}`;
    const ids = JSON.stringify(jobs.map((job) => job.id));
    const sealed = JSON.stringify(
      jobs.map(({ id }) => [id, Buffer.from(cipher.seal(result, seals.result(id))).toString("hex")]),
    );
    const queued =
      "select id from jobs where id in (select value from json_each(?)) and +status in ('queued', 'held')";
    const statements: Statement[] = [
      // Before the rows change, so that what is sent again after a lost answer adds nothing.
      {
        sql: `update audit set outcome = 'cancelled', ended_at = ? where outcome = 'accepted'
and id in (select audit_id from jobs where id in (${queued}))`,
        args: [at, ids],
      },
      {
        sql: `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome)
select ?, ?, ?, ?, 'job.cancel', host, id, 'cancelled' from jobs where id in (${queued})`,
        args: [at, at, whoOf(by), by.from, ids],
      },
      {
        sql: `update jobs set status = 'cancelled', duration_ms = 0, result = unhex(v.value ->> 1), claim = ?,
ended_at = max(?, created_at), queue_ms = coalesce(queue_ms, max(0, ${nowSql} - queued_t)), keep_t = ${nowSql} + result_ttl_ms,
payload = null, sent = null, stop = null
from json_each(?) v where jobs.id = v.value ->> 0 and +jobs.status in ('queued', 'held')`,
        args: [claim, at, now, now, sealed],
      },
      ...jobs
        .filter((job) => job.hasWebhook)
        .map(({ id }) => pendingDelivery({ id, status: "cancelled" }, now)),
      {
        sql: "select id from jobs where id in (select value from json_each(?)) and +status = 'cancelled' and claim = ?",
        args: [ids, claim],
      },
    ];
    const results = await database.write(statements, { essential: true, patienceMs });
    return (results.at(-1)?.rows ?? []).map(([id]) => asText(id));
  };
}
