/** The outbox of webhooks: due deliveries in the order of job ends, and the results of their attempts. */
import * as v from "valibot";
import { type Deliveries, type DeliveryAttempt, type JobEnd, ownerChars } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { isJson, itemsOf, joinInOrder, steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, orNull, rowShape } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { attempts } from "../../tables/json.ts";
import { deliveries } from "../../tables.ts";

/** A claim is also free if its node is dead, or if it was never finished. */
const abandonedMs = 600_000;

const isServedElsewhere = `d.node is not null and (d.node <> :node or d.generation <> :generation)
      and d.claim_t > ${steadyNow} - ${abandonedMs}
      and exists (select 1 from nodes n where n.name = d.node and n.generation = d.generation
        and n.state <> 'dead' and n.lease_t > ${steadyNow})`;

/**
 * Steps through receivers by index, each found after the previous one. 100,000 deliveries may wait for one receiver
 * that is busy or down; those due for other receivers are found without scanning them.
 */
const claimDue = `with recursive receivers (name) as (
  select (select min(receiver) from deliveries indexed by deliveries_receiver where state = 'pending')
  union all
  select (select min(n.receiver) from deliveries n indexed by deliveries_receiver
    where n.state = 'pending' and n.receiver > receivers.name)
  from receivers where receivers.name is not null)
update deliveries set node = :node, generation = :generation, claim_t = ${steadyNow}
where job_id in (
  select p.job_id from receivers ${joinInOrder} deliveries p on p.rowid in (
    select q.rowid from deliveries q indexed by deliveries_receiver
    where q.state = 'pending' and q.receiver = receivers.name and q.next_t <= ${steadyNow}
    order by q.next_t, q.ended_n limit :limit)
  where receivers.name is not null and receivers.name not in :busy
    and substr(receivers.name, 1, ${ownerChars}) not in :full
    and not exists (select 1 from deliveries d indexed by deliveries_held
      where d.state = 'pending' and d.receiver = receivers.name and ${isServedElsewhere})
  order by p.ended_n limit :limit)`;

const dueRow = rowShape({
  ...fieldsOf(deliveries, "jobId", "receiver", "event", "endedN", "tries", "attempts", "hook"),
  rowid: number("rowid"),
});
const selectDue = `select ${dueRow.columns} from deliveries indexed by deliveries_held
where state = 'pending' and node is not null and node = :node and generation = :generation and next_t <= ${steadyNow}
  and receiver not in :busy
order by ended_n limit :limit`;

const nextRow = rowShape({ inMs: orNull(number("in_ms", `min(next_t) - ${steadyNow}`)) });
const stateRow = rowShape(fieldsOf(deliveries, "jobId", "state", "attempts", "nextT"));

const waitingRow = rowShape({
  count: number(
    "waiting_count",
    `(select count(*) from
    (select 1 from deliveries indexed by deliveries_due where state = 'pending' limit :most) t1)`,
  ),
  since: orNull(
    number(
      "waiting_since",
      `(select j.ended_at from deliveries d indexed by deliveries_due
    join jobs j on j.id = d.job_id where d.state = 'pending' order by d.ended_n limit 1)`,
    ),
  ),
});

export function createDeliveries(database: Database): Deliveries {
  const { cipher } = database;

  /** They would stay due for good. */
  async function failDamaged(rowids: readonly number[]): Promise<void> {
    if (rowids.length === 0) return;
    await database.write(
      [
        {
          sql: `update deliveries set state = 'failed', next_t = null, hook = null, node = null, generation = null,
  claim_t = null where rowid in :rowids and state = 'pending'`,
          args: { rowids },
        },
      ],
      { essential: true },
    );
  }

  return {
    async claim(node, busy, limit, full = []) {
      const args = {
        node: node.name,
        generation: node.generation,
        busy,
        limit,
      };
      const [, due] = await database.write([
        { sql: claimDue, args: { ...args, full } },
        { sql: selectDue, args },
      ]);
      const { rows, damaged } = database.readable(dueRow, due);
      await failDamaged(damaged.flatMap(({ fields }) => fields.rowid ?? []));
      return rows.map(({ event, endedN, attempts, hook, rowid: _rowid, ...delivery }) => ({
        ...delivery,
        // Both are set when the delivery becomes due.
        event: event ?? "",
        endedN: endedN ?? 0,
        attempts: attemptsIn(attempts),
        content: hook === null ? undefined : cipher.tryOpen(hook, placeOf(deliveries.hook, delivery.jobId)),
      }));
    },

    async record(node, delivery, attempt, next) {
      const isAgain = typeof next === "number";
      const change = isAgain
        ? `state = 'pending', next_t = ${steadyNow} + :next`
        : "state = :next, next_t = null, hook = null";
      await database.write(
        [
          {
            sql: `update deliveries set node = null, generation = null, claim_t = null, tries = :tries,
  attempts = :attempts, ${change}
where job_id = :job_id and state = 'pending' and node = :node and generation = :generation`,
            args: {
              job_id: delivery.jobId,
              node: node.name,
              generation: node.generation,
              tries: delivery.tries + 1,
              attempts: JSON.stringify([...delivery.attempts, attempt]),
              next: isAgain ? Math.round(next) : next,
            },
          },
        ],
        { essential: true },
      );
    },

    async nextDueMs() {
      const [next] = await database.select(nextRow, {
        sql: `select ${nextRow.columns} from deliveries where state = 'pending'`,
        args: {},
      });
      return next === undefined || next.inMs === null ? undefined : Math.max(0, next.inMs);
    },

    async waiting(limit) {
      const [row] = await database.select(waitingRow, {
        sql: `select ${waitingRow.columns}`,
        args: { most: limit },
      });
      return { count: row?.count ?? 0, since: row?.since ?? undefined };
    },

    async statesOf(jobIds) {
      if (jobIds.length === 0) return new Map();
      const rows = await database.list(stateRow, {
        sql: `select ${stateRow.columns} from deliveries where job_id in :ids`,
        args: { ids: jobIds },
      });
      const now = database.steady();
      return new Map(
        rows.map(({ jobId, state, attempts, nextT }) => [
          jobId,
          {
            state,
            attempts: attemptsIn(attempts),
            nextInMs: state === "pending" && nextT !== null ? Math.max(0, nextT - now) : null,
          },
        ]),
      );
    },
  };
}

export function attemptsIn(text: string): DeliveryAttempt[] {
  return v.parse(attempts, JSON.parse(text));
}

/** Makes the webhook of a job due: runs after the update that ends the job, and does nothing if that did not end the job. */
export function deliveryDue({ id, status }: Pick<JobEnd, "id" | "status">): Statement {
  return {
    sql: `update deliveries set event = :event, next_t = ${steadyNow},
  state = case
    when events is null or not ${isJson("events")} then 'pending'
    when exists (select 1 from ${itemsOf("events", "one")} where one.value = :event) then 'pending'
    else 'skipped' end,
  ended_n = (select coalesce(max(ended_n), 0) + 1 from deliveries)
where job_id = :id and state = 'waiting' and exists (select 1 from jobs where id = :id and +status = :status)`,
    args: { id, status, event: `job.${status}` },
  };
}
