/** Devices whose configuration is to be read soon. */
import type { ConfigHistory } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, rowShape } from "../../sql/rows.ts";
import { givenMany, type Statement } from "../../sql/statement.ts";
import { namesBut } from "../../tables/columns.ts";
import { configDue } from "../../tables.ts";

const dueRow = rowShape(fieldsOf(configDue, ...namesBut(configDue)));
const nextRow = rowShape({ inMs: number("in_ms", `greatest(0, due_t - ${steadyNow})`) });

/** A node that takes devices has submitted them by then, or another one takes them. */
const takenMs = 60_000;

type Due = Pick<ConfigHistory, "ask" | "takeDue" | "done" | "nextDueMs">;

const takenTable = givenMany("taken", { name: "text", due_t: "bigint" });

export function createDue(database: Database): Due {
  return {
    async ask({ name, caller, source, causeJobId, who, note }, inMs) {
      await database.write([
        {
          sql: `insert into config_due (name, due_t, caller, source, cause_job_id, who, note)
values (:name, ${steadyNow} + :in_ms, :caller, :source, :cause, :who, :note) on conflict (name) do update set
  due_t = least(config_due.due_t, excluded.due_t), caller = excluded.caller, source = excluded.source, who = excluded.who, note = excluded.note,
  cause_job_id = coalesce(excluded.cause_job_id, config_due.cause_job_id), tries = 0`,
          args: { name, caller, in_ms: inMs, source, cause: causeJobId, who, note },
        },
      ]);
    },

    async takeDue(limit) {
      const [taken] = await database.write([
        {
          sql: `update config_due set due_t = ${steadyNow} + :later, tries = tries + 1 where name in (
  select name from config_due where due_t <= ${steadyNow} order by due_t limit :limit)
returning ${dueRow.columns}`,
          args: { later: takenMs, limit },
        },
      ]);
      return database.readable(dueRow, taken).rows;
    },

    async done(taken) {
      if (taken.length === 0) return;
      await database.write([
        {
          sql: `delete from config_due where (name, due_t) in (:taken)`,
          args: takenTable.rows(taken.map(({ name, dueT }) => [name, dueT])),
        },
      ]);
    },

    async nextDueMs() {
      const [row] = await database.list(nextRow, {
        sql: `select ${nextRow.columns} from config_due order by due_t limit 1`,
        args: {},
      });
      return row?.inMs;
    },
  };
}

/** A push that sent lines to a device of the inventory; it runs after the job was ended. */
export function askAfterPush(jobIds: readonly string[], inMs: number): Statement[] {
  if (jobIds.length === 0) return [];
  return [
    {
      sql: `insert into config_due (name, due_t, caller, source, cause_job_id, who)
select lower(device), ${steadyNow} + :in_ms, caller, 'push', id, submitter from (
  select *, row_number() over (partition by lower(device) order by seq desc) as place from jobs
where id in :ids and +status in ('finished', 'failed') and device is not null
  and dry_run is not true) t1 where place = 1
on conflict (name) do update set due_t = least(config_due.due_t, excluded.due_t), caller = excluded.caller,
  source = excluded.source, cause_job_id = excluded.cause_job_id, who = excluded.who, note = null, tries = 0`,
      args: { ids: jobIds, in_ms: inMs },
    },
  ];
}
