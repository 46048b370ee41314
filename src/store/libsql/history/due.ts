/** Devices whose configuration is to be read soon. */
import type { ConfigHistory } from "../../port.ts";
import { namesBut } from "../../tables/columns.ts";
import { configDue } from "../../tables.ts";
import { type Database, steadyNow } from "../database/database.ts";
import { fieldsOf, number, rowShape } from "../database/rows/rows.ts";
import type { Statement } from "../database/statement.ts";

const dueRow = rowShape(fieldsOf(configDue, ...namesBut(configDue)));
const nextRow = rowShape({ inMs: number("in_ms", `max(0, due_t - ${steadyNow})`) });

/** A node that takes devices has submitted them by then, or another one takes them. */
const takenMs = 60_000;

type Due = Pick<ConfigHistory, "ask" | "takeDue" | "done" | "nextDueMs">;

export function createDue(database: Database): Due {
  return {
    async ask({ name, caller, source, causeJobId, who, note }, inMs) {
      await database.write([
        {
          sql: `insert into config_due (name, due_t, caller, source, cause_job_id, who, note)
values (:name, ${steadyNow} + :in_ms, :caller, :source, :cause, :who, :note) on conflict (name) do update set
  due_t = min(due_t, excluded.due_t), caller = excluded.caller, source = excluded.source, who = excluded.who, note = excluded.note,
  cause_job_id = coalesce(excluded.cause_job_id, cause_job_id), tries = 0`,
          args: { name, caller, in_ms: inMs, source, cause: causeJobId, who, note, now: database.now() },
        },
      ]);
    },

    async takeDue(limit) {
      const [taken] = await database.write([
        {
          sql: `update config_due set due_t = ${steadyNow} + :later, tries = tries + 1 where name in (
  select name from config_due where due_t <= ${steadyNow} order by due_t limit :limit)
returning ${dueRow.columns}`,
          args: { now: database.now(), later: takenMs, limit },
        },
      ]);
      return database.readable(dueRow, taken).rows;
    },

    async done(taken) {
      if (taken.length === 0) return;
      await database.write([
        {
          sql: `delete from config_due where (name, due_t) in (
  select value ->> 0, value ->> 1 from json_each(:taken))`,
          args: { taken: JSON.stringify(taken.map(({ name, dueT }) => [name, dueT])) },
        },
      ]);
    },

    async nextDueMs() {
      const [row] = await database.list(nextRow, {
        sql: `select ${nextRow.columns} from config_due order by due_t limit 1`,
        args: { now: database.now() },
      });
      return row?.inMs;
    },
  };
}

/** A push that sent lines to a device of the inventory; it runs after the job was ended. */
export function askAfterPush(jobIds: readonly string[], inMs: number, now: number | null): Statement[] {
  if (jobIds.length === 0) return [];
  return [
    {
      sql: `insert into config_due (name, due_t, caller, source, cause_job_id, who)
select lower(device), ${steadyNow} + :in_ms, caller, 'push', id, submitter from jobs
where id in (select value from json_each(:ids)) and +status in ('finished', 'failed') and device is not null
  and coalesce(dry_run, 0) = 0
on conflict (name) do update set due_t = min(due_t, excluded.due_t), caller = excluded.caller,
  source = excluded.source, cause_job_id = excluded.cause_job_id, who = excluded.who, note = null, tries = 0`,
      args: { ids: JSON.stringify(jobIds), in_ms: inMs, now },
    },
  ];
}
