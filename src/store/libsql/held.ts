/** Jobs that wait for a word: those of a copied directory. Released, they wait in their old order as if submitted now. */
import type { HeldJobs, ReleasedJob } from "../port.ts";
import { asText, asTextOrNull, type Database, named, nowSql } from "./database.ts";

const release = `update jobs set status = 'queued', enqueued_at = ?, queued_t = ${nowSql}, expires_t = ${nowSql} + ttl_ms
where +status = 'held'`;

export function createHeld(database: Database): HeldJobs {
  const { clock } = database;

  return {
    /** @returns those that were held. */
    async release(ids: readonly string[]): Promise<ReleasedJob[]> {
      const now = database.now();
      const [rows] = await database.write([
        {
          sql: `${release} and id in (select value from json_each(?)) returning id, lane, strategy, bulk_id, caller`,
          args: [clock.wall(), now, now, JSON.stringify(ids)],
        },
      ]);
      return named(rows).map((row) => ({
        id: asText(row.id),
        lane: asText(row.lane),
        strategy: row.strategy === "pinned" ? "pinned" : "fifo",
        bulkId: asTextOrNull(row.bulk_id),
        caller: asText(row.caller),
      }));
    },

    /** @returns how many there were. */
    async releaseAll(): Promise<number> {
      const now = database.now();
      const [rows] = await database.write(
        [{ sql: release.replace("+status", "status"), args: [clock.wall(), now, now] }],
        { patienceMs: 60_000 },
      );
      return rows?.changes ?? 0;
    },
  };
}
