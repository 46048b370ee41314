/** Schedules: written, listed, and due ones found by the wall clock of the store. */
import { scheduleLimits } from "../../../api/schedules/schedule.ts";
import type { NewAuditEntry, Schedules, ScheduleValues, StoredSchedule } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { wallNow } from "../../sql/notation.ts";
import { bytes, fieldsOf, number, orNull, type RowShape, rowShape } from "../../sql/rows.ts";
import type { Args, Statement, Value } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { schedules } from "../../tables.ts";
import { holderTerms } from "../jobs/listing.ts";
import { addEntry } from "../trail/audit.ts";
import { createFirings, firingRow, isOpen, namedDetail } from "./firings.ts";

const fields = fieldsOf(schedules, ...namesBut(schedules, "request", "armedAt", "lastBulk", "failures"));
const scheduleRow = rowShape(fields);
type ScheduleRow = typeof scheduleRow extends RowShape<infer T> ? T : never;
const sealedRow = rowShape({ sealed: orNull(bytes("request", "request")) });
const dueRow = rowShape({ ...fields, rowid: number("rowid") });
const idRow = rowShape(fieldsOf(schedules, "id"));
const lookRow = rowShape({
  now: number("wall_now", wallNow),
  nextAt: orNull(
    number(
      "first_at",
      "(select min(next_at) from schedules indexed by schedules_next where next_at is not null)",
    ),
  ),
  armedAt: orNull(
    number(
      "last_armed",
      "(select max(armed_at) from schedules indexed by schedules_armed where next_at is not null)",
    ),
  ),
  open: number("open_firings", `(select count(*) from firings indexed by firings_open where ${isOpen})`),
});
const nowRow = rowShape({ now: number("wall_now", wallNow) });

/** Of the key or person, or of a key of that person. */
const isOwned = "(owner = :owner or owner in (select id from keys where person_id = :owner))";

/** If the clock was set back by less than this, schedules wait for it to catch up. */
const setBackMs = 3_600_000;
/** Columns of a change; an insert writes them too. */
const changing = written(
  schedules,
  ...namesBut(schedules, "owner", "createdAt", "revision", "armedAt", "lastBulk", "failures"),
);

export function createSchedules(database: Database): Schedules {
  const { cipher, clock } = database;
  const isIt = "id = :id";

  function valuesOf(id: string, { next, ...values }: ScheduleValues): Record<string, Value> {
    const changedAt = clock.wall();
    return changing.values(cipher, { ...values, id, changedAt, nextDue: next?.dueAt, nextAt: next?.fireAt });
  }

  async function findOne(where: string, args: Args): Promise<StoredSchedule | undefined> {
    const sql = `select ${scheduleRow.columns} from schedules where ${where}`;
    const [row] = await database.select(scheduleRow, { sql, args });
    return row && storedSchedule(row);
  }

  /** They would stay due for good. */
  async function stopDamaged(rowids: readonly number[]): Promise<void> {
    if (rowids.length === 0) return;
    await database.write([
      {
        sql: `update schedules set state = 'stopped', next_due = null, next_at = null, revision = revision + 1,
  why = 'its stored row is damaged', changed_at = :at where rowid in :rowids`,
        args: { at: clock.wall(), rowids },
      },
    ]);
  }

  return {
    ...createFirings(database),

    async add({ id, owner, ...values }, by) {
      const columns = valuesOf(id, values);
      const { maxOfKey, most } = scheduleLimits;
      const free = "not exists (select 1 from schedules where owner = :owner and name = :name)";
      const hasRoom = `(select count(*) from schedules where owner = :owner) < ${maxOfKey}
  and (select count(*) from schedules) < ${most}`;
      const names = { owner, name: values.name };
      const entry: NewAuditEntry = {
        caller: by,
        action: "schedule.add",
        outcome: "added",
        detail: `${id}: ${values.name}`,
      };
      const [, , added, named] = await database.write([
        addEntry(database, entry, { sql: `${free} and ${hasRoom}`, args: names }),
        {
          sql: `insert into schedules (${changing.columns}, owner, created_at, revision, armed_at)
select ${changing.parameters}, :owner, :changed_at, 1, ${wallNow}
where ${free} and ${hasRoom}`,
          args: { ...columns, owner },
        },
        { sql: `select ${idRow.columns} from schedules where ${isIt}`, args: { id } },
        { sql: `select ${idRow.columns} from schedules where owner = :owner and name = :name`, args: names },
      ]);
      if ((added?.rows.length ?? 0) > 0) return "added";
      return (named?.rows.length ?? 0) > 0 ? "taken" : "full";
    },

    async change(id, revision, values, by, action) {
      const where = { id, revision };
      const free = `not exists (select 1 from schedules o
  where o.owner = :owner and o.name = :name and o.id <> :id)`;
      const isThere = `${isIt} and revision = :revision and ${free}`;
      const entry: NewAuditEntry = {
        caller: by,
        action,
        outcome: values.state,
        detail: `${id}: ${values.name}`,
      };
      const { name, owner } = values;
      const args = { ...valuesOf(id, values), ...where, owner };
      const named = { ...where, name, owner };
      const [, , changed, stale] = await database.write([
        addEntry(database, entry, { sql: `exists (select 1 from schedules where ${isThere})`, args: named }),
        keepForFirings(`exists (select 1 from schedules where ${isThere})`, named),
        {
          sql: `update schedules set ${changing.assignments}, owner = :owner, revision = revision + 1,
  armed_at = ${wallNow} where ${isThere} returning ${idRow.columns}`,
          args,
        },
        { sql: `select ${idRow.columns} from schedules where ${isIt} and revision = :revision`, args: where },
      ]);
      if ((changed?.rows.length ?? 0) > 0) return "changed";
      return (stale?.rows.length ?? 0) > 0 ? "taken" : "stale";
    },

    async remove(id, by) {
      const args = { id };
      const isThere = `exists (select 1 from schedules where ${isIt})`;
      const entry: NewAuditEntry = { caller: by, action: "schedule.remove", outcome: "removed", detail: "" };
      const results = await database.write([
        addEntry(database, entry, { sql: isThere, args }, namedDetail),
        keepForFirings(isThere, args),
        { sql: "delete from firings where schedule_id = :id and status <> 'submitting'", args },
        { sql: `delete from schedules where ${isIt} returning ${idRow.columns}`, args },
      ]);
      return (results.at(-1)?.rows.length ?? 0) > 0;
    },

    find: (id) => findOne(isIt, { id }),
    findNamed: (owner, name) =>
      findOne(`${isOwned} and name = :name order by owner <> :owner, id desc limit 1`, { owner, name }),
    async findOfBulk(owner, bulk, name) {
      const firing = "select 1 from firings where schedule_id = schedules.id and";
      const submitted = `exists (${firing} bulk_id = :bulk)`;
      return findOne(
        `owner = :owner and (${submitted} or (name = :name and exists (${firing} status = 'submitting')))
  order by ${submitted} desc limit 1`,
        { owner, bulk, name },
      );
    },

    async requestOf(id) {
      const sql = `select ${sealedRow.columns} from schedules where ${isIt}`;
      const [row] = await database.select(sealedRow, { sql, args: { id } });
      return row?.sealed ? cipher.open(row.sealed, placeOf(schedules.request, id)) : null;
    },

    async page({ owner, submitter }, limit, beforeId) {
      const ofSubmitter = holderTerms("owner", submitter);
      const conditions = [
        ...(owner === undefined ? [] : [isOwned]),
        ...ofSubmitter.sql,
        "(:before is null or id < :before)",
      ].join(" and ");
      const rows = await database.page(scheduleRow, limit, (most) => ({
        sql: `select ${scheduleRow.columns} from schedules
where ${conditions} order by id desc limit :limit`,
        args: { ...ofSubmitter.args, owner: owner ?? null, before: beforeId ?? null, limit: most },
      }));
      return rows.map(storedSchedule);
    },

    async lastFirings(ids) {
      const rows = await database.list(firingRow, {
        sql: `select ${firingRow.columns} from firings f
where schedule_id in :ids
  and due_at = (select max(due_at) from firings n where n.schedule_id = f.schedule_id)`,
        args: { ids },
      });
      return new Map(rows.map((row) => [row.scheduleId, row]));
    },

    firings: (id, limit, beforeDue) =>
      database.page(firingRow, limit, (most) => ({
        sql: `select ${firingRow.columns} from firings
where schedule_id = :id and (:before is null or due_at < :before) order by due_at desc limit :limit`,
        args: { id, before: beforeDue ?? null, limit: most },
      })),

    async look() {
      const args = {};
      const [row] = await database.select(lookRow, { sql: `select ${lookRow.columns}`, args });
      if (row === undefined) return { now: clock.wall(), inMs: undefined, open: 0 };
      const { now, nextAt, armedAt, open } = row;
      const isSetBack = armedAt !== null && armedAt > now + setBackMs;
      const inMs = nextAt === null ? undefined : isSetBack ? 0 : Math.max(0, nextAt - now);
      return { now, inMs, open };
    },

    async due(limit) {
      const args = {};
      const [time] = await database.select(nowRow, { sql: `select ${nowRow.columns}`, args });
      const now = time?.now ?? clock.wall();
      const answer = await database.read({
        sql: `select ${dueRow.columns} from schedules
where next_at is not null and (next_at <= :now or armed_at > :now + ${setBackMs}) order by next_at limit :limit`,
        args: { now, limit },
      });
      const { rows, damaged } = database.readable(dueRow, answer);
      await stopDamaged(damaged.flatMap(({ fields }) => fields.rowid ?? []));
      return { now, schedules: rows.map(({ rowid: _rowid, ...row }) => storedSchedule(row)) };
    },

    async stop(id, revision, why, by) {
      const args = { id, revision };
      const isActive = `${isIt} and revision = :revision and state = 'active'`;
      const entry: NewAuditEntry = {
        caller: by,
        action: "schedule.stop",
        outcome: "stopped",
        detail: `: ${why}`,
      };
      const [, stopped] = await database.write([
        addEntry(
          database,
          entry,
          { sql: `exists (select 1 from schedules where ${isActive})`, args },
          namedDetail,
        ),
        {
          sql: `update schedules set state = 'stopped', why = :why, next_due = null, next_at = null,
  revision = revision + 1, changed_at = :at where ${isActive} returning ${idRow.columns}`,
          args: { ...args, why, at: clock.wall() },
        },
      ]);
      return (stopped?.rows.length ?? 0) > 0;
    },
  };
}

/** Firings in progress keep the values that the schedule had when they were due. */
function keepForFirings(condition: string, args: Args): Statement {
  return {
    sql: `update firings set spec = (select spec from schedules where id = :id),
  request = (select request from schedules where id = :id)
where schedule_id = :id and spec is null and ${isOpen} and ${condition}`,
    args,
  };
}

function storedSchedule({ nextDue, nextAt, ...row }: ScheduleRow): StoredSchedule {
  return {
    ...row,
    next: nextDue === null || nextAt === null ? undefined : { dueAt: nextDue, fireAt: nextAt },
  };
}
