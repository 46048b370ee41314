/** Detached tasks: one row each, with the encrypted connection, until the task is removed. */
import { detachedStates, isOver } from "../../../api/jobs/detached.ts";
import { submitterKinds } from "../../../api/jobs/job.ts";
import type { DetachedTasks, StoredDetachedTask } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, oneOf, rowShape, text } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { detachedTasks } from "../../tables.ts";
import { taskSubmitter } from "./listing.ts";

const submitterFields = {
  submitterKind: oneOf("submitter_kind", submitterKinds, taskSubmitter.kind),
  submitter: text("submitter", taskSubmitter.name),
};
const listedRow = rowShape({
  ...fieldsOf(detachedTasks, ...namesBut(detachedTasks, "dueT", "payload")),
  ...submitterFields,
});
const wholeRow = rowShape({
  ...fieldsOf(detachedTasks, ...namesBut(detachedTasks, "dueT")),
  ...submitterFields,
});
const newTask = written(
  detachedTasks,
  ...namesBut(detachedTasks, "exitStatus", "startedAt", "endedAt", "seenAt", "dueT"),
);
const idRow = rowShape(fieldsOf(detachedTasks, "id"));
const over = detachedStates.filter(isOver).map((state) => `'${state}'`);

export function createDetachedTasks(database: Database): DetachedTasks {
  const { cipher, clock } = database;

  function opened(
    row: Omit<StoredDetachedTask, "payload" | "asked"> & { asked: Buffer | null; payload?: Buffer },
  ): StoredDetachedTask {
    const { payload, asked } = row;
    return {
      ...row,
      payload: cipher.tryOpen(payload, placeOf(detachedTasks.payload, row.id)) ?? null,
      asked: (asked && cipher.tryOpen(asked, placeOf(detachedTasks.asked, row.id))) ?? null,
    };
  }

  return {
    async begin(task, { inAll, perKey }) {
      const [, inserted] = await database.write([
        {
          sql: `insert into detached_tasks (${newTask.columns}, due_t)
select ${newTask.parameters}, ${steadyNow} + :due_ms
where (select count(*) from detached_tasks) < :in_all
  and (select count(*) from detached_tasks where caller = :caller) < :per_key
on conflict (id) do nothing`,
          args: {
            ...newTask.values(cipher, { ...task, state: "starting", createdAt: clock.wall() }),
            due_ms: task.dueInMs,
            in_all: inAll,
            per_key: perKey,
          },
        },
        { sql: `select ${idRow.columns} from detached_tasks where id = :id`, args: { id: task.id } },
      ]);
      return (inserted?.rows.length ?? 0) > 0;
    },

    async note(id, { state, exitStatus, startedAt, endedAt, dueInMs }) {
      await database.write([
        {
          sql: `update detached_tasks set state = :state, exit_status = :exit_status,
  started_at = coalesce(:started_at, started_at), ended_at = :ended_at, seen_at = :at, due_t = ${steadyNow} + :due_ms
where id = :id and not (state in (${over.join(", ")}) and :state in ('starting', 'running'))`,
          args: {
            ...{ id, state },
            exit_status: exitStatus,
            started_at: startedAt,
            ended_at: endedAt,
            at: clock.wall(),
            due_ms: dueInMs,
          },
        },
      ]);
    },

    async forget(id) {
      await database.write([{ sql: "delete from detached_tasks where id = :id", args: { id } }], {
        essential: true,
      });
    },

    async find(id) {
      const [row] = await database.select(wholeRow, {
        sql: `select ${wholeRow.columns} from detached_tasks where id = :id`,
        args: { id },
      });
      return row && opened(row);
    },

    async page({ hostKey, state, submitter, beforeId }, limit) {
      const terms = [
        ...(hostKey === undefined ? [] : ["host_key = :host_key"]),
        ...(state === undefined ? [] : ["state = :state"]),
        ...(submitter === undefined ? [] : [`${taskSubmitter.name} = :submitter`]),
        ...(submitter?.kind === undefined ? [] : [`${taskSubmitter.kind} = :submitter_kind`]),
        ...(beforeId === undefined ? [] : ["id < :before_id"]),
      ];
      const rows = await database.page(listedRow, limit, (most) => ({
        sql: `select ${listedRow.columns} from detached_tasks
${terms.length === 0 ? "" : `where ${terms.join(" and ")} `}order by id desc limit :limit`,
        args: {
          limit: most,
          ...(hostKey === undefined ? {} : { host_key: hostKey }),
          ...(state === undefined ? {} : { state }),
          ...(submitter === undefined ? {} : { submitter: submitter.name }),
          ...(submitter?.kind === undefined ? {} : { submitter_kind: submitter.kind }),
          ...(beforeId === undefined ? {} : { before_id: beforeId }),
        },
      }));
      return rows.map(opened);
    },

    async takeDue(againInMs, limit) {
      const [taken] = await database.write([
        {
          sql: `update detached_tasks set due_t = ${steadyNow} + :again_ms
where id in (select id from detached_tasks where due_t <= ${steadyNow} order by due_t limit :limit)
returning ${wholeRow.columns}`,
          args: { again_ms: againInMs, limit },
        },
      ]);
      return database.readable(wholeRow, taken).rows.map(opened);
    },
  };
}
