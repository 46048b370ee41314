/** Nodes: a new generation for each acquired lease, leases by the clock of the database, and dead nodes. */
import type { Nodes } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { nodes } from "../../tables.ts";

const generationRow = rowShape(fieldsOf(nodes, "generation"));
const liveRow = rowShape(fieldsOf(nodes, "name", "generation", "hostname", "pid"));

/** `free`: the name is taken unconditionally, since no other node can exist. */
const acquire = `insert into nodes (name, generation, state, home, hostname, pid, started_at, beat_at, lease_t)
values (:name, 1, 'up', :home, :hostname, :pid, :at, :at, ${steadyNow} + :lease_ms)
on conflict (name) do update
  set generation = nodes.generation + 1, state = 'up', home = excluded.home, hostname = excluded.hostname,
    pid = excluded.pid, started_at = excluded.started_at, beat_at = excluded.beat_at, lease_t = excluded.lease_t
where :free or nodes.home = excluded.home or nodes.state = 'dead' or nodes.lease_t < ${steadyNow}
returning ${generationRow.columns}`;

export function createNodes(database: Database): Nodes {
  const { clock, shared } = database;

  return {
    async acquire({ name, home, hostname, pid, leaseMs }) {
      const [rows] = await database.write([
        {
          sql: acquire,
          args: {
            ...{ name, home, hostname, pid },
            lease_ms: leaseMs,
            free: !shared,
            at: clock.wall(),
          },
        },
      ]);
      const [node] = generationRow.read(rows);
      return node && { name, generation: node.generation };
    },

    async renew(node, leaseMs, patienceMs) {
      const [renewed] = await database.write(
        [
          {
            sql: `update nodes set lease_t = ${steadyNow} + :lease_ms, beat_at = :at
where name = :node and generation = :generation and state <> 'dead'`,
            args: {
              node: node.name,
              generation: node.generation,
              lease_ms: leaseMs,
              at: clock.wall(),
            },
          },
        ],
        { patienceMs, essential: true },
      );
      return (renewed?.changes ?? 0) > 0;
    },

    async setState(node, state) {
      await database.write(
        [
          {
            sql: "update nodes set state = :state where name = :node and generation = :generation",
            args: { node: node.name, generation: node.generation, state },
          },
        ],
        { essential: true },
      );
    },

    async retireExpired(graceMs, but) {
      const isOther = but === undefined ? "" : " and name <> :but";
      await database.write([
        {
          sql: `update nodes set state = 'dead' where state <> 'dead' and lease_t < ${steadyNow} - :grace_ms${isOther}`,
          args: { grace_ms: graceMs, ...(but === undefined ? {} : { but: but.name }) },
        },
      ]);
    },

    async retireOthers(node) {
      await database.write([
        {
          sql: "update nodes set state = 'dead' where name <> :node and state <> 'dead'",
          args: { node: node.name },
        },
      ]);
    },

    live: () =>
      database.list(liveRow, {
        sql: `select ${liveRow.columns} from nodes where state <> 'dead' and lease_t > ${steadyNow}`,
        args: {},
      }),

    async releaseQueues(node, queues) {
      const named = queues === undefined ? "" : " and name in :queues";
      await database.write([
        {
          sql: `delete from queues where node = :node and generation = :generation${named}
  and not exists (select 1 from jobs r indexed by jobs_pinned
    where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')`,
          args: {
            node: node.name,
            generation: node.generation,
            ...(queues === undefined ? {} : { queues }),
          },
        },
      ]);
    },
  };
}
