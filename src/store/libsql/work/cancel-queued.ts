/** Cancels up to 1,000 queued jobs in one transaction of a few statements, with their audit entries and webhooks. */

import type { MakeId } from "../../id.ts";
import type { Settlements } from "../../port.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs as jobTable } from "../../tables.ts";
import { type Database, steadyNow } from "../database/database.ts";
import { fieldsOf, rowShape } from "../database/rows/rows.ts";
import { whoOf } from "../trail/audit.ts";
import { deliveryDue } from "../webhooks/delivery-due.ts";

/** A libSQL server needs longer for 1,000 rows. */
const patienceMs = 10_000;
const idRow = rowShape(fieldsOf(jobTable, "id"));

const queuedIds = `select id from jobs
  where id in (select value from json_each(:ids)) and +status in ('queued', 'held')`;

const endAudit = `update audit set outcome = 'cancelled', ended_at = :at
where outcome = 'accepted' and id in (select audit_id from jobs where id in (${queuedIds}))`;

const addAudit = `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome)
select :at, :at, :who, :from, 'job.cancel', host, id, 'cancelled' from jobs where id in (${queuedIds})`;

/** `results`: a JSON array of id and encrypted result in hex. */
const cancelJobs = `update jobs set status = 'cancelled', duration_ms = 0, result = unhex(cancelled.value ->> 1),
  claim = :claim, ended_at = max(:at, created_at), queue_ms = coalesce(queue_ms, max(0, ${steadyNow} - queued_t)),
  keep_t = ${steadyNow} + result_ttl_ms, payload = null, sent = null, stop = null, due_t = null
from json_each(:results) cancelled
where jobs.id = cancelled.value ->> 0 and +jobs.status in ('queued', 'held')`;

const selectCancelled = `select ${idRow.columns} from jobs
where id in (select value from json_each(:ids)) and +status = 'cancelled' and claim = :claim`;

export function createCancelQueued(database: Database, makeId: MakeId): Settlements["cancelQueued"] {
  const { cipher, clock } = database;

  return async (jobs, result, by) => {
    if (jobs.length === 0) return [];
    const at = clock.wall();
    const now = database.now();
    const claim = `cancel.${makeId()}`;
    const ids = JSON.stringify(jobs.map((job) => job.id));
    const sealed = jobs.map(({ id }) => [
      id,
      Buffer.from(cipher.seal(result, placeOf(jobTable.result, id))).toString("hex"),
    ]);
    const written = await database.write(
      [
        // Runs before the rows change, so that repeating the transaction after a lost response adds no entries.
        { sql: endAudit, args: { at, ids } },
        { sql: addAudit, args: { at, ids, who: whoOf(by), from: by.from } },
        { sql: cancelJobs, args: { at, now, claim, results: JSON.stringify(sealed) } },
        ...jobs
          .filter((job) => job.hasWebhook)
          .map(({ id }) => deliveryDue({ id, status: "cancelled" }, now)),
        { sql: selectCancelled, args: { ids, claim } },
      ],
      { essential: true, patienceMs },
    );
    return database.readable(idRow, written.at(-1)).rows.map(({ id }) => id);
  };
}
