/** Keeps the database small: what is too old goes in small batches, so that nobody waits for it. */
import type { Retention } from "../port.ts";
import { type Database, nowSql } from "./database.ts";

/** A batch takes about 10 ms on a file. */
const batch = 200;

/** Ended jobs whose time is over, and whose webhook has nothing left to deliver. */
const old = `select seq from jobs j indexed by jobs_keep where j.keep_t is not null and j.keep_t < ${nowSql}
and not exists (select 1 from deliveries d where d.job_id = j.id and d.state = 'pending') order by j.keep_t, j.seq limit ${batch}`;

export function createRetention(database: Database): Retention {
  const { clock, shared } = database;

  return {
    /** Each returns how many rows went; fewer than a batch means that nothing is left. */
    batch,

    async jobs(): Promise<number> {
      const now = database.now();
      const [, , rows] = await database.write(
        [
          {
            sql: `delete from deliveries where job_id in (select id from jobs where seq in (${old}))`,
            args: [now],
          },
          {
            sql: `delete from sendings where job_id in (select id from jobs where seq in (${old}))`,
            args: [now],
          },
          { sql: `delete from jobs where seq in (${old})`, args: [now] },
        ],
        { essential: true },
      );
      return rows?.changes ?? 0;
    },

    async audit(keptMs: number): Promise<number> {
      const [rows] = await database.write(
        [
          {
            sql: `delete from audit where id in (select id from audit where at < ? order by at limit ${batch})`,
            args: [clock.wall() - keptMs],
          },
        ],
        { essential: true },
      );
      return rows?.changes ?? 0;
    },

    async idempotency(): Promise<number> {
      const [rows] = await database.write(
        [
          {
            sql: `delete from idempotency where rowid in (select rowid from idempotency where drop_t < ${nowSql} limit ${batch})`,
            args: [database.now()],
          },
        ],
        { essential: true },
      );
      return rows?.changes ?? 0;
    },

    /** Gives free pages back to the file system, a few at a time, and empties the log. */
    async shrink(): Promise<void> {
      if (shared) return;
      // Part of a transaction, the first one makes its COMMIT fail.
      await database.chore("pragma incremental_vacuum(500)");
      await database.chore("pragma wal_checkpoint(truncate)");
    },
  };
}
