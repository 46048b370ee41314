/** Workers of all nodes as they last told of themselves, and wishes to stop one. */
import { and, eq, inArray } from "drizzle-orm";
import type { NodeFence, StoredWorker, WorkerState, Workers } from "../port.ts";
import { asNumber, asText, asTextOrNull, type Database, named, nowSql, statementOf } from "./database.ts";
import { workers } from "./schema.ts";

export function createWorkers(database: Database): Workers {
  const { orm, ask, clock } = database;

  return {
    /** Replaces what this node told before. */
    async report(
      life: NodeFence,
      at: { hostname: string; pid: number },
      states: readonly WorkerState[],
    ): Promise<void> {
      const beatAt = clock.wall();
      const names = JSON.stringify(states.map((one) => one.name));
      const gone = {
        sql: "delete from workers where node = ? and name not in (select value from json_each(?))",
        args: [life.name, names],
      };
      const rows = states.map((one) =>
        statementOf(
          orm
            .insert(workers)
            .values({
              name: one.name,
              node: life.name,
              generation: life.generation,
              status: one.status,
              pid: at.pid,
              hostname: at.hostname,
              queue: one.queue,
              currentJob: one.currentJob,
              beatAt: beatAt,
              birthAt: one.birthAt,
              succeeded: one.succeeded,
              failed: one.failed,
            })
            .onConflictDoUpdate({
              target: workers.name,
              set: {
                generation: life.generation,
                status: one.status,
                pid: at.pid,
                currentJob: one.currentJob,
                beatAt: beatAt,
                birthAt: one.birthAt,
                succeeded: one.succeeded,
                failed: one.failed,
              },
            }),
        ),
      );
      await database.write([gone, ...rows]);
    },

    async ofOtherNodes(node: string): Promise<StoredWorker[]> {
      const rows = await database.read({
        sql: `select w.*, exists (select 1 from nodes n where n.name = w.node and n.generation = w.generation
and n.state <> 'dead' and n.lease_t > ${nowSql}) as alive from workers w where w.node <> ? order by w.name`,
        args: [database.now(), node],
      });
      return named(rows).map((row) => ({
        name: asText(row.name),
        status: asText(row.status),
        queue: asText(row.queue),
        currentJob: asTextOrNull(row.current_job),
        birthAt: asNumber(row.birth_at),
        succeeded: asNumber(row.succeeded),
        failed: asNumber(row.failed),
        node: asText(row.node),
        hostname: asText(row.hostname),
        pid: asNumber(row.pid),
        heartbeatAt: asNumber(row.beat_at),
        alive: row.alive === 1,
      }));
    },

    async requestStop(names: readonly string[]): Promise<void> {
      await ask(
        orm
          .update(workers)
          .set({ stop: 1 })
          .where(inArray(workers.name, [...names]))
          .run(),
      );
    },

    /** Wishes for this node; each is given once. */
    async takeStopRequests(node: string): Promise<string[]> {
      const wished = await ask(
        orm
          .select({ name: workers.name })
          .from(workers)
          .where(and(eq(workers.node, node), eq(workers.stop, 1))),
      );
      if (wished.length === 0) return [];
      const names = wished.map((one) => one.name);
      await ask(orm.update(workers).set({ stop: 0 }).where(inArray(workers.name, names)).run());
      return names;
    },
  };
}
