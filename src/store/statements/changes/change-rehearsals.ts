/** What rehearsals said of the lines of a change's devices. */
import type { Changes } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either } from "../../sql/notation.ts";
import { fieldsOf, number, rowShape, text } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { changeRehearsals } from "../../tables.ts";

const row = rowShape(fieldsOf(changeRehearsals, ...namesBut(changeRehearsals, "changeId")));
const newRow = written(changeRehearsals, ...namesBut(changeRehearsals));
const sumRow = rowShape({
  devices: number("devices", "count(*)"),
  refusing: number("refusing", "count(*) filter (where refusals > 0)"),
});
const gradeRow = rowShape({
  grade: text("grade", "g.key"),
  lines: number("lines", "sum(cast(g.value as bigint))"),
});

export function createChangeRehearsals(
  database: Database,
): Pick<Changes, "noteRehearsal" | "rehearsals" | "rehearsalSum"> {
  return {
    async noteRehearsal({ id, hash }, said) {
      await database.write([
        {
          sql: `insert into change_rehearsals (${newRow.columns}) select ${newRow.parameters}
where exists (select 1 from changes where id = :id and hash = :hash)
on conflict (change_id, device) do update set job_id = excluded.job_id, grades = excluded.grades,
  refusals = excluded.refusals, version = excluded.version, at = excluded.at`,
          args: { ...newRow.values(database.cipher, { ...said, changeId: id }), id, hash },
        },
      ]);
    },

    rehearsals: (id, devices) =>
      database.list(row, {
        sql: `select ${row.columns} from change_rehearsals
where change_id = :id and device in :devices`,
        args: { id, devices },
      }),

    async rehearsalSum(id) {
      const [[sum], grades] = await Promise.all([
        database.list(sumRow, {
          sql: `select ${sumRow.columns} from change_rehearsals where change_id = :id`,
          args: { id },
        }),
        database.list(gradeRow, {
          sql: `select ${gradeRow.columns} from change_rehearsals, ${either("json_each(grades) g", "jsonb_each_text(grades::jsonb) g (key, value)")}
where change_id = :id group by g.key order by g.key${either("", ' collate "C"')}`,
          args: { id },
        }),
      ]);
      return {
        ...{ devices: sum?.devices ?? 0, refusing: sum?.refusing ?? 0 },
        grades: new Map(grades.map(({ grade, lines }) => [grade, lines])),
      };
    },
  };
}
