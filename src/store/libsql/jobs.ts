/** Jobs as callers see them, read page by page, newest first. */
import { and, desc, eq, getTableColumns, gte, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { ServiceError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/yield.ts";
import { pinnedQueue } from "../../model/identity.ts";
import type { JobStatus } from "../../model/job.ts";
import type { JobConditions, JobHead, Jobs, StoredJob, UnopenedJob, WaitingLane } from "../port.ts";
import type { SealPlace } from "./cipher.ts";
import type { Database } from "./database.ts";
import { jobs } from "./schema.ts";
import { seals } from "./seals.ts";

type Row = typeof jobs.$inferSelect;
type Plain = Omit<JobConditions, "status"> & { readonly status?: JobStatus | undefined };

export function createJobReads({ orm, ask, cipher, read }: Database): Omit<Jobs, "insert"> {
  const { payload, sent, request, ...columns } = getTableColumns(jobs);
  const wholeColumns = { ...columns, request };

  /** Built once: building it is more work than reading the one row. */
  const byId = orm
    .select(wholeColumns)
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder("id")))
    .prepare();

  async function select(conditions: Plain & { fromSeq?: number }, limit: number): Promise<StoredJob[]> {
    const rows = await ask(
      orm
        .select(columns)
        .from(jobs)
        .where(and(...where(conditions)))
        .orderBy(desc(jobs.seq))
        .limit(limit),
    );
    return rows.map(storedOf);
  }

  function storedOf(row: Pick<Row, keyof typeof columns> & { request?: Row["request"] }): StoredJob {
    const open = (sealed: Row["asked"] | undefined, place: SealPlace) =>
      sealed ? (cipher.tryOpen(sealed, place) ?? null) : null;
    return {
      ...row,
      asked: open(row.asked, seals.asked(row.id)),
      request: open(row.request, seals.request(row.id)),
      whole: row.request !== undefined,
      result: row.result === null ? null : (cipher.tryOpen(row.result, seals.result(row.id)) ?? damaged),
    };
  }

  function openedUpTo(sealed: Uint8Array, place: SealPlace, bytes: number): string | undefined {
    try {
      return cipher.openUpTo(sealed, place, bytes);
    } catch (error) {
      if (error instanceof ServiceError) return damaged;
      throw error;
    }
  }

  async function selectHeads(conditions: Plain & { fromSeq?: number }, limit: number): Promise<JobHead[]> {
    return ask(
      orm
        .select({
          seq: jobs.seq,
          id: jobs.id,
          host: jobs.host,
          caller: jobs.caller,
          bulkId: jobs.bulkId,
          hasWebhook: jobs.hasWebhook,
          // The length of a blob is read without the blob.
          bytes: sql<number>`coalesce(length(${jobs.result}), 0) + coalesce(length(${jobs.asked}), 0)`,
        })
        .from(jobs)
        .where(and(...where(conditions)))
        .orderBy(desc(jobs.seq))
        .limit(limit),
    );
  }

  /** Newest first. */
  async function walk<T extends { seq: number }>(
    conditions: JobConditions,
    limit: number,
    some: (conditions: Plain & { fromSeq?: number }, limit: number) => Promise<T[]>,
  ): Promise<T[]> {
    const { status } = conditions;
    if (typeof status !== "object") return walkOne({ ...conditions, status }, limit, some);
    // One after the other: over two statuses at once no index gives the order.
    const found: T[] = [];
    for (const one of status) found.push(...(await walkOne({ ...conditions, status: one }, limit, some)));
    return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  async function walkOne<T>(
    conditions: Plain,
    limit: number,
    some: (conditions: Plain & { fromSeq?: number }, limit: number) => Promise<T[]>,
  ): Promise<T[]> {
    const fromSeq =
      conditions.createdSince === undefined && !isScan(conditions)
        ? 0
        : await firstSeq(conditions.createdSince);
    if (!isScan(conditions)) return some({ ...conditions, fromSeq }, limit);
    // No index: read in stretches that hold nobody up. An index more would cost every submission.
    const found: T[] = [];
    let beforeSeq = conditions.beforeSeq ?? (await lastSeq()) + 1;
    while (beforeSeq > fromSeq && found.length < limit) {
      const from = Math.max(fromSeq, beforeSeq - scanRows);
      found.push(...(await some({ ...conditions, beforeSeq, fromSeq: from }, limit - found.length)));
      beforeSeq = from;
      await yieldToEventLoop();
    }
    return found;
  }

  async function lastSeq(): Promise<number> {
    const { rows } = await read({ sql: "select coalesce(max(seq), 0) from jobs", args: [] });
    return Number(rows[0]?.[0] ?? 0);
  }

  /** The first job of that time or later, or of all: jobs stand in the order of their times but for a clock set back. */
  async function firstSeq(since: number | undefined): Promise<number> {
    const { rows } = await read({
      sql: "select (select min(seq) from jobs), (select max(seq) from jobs)",
      args: [],
    });
    let [low, high] = [Number(rows[0]?.[0] ?? 0), Number(rows[0]?.[1] ?? 0) + 1];
    if (since === undefined) return low;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { rows: at } = await read({
        sql: "select seq, created_at from jobs where seq >= ? order by seq limit 1",
        args: [middle],
      });
      if (at[0] === undefined || Number(at[0][1]) >= since) high = middle;
      else low = Number(at[0][0]) + 1;
    }
    return low;
  }

  return {
    page: (conditions: JobConditions, limit: number) => walk(conditions, limit, select),

    /** Which jobs a page is of, newest first, without their results. */
    heads: (conditions: JobConditions, limit: number) => walk(conditions, limit, selectHeads),

    /** Newest first, results unopened; those that were deleted since are left out. */
    async load(seqs: readonly number[], whole = false): Promise<UnopenedJob[]> {
      const rows = await ask(
        orm
          .select(whole ? wholeColumns : columns)
          .from(jobs)
          .where(sql`${jobs.seq} in (select value from json_each(${JSON.stringify(seqs)}))`)
          .orderBy(desc(jobs.seq)),
      );
      return rows.map((row) => ({
        status: row.status,
        open: () => storedOf(row),
        openUpTo(bytes) {
          if (row.result === null) return storedOf(row);
          const result = openedUpTo(row.result, seals.result(row.id), bytes);
          return result === undefined ? undefined : { ...storedOf({ ...row, result: null }), result };
        },
      }));
    },

    async find(id: string): Promise<StoredJob | undefined> {
      const [row] = await ask(byId.all({ id }));
      return row && storedOf(row);
    },

    async statusesOf(ids: readonly string[]): Promise<Map<string, JobStatus>> {
      const { rows } = await read({
        sql: "select id, status from jobs where id in (select value from json_each(?))",
        args: [JSON.stringify(ids)],
      });
      return new Map(rows.map(([id, status]) => [String(id), String(status) as JobStatus]));
    },

    /** Jobs of a bulk that have not ended. */
    async unfinishedOf(bulkId: string): Promise<number> {
      const [row] = await ask(
        orm
          .select({ count: sql<number>`count(*)` })
          .from(jobs)
          .where(
            and(
              eq(jobs.bulkId, bulkId),
              isNotNull(jobs.bulkId),
              inArray(jobs.status, ["queued", "held", "running"]),
            ),
          ),
      );
      return row?.count ?? 0;
    },

    /** Queued jobs by caller. */
    async queuedByCaller(): Promise<Map<string, number>> {
      const { rows } = await read({
        sql: "select caller, count(*) from jobs where status = 'queued' group by caller",
        args: [],
      });
      return new Map(rows.map(([caller, count]) => [String(caller), Number(count)]));
    },

    /** Lanes with queued jobs that were submitted after `seq`. */
    async lanesAfter(seq: number): Promise<WaitingLane[]> {
      const { rows } = await read({
        sql: `select lane, min(strategy), min(caller), min(bulk_id), count(*), max(seq) from jobs indexed by jobs_ready
where status = 'queued' and seq > ? group by lane`,
        args: [seq],
      });
      return rows.map(([lane, strategy, caller, bulkId, count, last]) => ({
        lane: String(lane),
        strategy: strategy === "pinned" ? "pinned" : "fifo",
        caller: String(caller),
        bulkId: bulkId === null || bulkId === undefined ? null : String(bulkId),
        count: Number(count),
        lastSeq: Number(last),
      }));
    },

    lastSeq,
  };
}

/** What a caller is told of a result that can not be read any more. */
const damaged = JSON.stringify({
  type: "failed",
  retval: null,
  error: { type: "Internal", message: "The stored result is damaged and can not be opened." },
});

/** Rows that are looked at in one stretch: about 5 ms. */
const scanRows = 5_000;

function isScan({ ids, status, hostKey, bulkId, queue, driver }: Plain): boolean {
  const indexed = ids ?? status ?? hostKey ?? bulkId ?? hostOf(queue);
  return indexed === undefined && (queue ?? driver) !== undefined;
}

/** A pinned queue is its host by another name. */
function hostOf(queue: string | undefined): string | undefined {
  return queue?.startsWith(pinnedQueue("")) ? queue.slice(pinnedQueue("").length) : undefined;
}

function where(conditions: Plain & { fromSeq?: number }): SQL[] {
  const { ids, status, queue, driver, bulkId, createdSince, beforeSeq, fromSeq } = conditions;
  const hostKey = conditions.hostKey ?? hostOf(queue);
  const all: (SQL | undefined | false)[] = [
    ids !== undefined && inArray(jobs.id, [...ids]),
    status !== undefined && eq(jobs.status, status),
    queue !== undefined && eq(jobs.queue, queue),
    hostKey !== undefined && eq(jobs.hostKey, hostKey),
    driver !== undefined && eq(jobs.driver, driver),
    // The partial index is used only when its own condition is said, too.
    bulkId !== undefined && and(eq(jobs.bulkId, bulkId), isNotNull(jobs.bulkId)),
    createdSince !== undefined && gte(jobs.createdAt, createdSince),
    beforeSeq !== undefined && lt(jobs.seq, beforeSeq),
    fromSeq !== undefined && fromSeq > 0 && gte(jobs.seq, fromSeq),
  ];
  return all.filter((one) => one !== undefined && one !== false);
}
