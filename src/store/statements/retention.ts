/** Retention: deletes expired rows in small batches that do not block other writes. */
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { Retention } from "../port.ts";
import type { Database } from "../sql/database.ts";
import { steadyNow } from "../sql/notation.ts";
import { fieldsOf, number, rowShape, truth } from "../sql/rows.ts";
import type { Statement } from "../sql/statement.ts";
import { jobs } from "../tables.ts";
import { deleteTranscripts } from "./trail/transcripts.ts";

/** A batch takes about 10 ms on a file. */
const batch = 200;

/** Rows scanned per batch: about 5 ms. */
const lookedAtOnce = 1_000;

/** The change of its bulk goes on, and has not read how its jobs ended, or compares with what they read before the waves. */
const neededByChange = `exists (select 1 from bulks b join changes c on c.id = b.change_id
  where b.id = j.bulk_id and c.ended_at is null and (b.change_part like 'wave.0.%' or not exists (
    select 1 from bulks later where later.change_id = b.change_id and later.seq > b.seq)))`;

const oldRow = rowShape({
  ...fieldsOf(jobs, "seq"),
  keepT: number("keep_t"),
  needed: truth("needed", neededByChange),
  delivers: truth(
    "delivers",
    "exists (select 1 from deliveries d where d.job_id = j.id and d.state = 'pending')",
  ),
});
/**
 * Ended jobs whose result ttl is over. A job whose webhook is still undelivered, or whose change still needs it,
 * stays, and many such jobs may precede others.
 */
const oldJobs = `select ${oldRow.columns} from jobs j indexed by jobs_keep
  where j.keep_t is not null and j.keep_t < ${steadyNow} and (j.keep_t, j.seq) > (:keep_t, :seq)
  order by j.keep_t, j.seq limit ${lookedAtOnce}`;
const beginning = { keepT: Number.MIN_SAFE_INTEGER, seq: 0 };
/** Expired rows stay expired, so they may be deleted in a later transaction. */
const ofOld = (column: string) => `select ${column} from jobs where seq in :seqs`;

export function createRetention(database: Database): Retention {
  const { clock } = database;

  /** Scan position: rows that stay are not scanned again for each batch. */
  let behind = beginning;

  /** At most one batch. */
  async function nextOld() {
    const old: number[] = [];
    for (;;) {
      const args = { keep_t: behind.keepT, seq: behind.seq };
      const looked = await database.select(oldRow, { sql: oldJobs, args });
      for (const { delivers, needed, ...job } of looked) {
        if (old.length === batch) return old;
        behind = job;
        if (!delivers && !needed) old.push(job.seq);
      }
      if (looked.length === lookedAtOnce) await yieldToEventLoop();
      else {
        behind = beginning;
        return old;
      }
    }
  }

  /** @returns the number of rows that the last statement deleted */
  async function remove(...statements: Statement[]): Promise<number> {
    const results = await database.write(statements, { essential: true });
    return results.at(-1)?.changes ?? 0;
  }

  return {
    batch,

    async jobs() {
      const old = await nextOld();
      if (old.length === 0) return 0;
      // By number: the ids of damaged rows cannot be read.
      const seqs = { seqs: old };
      const [, , , deleted] = await database.write(
        [
          { sql: `delete from deliveries where job_id in (${ofOld("id")})`, args: seqs },
          { sql: `delete from sendings where job_id in (${ofOld("id")})`, args: seqs },
          {
            sql: `delete from bulks where id in (${ofOld("bulk_id")}) and not exists (
  select 1 from jobs where bulk_id = bulks.id and bulk_id is not null and seq not in :seqs)`,
            args: seqs,
          },
          { sql: `delete from jobs where seq in :seqs`, args: seqs },
        ],
        { essential: true },
      );
      return deleted?.changes ?? 0;
    },

    async audit(keptMs) {
      const before = clock.wall() - keptMs;
      const removed = await remove({
        sql: `delete from audit where id in (select id from audit where at < :before order by at limit ${batch})`,
        args: { before },
      });
      return Math.max(removed, await remove(deleteTranscripts(before, batch)));
    },

    idempotency: () =>
      remove({
        sql: `delete from idempotency
where rowid in (select rowid from idempotency where drop_t < ${steadyNow} limit ${batch})`,
        args: {},
      }),

    async shrink() {
      // A few pages at a time, and the WAL. Inside a transaction, the first pragma makes COMMIT fail.
      await database.script?.("pragma incremental_vacuum(500)");
      await database.script?.("pragma wal_checkpoint(truncate)");
    },
  };
}
