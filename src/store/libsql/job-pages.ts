/** Jobs page by page, newest first, by conditions that an index finds or that are looked for in stretches. */
import { yieldToEventLoop } from "../../base/yield.ts";
import { pinnedQueue } from "../../model/identity.ts";
import type { JobStatus } from "../../model/job.ts";
import type { JobConditions } from "../port.ts";
import type { Database } from "./database/database.ts";
import { fieldsOf, number, orNull, type RowShape, rowShape } from "./database/rows.ts";
import { jobs } from "./database/schema.ts";
import type { Args } from "./database/statement.ts";

/** Rows that are looked at in one stretch: about 5 ms. */
const scanRows = 5_000;

/** Conditions with one status, and the first job that counts. */
type Search = Omit<JobConditions, "status"> & {
  readonly status?: JobStatus | undefined;
  readonly fromSeq?: number;
};

const lastRow = rowShape({ seq: number("seq", "coalesce(max(seq), 0)") });
const endsRow = rowShape({
  first: orNull(number("first", "(select min(seq) from jobs)")),
  last: orNull(number("last", "(select max(seq) from jobs)")),
});
const createdRow = rowShape(fieldsOf(jobs, "seq", "createdAt"));

export function createJobPages(database: Database) {
  async function search<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: Search,
    limit: number,
  ): Promise<T[]> {
    const { sql, args } = where(conditions);
    return database.select(shape, {
      sql: `select ${shape.columns} from jobs${sql} order by seq desc limit :limit`,
      args: { ...args, limit },
    });
  }

  async function page<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: JobConditions,
    limit: number,
  ): Promise<T[]> {
    const { status } = conditions;
    if (typeof status !== "object") return pageOfStatus(shape, { ...conditions, status }, limit);
    // One after the other: over two statuses at once no index gives the order.
    const found: T[] = [];
    for (const word of status)
      found.push(...(await pageOfStatus(shape, { ...conditions, status: word }, limit)));
    return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  async function pageOfStatus<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: Search,
    limit: number,
  ): Promise<T[]> {
    const isScan = !hasIndex(conditions);
    const fromSeq =
      conditions.createdSince === undefined && !isScan ? 0 : await firstSeq(conditions.createdSince);
    if (!isScan) return search(shape, { ...conditions, fromSeq }, limit);
    // No index: read in stretches that hold nobody up. An index more would cost every submission.
    const found: T[] = [];
    let beforeSeq = conditions.beforeSeq ?? (await lastSeq()) + 1;
    while (beforeSeq > fromSeq && found.length < limit) {
      const from = Math.max(fromSeq, beforeSeq - scanRows);
      const stretch = { ...conditions, beforeSeq, fromSeq: from };
      found.push(...(await search(shape, stretch, limit - found.length)));
      beforeSeq = from;
      await yieldToEventLoop();
    }
    return found;
  }

  async function lastSeq(): Promise<number> {
    const [last] = await database.select(lastRow, { sql: `select ${lastRow.columns} from jobs`, args: {} });
    return last?.seq ?? 0;
  }

  /** The first job of that time or later, or of all: jobs stand in the order of their times but for a clock set back. */
  async function firstSeq(since: number | undefined): Promise<number> {
    const [ends] = await database.select(endsRow, { sql: `select ${endsRow.columns}`, args: {} });
    let [low, high] = [ends?.first ?? 0, (ends?.last ?? 0) + 1];
    if (since === undefined) return low;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [job] = await database.select(createdRow, {
        sql: `select ${createdRow.columns} from jobs where seq >= :seq order by seq limit 1`,
        args: { seq: middle },
      });
      if (job === undefined || job.createdAt >= since) high = middle;
      else low = job.seq + 1;
    }
    return low;
  }

  return { page, lastSeq };
}

/** Everything is in order of `seq`: only a queue or a driver alone is found by no index. */
function hasIndex({ ids, status, hostKey, bulkId, queue, driver }: Search): boolean {
  const indexed = ids ?? status ?? hostKey ?? bulkId ?? hostOf(queue);
  return indexed !== undefined || (queue ?? driver) === undefined;
}

/** A pinned queue is its host by another name. */
function hostOf(queue: string | undefined): string | undefined {
  return queue?.startsWith(pinnedQueue("")) ? queue.slice(pinnedQueue("").length) : undefined;
}

function where(search: Search): { sql: string; args: Args } {
  const terms: string[] = [];
  const args: Record<string, string | number> = {};
  const add = (sql: string, name: string, value: string | number | undefined) => {
    if (value === undefined) return;
    terms.push(sql);
    args[name] = value;
  };
  add("id in (select value from json_each(:ids))", "ids", search.ids && JSON.stringify(search.ids));
  add("status = :status", "status", search.status);
  add("queue = :queue", "queue", search.queue);
  add("host_key = :host_key", "host_key", search.hostKey ?? hostOf(search.queue));
  add("driver = :driver", "driver", search.driver);
  // The partial index is used only when its own condition is said, too.
  add("bulk_id = :bulk_id and bulk_id is not null", "bulk_id", search.bulkId);
  add("created_at >= :created_since", "created_since", search.createdSince);
  add("seq < :before_seq", "before_seq", search.beforeSeq);
  add("seq >= :from_seq", "from_seq", search.fromSeq || undefined);
  return { sql: terms.length === 0 ? "" : ` where ${terms.join(" and ")}`, args };
}
