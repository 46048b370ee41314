/** Workers of all nodes as last reported, and requests to stop them. */
import type { Workers } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape, truth } from "../../sql/rows.ts";
import { type GivenTypes, givenTable } from "../../sql/statement.ts";
import { workers } from "../../tables.ts";

const reportWorkers = (reported: string) => `with ${reported}
insert into workers
  (name, node, generation, status, pid, hostname, queue, current_job, beat_at, birth_at, succeeded, failed)
select name, :node, :generation, status, :pid, :hostname, queue, current_job, :at, birth_at, succeeded, failed
from reported where true
on conflict (name) do update
  set generation = excluded.generation, status = excluded.status, pid = excluded.pid,
    current_job = excluded.current_job, beat_at = excluded.beat_at, birth_at = excluded.birth_at,
    succeeded = excluded.succeeded, failed = excluded.failed`;
const reportedTypes: GivenTypes = {
  ...{ name: "text", status: "text", queue: "text", current_job: "text" },
  ...{ birth_at: "bigint", succeeded: "bigint", failed: "bigint" },
};
/** 4,000 parameters per statement. */
const rowsAtOnce = 500;

const workerRow = rowShape({
  ...fieldsOf(
    workers,
    "name",
    "node",
    "status",
    "pid",
    "hostname",
    "queue",
    "currentJob",
    "beatAt",
    "birthAt",
    "succeeded",
    "failed",
  ),
  alive: truth(
    "alive",
    `exists (select 1 from nodes n where n.name = workers.node and n.generation = workers.generation
  and n.state <> 'dead' and n.lease_t > ${steadyNow})`,
  ),
});
const nameRow = rowShape(fieldsOf(workers, "name"));

export function createWorkers(database: Database): Workers {
  const { clock } = database;

  return {
    async report(node, { hostname, pid }, states) {
      const at = clock.wall();
      const names = states.map(({ name }) => name);
      await database.write([
        {
          sql: "delete from workers where node = :node and name not in :names",
          args: { node: node.name, names },
        },
        ...pagesOf(states).map((page) => {
          const reported = givenTable(
            "reported",
            reportedTypes,
            page.map(({ currentJob, birthAt, ...state }) => ({
              ...state,
              current_job: currentJob,
              birth_at: birthAt,
            })),
          );
          const { name, generation } = node;
          return {
            sql: reportWorkers(reported.definition),
            args: { ...reported.args, ...{ hostname, pid, at, generation }, node: name },
          };
        }),
      ]);
    },

    async ofOtherNodes(node) {
      const rows = await database.list(workerRow, {
        sql: `select ${workerRow.columns} from workers where node <> :node order by name`,
        args: { node },
      });
      return rows.map(({ beatAt, ...worker }) => ({ ...worker, heartbeatAt: beatAt }));
    },

    async requestStop(names) {
      await database.write([
        {
          sql: "update workers set stop = 1 where name in :names",
          args: { names },
        },
      ]);
    },

    async takeStopRequests(node) {
      const requested = await database.list(nameRow, {
        sql: `select ${nameRow.columns} from workers where node = :node and stop = 1`,
        args: { node },
      });
      if (requested.length === 0) return [];
      const names = requested.map(({ name }) => name);
      await database.write([
        {
          sql: "update workers set stop = 0 where name in :names",
          args: { names },
        },
      ]);
      return names;
    },
  };
}

function pagesOf<T>(rows: readonly T[]): (readonly T[])[] {
  const pages = Math.ceil(rows.length / rowsAtOnce);
  return Array.from({ length: pages }, (_, at) => rows.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce));
}
