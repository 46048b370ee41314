/** Keeps the database small: what is too old goes in small batches, so that nobody waits for it. */
import type { Retention } from "../port.ts";
import { type Database, steadyNow } from "./database/database.ts";
import type { Statement } from "./database/statement.ts";

/** A batch takes about 10 ms on a file. */
const batch = 200;

/** Ended jobs whose time is over, and whose webhook has nothing left to deliver. */
const oldJobs = `select seq from jobs j indexed by jobs_keep
  where j.keep_t is not null and j.keep_t < ${steadyNow}
    and not exists (select 1 from deliveries d where d.job_id = j.id and d.state = 'pending')
  order by j.keep_t, j.seq limit ${batch}`;
const oldIds = `select id from jobs where seq in (${oldJobs})`;

export function createRetention(database: Database): Retention {
  const { clock, shared } = database;

  /** @returns how many rows the last statement deleted. */
  async function remove(...statements: Statement[]): Promise<number> {
    const results = await database.write(statements, { essential: true });
    return results.at(-1)?.changes ?? 0;
  }

  return {
    batch,

    jobs() {
      const args = { now: database.now() };
      return remove(
        { sql: `delete from deliveries where job_id in (${oldIds})`, args },
        { sql: `delete from sendings where job_id in (${oldIds})`, args },
        { sql: `delete from jobs where seq in (${oldJobs})`, args },
      );
    },

    audit: (keptMs) =>
      remove({
        sql: `delete from audit where id in (select id from audit where at < :before order by at limit ${batch})`,
        args: { before: clock.wall() - keptMs },
      }),

    idempotency: () =>
      remove({
        sql: `delete from idempotency
where rowid in (select rowid from idempotency where drop_t < ${steadyNow} limit ${batch})`,
        args: { now: database.now() },
      }),

    async shrink() {
      if (shared) return;
      // A few pages at a time, and the log. Part of a transaction, the first one makes its COMMIT fail.
      await database.runOutsideTransaction("pragma incremental_vacuum(500)");
      await database.runOutsideTransaction("pragma wal_checkpoint(truncate)");
    },
  };
}
