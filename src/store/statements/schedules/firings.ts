/** Firings: one row per schedule and time, claimed when the schedule advances, and ended by the node that holds it. */
import { scheduleLimits } from "../../../api/schedules/schedule.ts";
import type { NewAuditEntry, NodeFence, Schedules, TakenFiring } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { isJson, steadyNow, wallNow } from "../../sql/notation.ts";
import { bytes, fieldsOf, number, orNull, type RowShape, rowShape, text } from "../../sql/rows.ts";
import { type Args, givenTable, type Scalar, type Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { firings, schedules } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";

export const firingRow = rowShape(
  fieldsOf(firings, "scheduleId", "dueAt", "status", "manual", "firedAt", "bulkId", "reason"),
);
const ofSchedule = (column: string) => `(select s.${column} from schedules s where s.id = f.schedule_id)`;
const takenRow = rowShape({
  ...fieldsOf(firings, "scheduleId", "dueAt", "owner", "overlap"),
  name: text("its_name", `coalesce(${ofSchedule("name")}, f.schedule_id)`),
  spec: text("its_spec", `coalesce(f.spec, ${ofSchedule("spec")})`),
  sealed: orNull(
    bytes("its_request", `case when f.spec is null then ${ofSchedule("request")} else f.request end`),
  ),
  lastBulk: orNull(text("its_last_bulk", ofSchedule("last_bulk"))),
  rowid: number("f.rowid"),
  ageMs: number("age_ms", `${steadyNow} - coalesce(f.claim_t, ${steadyNow})`),
});
const statusRow = rowShape(fieldsOf(firings, "status"));
type TakenRow = typeof takenRow extends RowShape<infer T> ? T : never;

export const isOpen = "status in ('waiting', 'submitting')";
/** Detail of an audit entry: the schedule's id, its name if it still exists, and the text of the entry. */
export const namedDetail =
  "substr(:id || coalesce((select ': ' || name from schedules where id = :id), '') || :entry_detail, 1, 500)";
/** Tolerance for a node's clock that is slightly ahead of the server's. */
const aheadMs = 1_000;

const nodeLives = `exists (select 1 from nodes where name = :node and generation = :generation
  and state = 'up' and lease_t > ${steadyNow})`;
const isMine = `schedule_id = :id and due_at = :due and status = 'submitting'
  and node = :node and generation = :generation`;
/** The latest bulk of schedule `s` has unfinished jobs. */
const bulkRuns = `exists (select 1 from jobs indexed by jobs_bulk_state
  where bulk_id = s.last_bulk and bulk_id is not null and status in ('queued', 'held', 'running'))`;
const hasOpen = `exists (select 1 from firings o where o.schedule_id = s.id and ${isOpen})`;
const waitingOf = "(select count(*) from firings w where w.schedule_id = s.id and w.status = 'waiting')";

/** The status of a firing `r` of a schedule `s`, which depends on what is in progress. */
const statusNow = `case
  when r.does = 'missed' then 'missed'
  when r.overlap = 'skip' and (r.place > 0 or ${hasOpen} or ${bulkRuns}) then 'skipped'
  when r.overlap = 'queue' and (r.place > 0 or ${hasOpen} or ${bulkRuns})
    then case when ${waitingOf} + r.place <= r.most then 'waiting' else 'skipped' end
  when r.overlap = 'replace' and (r.place > 0 or ${hasOpen})
    then case when not r.manual or ${waitingOf} < r.most then 'waiting' else 'skipped' end
  else 'submitting' end`;
const reasonNow = `coalesce(reason, case when status = 'skipped' then 'the firing before it had not ended' end)`;
const insertFirings = (from: string) => `insert into firings
  (schedule_id, due_at, owner, status, overlap, manual, fired_at, node, generation, claim_t, reason)
select id, due, owner, status, overlap, manual, case when status = 'submitting' then ${wallNow} end,
  case when status = 'submitting' then :node end, case when status = 'submitting' then :generation end,
  ${steadyNow}, ${reasonNow}
from (select r.*, s.owner, ${statusNow} as status from ${from}) t1
where ${nodeLives} on conflict do nothing returning ${statusRow.columns}`;

export function createFirings(database: Database): Pick<Schedules, "step" | "run" | "take" | "settle"> {
  const { cipher, clock } = database;
  const fenced = ({ name, generation }: NodeFence) => ({
    node: name,
    generation,
  });

  return {
    async step(node, steps) {
      if (steps.length === 0) return [];
      const rows = steps.flatMap((step) => rowsOf(step));
      const moves = givenTable(
        "move",
        {
          id: "text",
          rev: "bigint",
          pending: "bigint",
          fire_at: "bigint",
          anew: "boolean",
          next_due: "bigint",
          next_at: "bigint",
        },
        steps.map(({ id, revision, pending, firings: fired, next }) => ({
          id,
          rev: revision,
          pending: pending.dueAt,
          fire_at: pending.fireAt,
          // Nothing fires: the clock was set back.
          anew: fired.length === 0,
          next_due: next?.dueAt ?? null,
          next_at: next?.fireAt ?? null,
        })),
      );
      const ids = { ids: steps.map(({ id }) => id) };
      const [taken] = await database.write([
        ...(rows.length === 0 ? [] : [insertRows(rows, fenced(node))]),
        {
          sql: `with ${moves.definition}
update schedules set next_due = m.next_due, next_at = m.next_at, armed_at = ${wallNow},
  state = case when m.next_due is null then 'ended' else state end,
  why = case when m.next_due is null then 'it has no more times' else why end
from move m where m.id = schedules.id and m.rev = schedules.revision and m.pending = schedules.next_due
  and schedules.state = 'active' and (m.anew or m.fire_at <= ${wallNow} + ${aheadMs}) and ${nodeLives}`,
          args: { ...moves.args, ...fenced(node) },
        },
        dropOld("schedule_id in :ids", ids),
      ]);
      return rows.length === 0 ? [] : statusRow.read(taken).map(({ status }) => status);
    },

    async run(node, id, by) {
      const dueAt = clock.wall();
      const row = { id, due: dueAt, does: "fire", place: 0, most: scheduleLimits.waiting };
      const rowTable = givenTable("given", firingTypes, [{ ...row, manual: true, reason: null }]);
      const args = { ...rowTable.args, ...fenced(node) };
      const entry: NewAuditEntry = { caller: by, action: "schedule.run", outcome: "accepted", detail: "" };
      const exists = { sql: "exists (select 1 from schedules where id = :id)", args: { id } };
      const results = await database.write([
        addEntry(database, entry, exists, namedDetail),
        {
          sql: `with ${rowTable.definition},
  r as (select g.id, g.due, g.does, case when ${isJson("o.spec")} then coalesce(o.spec ->> '$.overlap', 'skip') else 'skip' end as overlap, g.place, g.most, g.manual, g.reason
    from given g join schedules o on o.id = g.id)
${insertFirings("r join schedules s on s.id = r.id")}`,
          args,
        },
        // A schedule that seldom fires automatically may be run manually all day.
        dropOld("schedule_id = :id", { id }),
        {
          sql: `select ${firingRow.columns} from firings where schedule_id = :id and due_at = :due`,
          args: { id, due: dueAt },
        },
      ]);
      return firingRow.read(results.at(-1))[0];
    },

    async take(node, limit, less) {
      const args = { ...fenced(node), limit, but: less?.but ?? [] };
      const isOwnNode = "node = :node, generation = :generation";
      const [, , found] = await database.write([
        {
          sql: `update firings set ${isOwnNode} where status = 'submitting'
  and not exists (select 1 from nodes n where n.name = firings.node and n.generation = firings.generation
    and n.state <> 'dead' and n.lease_t > ${steadyNow}) and ${nodeLives}`,
          args,
        },
        {
          sql: `update firings set status = 'submitting', ${isOwnNode}, fired_at = ${wallNow}, claim_t = ${steadyNow}
where rowid in (select f.rowid from firings f join schedules s on s.id = f.schedule_id
  where f.status = 'waiting' and (f.overlap = 'replace' or not ${bulkRuns})
    and not exists (select 1 from firings e
      where e.schedule_id = f.schedule_id and e.due_at < f.due_at and e.${isOpen})
  order by f.due_at limit :limit) and ${nodeLives}`,
          args,
        },
        {
          sql: `select ${takenRow.columns} from firings f
where f.status = 'submitting' and f.node = :node and f.generation = :generation
  and f.schedule_id || '/' || f.due_at not in :but
order by f.due_at limit :limit`,
          args,
        },
      ]);
      const { rows, damaged } = database.readable(takenRow, found);
      await failDamaged(damaged.flatMap(({ fields }) => fields.rowid ?? []));
      return rows.map((row) => takenFiring(row));
    },

    async settle({ name, generation }, { scheduleId, dueAt }, { status, bulkId, reason }, by) {
      const args = { id: scheduleId, due: dueAt, node: name, generation };
      const detail = ["", new Date(dueAt).toISOString(), bulkId ?? reason ?? ""].join(" ").trimEnd();
      const entry: NewAuditEntry = { caller: by, action: "schedule.fire", outcome: status, detail };
      const isThere = `exists (select 1 from firings where ${isMine})`;
      const results = await database.write(
        [
          addEntry(database, entry, { sql: isThere, args }, namedDetail),
          {
            sql: `update schedules set last_bulk = :bulk where id = :id and :bulk is not null and ${isThere}`,
            args: { ...args, bulk: bulkId ?? null },
          },
          {
            sql: `update firings set status = :status, bulk_id = :bulk, reason = coalesce(:reason, reason),
  node = null, generation = null, spec = null, request = null where ${isMine}`,
            args: { ...args, status, bulk: bulkId ?? null, reason: reason?.slice(0, 1_000) ?? null },
          },
          dropOld("schedule_id = :id", { id: scheduleId }),
        ],
        { essential: true },
      );
      return (results[2]?.changes ?? 0) > 0;
    },
  };

  function insertRows(rows: readonly Readonly<Record<string, Scalar>>[], fence: Args): Statement {
    const rowTable = givenTable("r", firingTypes, rows);
    const from = `r join schedules s on s.id = r.id and s.revision = r.rev and s.next_due = r.pending
  where s.state = 'active' and r.fire_at <= ${wallNow} + ${aheadMs} order by r.id, r.due`;
    return {
      sql: `with ${rowTable.definition}\n${insertFirings(from)}`,
      args: { ...rowTable.args, ...fence },
    };
  }

  /** They would stay open for good, and later firings of their schedule wait for them. */
  async function failDamaged(rowids: readonly number[]): Promise<void> {
    if (rowids.length === 0) return;
    await database.write([
      {
        sql: `update firings set status = 'failed', reason = 'its stored row is damaged', node = null, generation = null,
  spec = null, request = null where rowid in :rowids and status = 'submitting'`,
        args: { rowids },
      },
    ]);
  }

  function takenFiring({ sealed, ageMs, rowid: _rowid, ...row }: TakenRow): TakenFiring {
    // A request that cannot be decrypted must not block the others.
    const opened =
      sealed === null ? null : cipher.tryOpen(sealed, placeOf(schedules.request, row.scheduleId));
    return { ...row, request: opened ?? null, damaged: opened === undefined, ageMs: Math.max(0, ageMs) };
  }
}

/** In order: a firing in the same step finds an earlier one of its schedule in progress. */
function rowsOf({ id, revision, pending, firings }: Parameters<Schedules["step"]>[1][number]) {
  let place = 0;
  return firings.map(({ dueAt, does, overlap, reason }) => ({
    id,
    rev: revision,
    pending: pending.dueAt,
    fire_at: pending.fireAt,
    due: dueAt,
    does,
    overlap,
    place: does === "fire" ? place++ : 0,
    // Catch-up firings all wait, however many: the policy has limited their number.
    most: reason === undefined ? scheduleLimits.waiting : firings.length + scheduleLimits.waiting,
    manual: false,
    reason: reason ?? null,
  }));
}

/** Limits the history of a schedule, and deletes that of a removed one. */
function dropOld(condition: string, args: Args): Statement {
  return {
    sql: `delete from firings where ${condition} and not ${isOpen}
  and (not exists (select 1 from schedules s where s.id = firings.schedule_id)
    or due_at < (select n.due_at from firings n where n.schedule_id = firings.schedule_id
      order by n.due_at desc limit 1 offset ${scheduleLimits.firings - 1}))`,
    args,
  };
}

const firingTypes = {
  id: "text",
  rev: "bigint",
  pending: "bigint",
  fire_at: "bigint",
  due: "bigint",
  does: "text",
  overlap: "text",
  place: "bigint",
  most: "bigint",
  manual: "boolean",
  reason: "text",
} as const;
