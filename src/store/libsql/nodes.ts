/** Nodes: a new generation with each life, a lease by the clock of the database, and who is dead. */
import type { LiveNode, NodeFacts, NodeFence, Nodes } from "../port.ts";
import { asNumber, asText, type Database, named, nowSql } from "./database.ts";

export function createNodes(database: Database): Nodes {
  const { clock, shared } = database;

  return {
    /**
     * Begins a life. On a shared store the name must be free: unused, its lease over, or of this data directory.
     * @returns undefined when another process with another data directory lives under the name.
     */
    async acquire(facts: NodeFacts): Promise<NodeFence | undefined> {
      const at = clock.wall();
      const now = database.now();
      const [rows] = await database.write([
        {
          sql: `insert into nodes (name, generation, state, home, hostname, pid, started_at, beat_at, lease_t)
values (?, 1, 'up', ?, ?, ?, ?, ?, ${nowSql} + ?)
on conflict (name) do update set generation = generation + 1, state = 'up', home = excluded.home, hostname = excluded.hostname,
pid = excluded.pid, started_at = excluded.started_at, beat_at = excluded.beat_at, lease_t = excluded.lease_t
where ? or nodes.home = excluded.home or nodes.state = 'dead' or nodes.lease_t < ${nowSql}
returning generation`,
          args: [
            facts.name,
            facts.home,
            facts.hostname,
            facts.pid,
            at,
            at,
            now,
            facts.leaseMs,
            shared ? 0 : 1,
            now,
          ],
        },
      ]);
      const generation = rows?.rows[0]?.[0];
      return generation === undefined ? undefined : { name: facts.name, generation: asNumber(generation) };
    },

    /** @returns false when this life is over: another one began, or the node was declared dead. */
    async renew(life: NodeFence, leaseMs: number, patienceMs: number): Promise<boolean> {
      const [rows] = await database.write(
        [
          {
            sql: `update nodes set lease_t = ${nowSql} + ?, beat_at = ? where name = ? and generation = ? and state <> 'dead'`,
            args: [database.now(), leaseMs, clock.wall(), life.name, life.generation],
          },
        ],
        { patienceMs, essential: true },
      );
      return (rows?.changes ?? 0) > 0;
    },

    async setState(life: NodeFence, state: "up" | "draining" | "dead"): Promise<void> {
      await database.write(
        [
          {
            sql: "update nodes set state = ? where name = ? and generation = ?",
            args: [state, life.name, life.generation],
          },
        ],
        { essential: true },
      );
    },

    /** Declares nodes dead whose lease ended more than `graceMs` ago. */
    async retireExpired(graceMs: number): Promise<void> {
      await database.write([
        {
          sql: `update nodes set state = 'dead' where state <> 'dead' and lease_t < ${nowSql} - ?`,
          args: [database.now(), graceMs],
        },
      ]);
    },

    /** A file has one owner: whoever else stands in it is of the past, whatever its lease says. */
    async retireOthers(life: NodeFence): Promise<void> {
      await database.write([
        { sql: "update nodes set state = 'dead' where name <> ? and state <> 'dead'", args: [life.name] },
      ]);
    },

    async live(): Promise<LiveNode[]> {
      const rows = await database.read({
        sql: `select name, hostname, pid from nodes where state <> 'dead' and lease_t > ${nowSql}`,
        args: [database.now()],
      });
      return named(rows).map((row) => ({
        name: asText(row.name),
        hostname: asText(row.hostname),
        pid: asNumber(row.pid),
      }));
    },

    /** Gives back pinned queues, so that another node may take them. */
    async releaseQueues(life: NodeFence, names?: readonly string[]): Promise<void> {
      const some = names === undefined ? "" : " and name in (select value from json_each(?))";
      await database.write([
        {
          sql: `delete from queues where node = ? and generation = ?${some}
and not exists (select 1 from jobs r indexed by jobs_pinned where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')`,
          args: [life.name, life.generation, ...(names === undefined ? [] : [JSON.stringify(names)])],
        },
      ]);
    },
  };
}
