/** Jobs: inserted, and read for listings. */

import { ServiceError } from "../../../base/errors.ts";
import type { Cipher, SealPlace } from "../../cipher.ts";
import type { JobParts, Jobs, StoredJob, UnopenedJob } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, type RowShape, rowShape, truth } from "../../sql/rows.ts";
import { namesOf, placeOf } from "../../tables/columns.ts";
import { jobRecord, jobs } from "../../tables.ts";
import type { DamagedJobs } from "../work/damaged-jobs.ts";
import { createInsert } from "./insert.ts";
import { createJobPages } from "./job-pages.ts";
import { idsFrom, shareField, submitterFields } from "./listing.ts";

const fields = { ...fieldsOf(jobs, ...namesOf(jobRecord)), ...submitterFields("jobs") };
const parts = fieldsOf(jobs, "result", "asked", "request");
const unread = { sql: "null", read: () => null };

/** Unrequested columns are not read: the rest of a row is a few hundred bytes, a result may be megabytes. */
export function jobShape({ result = true, asked = true, request = false }: JobParts = {}): RowShape<JobRow> {
  return rowShape({
    ...fields,
    result: result ? parts.result : { ...parts.result, ...unread },
    asked: asked ? parts.asked : { ...parts.asked, ...unread },
    ...(request ? { request: parts.request } : {}),
  });
}

export type ListedRow = JobRow & { readonly bytes: number; readonly isSmall: boolean };

/** Rows of a list in one statement: encrypted columns are included up to `:most` bytes, and their total size always. */
export function listedShape({ result = true, asked = true, request = false }: JobParts): RowShape<ListedRow> {
  const selected = Object.entries({ result, asked, request }).filter(([, isWanted]) => isWanted);
  // SQLite reads the length of a blob without reading the blob.
  const lengths = selected.map(([column]) => `coalesce(length(${column}), 0)`).join(" + ") || "0";
  const small = `${lengths} <= :most`;
  const smallOnly = (column: string) => ({ sql: `case when ${small} then ${column} end` });
  return rowShape({
    ...fields,
    bytes: number("bytes", lengths),
    isSmall: truth("is_small", small),
    result: { ...parts.result, ...(result ? smallOnly("result") : unread) },
    asked: { ...parts.asked, ...(asked ? smallOnly("asked") : unread) },
    ...(request ? { request: { ...parts.request, ...smallOnly("request") } } : {}),
  });
}

const states = rowShape(fields);
export type JobRow = (typeof states extends RowShape<infer T> ? T : never) & {
  readonly result: Uint8Array | null;
  readonly asked: Uint8Array | null;
  readonly request?: Uint8Array | null;
};

/** The result shown if the stored one can no longer be decrypted. */
const damaged = JSON.stringify({
  type: "failed",
  retval: null,
  error: { type: "Internal", message: "The stored result is damaged and cannot be decrypted." },
});

export function storedJob(cipher: Cipher, row: JobRow): StoredJob {
  return withResult(
    cipher,
    row,
    row.result && (cipher.tryOpen(row.result, placeOf(jobs.result, row.id)) ?? damaged),
  );
}

/** Copies the row once: a list makes 100,000 of these, and three copies took as long as the decryption. */
function withResult(cipher: Cipher, row: JobRow, result: string | null): StoredJob {
  const open = (sealed: Uint8Array | null | undefined, place: SealPlace) =>
    sealed ? (cipher.tryOpen(sealed, place) ?? null) : null;
  return {
    ...row,
    asked: open(row.asked, placeOf(jobs.asked, row.id)),
    request: open(row.request, placeOf(jobs.request, row.id)),
    whole: row.request !== undefined,
    result,
  };
}

export function unopenedJob(cipher: Cipher, row: JobRow): UnopenedJob {
  return {
    status: row.status,
    open: () => storedJob(cipher, row),
    bare: () => withResult(cipher, row, null),
    openUpTo(bytes) {
      const result = row.result && openUpTo(cipher, row.result, placeOf(jobs.result, row.id), bytes);
      return result === undefined ? undefined : withResult(cipher, row, result);
    },
  };
}

function openUpTo(cipher: Cipher, sealed: Uint8Array, place: SealPlace, bytes: number): string | undefined {
  try {
    return cipher.openUpTo(sealed, place, bytes);
  } catch (error) {
    if (error instanceof ServiceError) return damaged;
    throw error;
  }
}

const openRow = jobShape();
const wholeRow = jobShape({ request: true });
const placeRow = rowShape({
  before: number(
    "waiting_before",
    `case j.status
    when 'queued' then (select count(*) from jobs b indexed by jobs_ready
      where b.status = 'queued' and b.lane = j.lane and b.seq < j.seq)
    else case when j.due_t = 0 then (select count(*) from jobs b indexed by jobs_bulk_state
      where b.bulk_id = j.bulk_id and b.bulk_id is not null and b.status = 'held' and b.seq < j.seq)
    else (select count(*) from jobs b indexed by jobs_status
      where b.status = j.status and b.seq < j.seq and b.lane = j.lane) end end`,
  ),
  queueRuns: truth(
    "queue_runs",
    `exists (select 1 from jobs r indexed by jobs_pinned
    where r.status = 'running' and r.strategy = 'pinned' and r.queue = j.queue)`,
  ),
});
const headRow = rowShape({
  ...fieldsOf(jobs, "seq", "id", "host", "caller", "bulkId", "hasWebhook"),
  // SQLite reads the length of a blob without reading the blob.
  bytes: number("bytes", "coalesce(length(result), 0) + coalesce(length(asked), 0)"),
});
const statusRow = rowShape(fieldsOf(jobs, "id", "status"));
const oldestRow = rowShape(fieldsOf(jobs, "createdAt"));
const countRow = rowShape({ count: number("count", "count(*)") });
const progressRow = rowShape({
  unfinished: number("unfinished", "count(*) filter (where status <> 'failed')"),
  failed: number("failed", "count(*) filter (where status = 'failed')"),
});
const shareRow = rowShape({ count: number("waiting"), ...shareField });
const laneRow = rowShape({
  ...fieldsOf(jobs, "lane", "strategy", "bulkId"),
  ...shareField,
  count: number("waiting"),
  lastSeq: number("last_seq"),
});
const nearRow = rowShape({ ...fieldsOf(jobs, "seq", "lane", "strategy", "bulkId"), ...shareField });
const selectNear = `select ${nearRow.columns} from jobs indexed by jobs_status
where status = 'queued' and seq <= :last order by seq desc limit 500`;

/** Counted with a covering index; of each lane only one row is read, not all that wait in it. */
const selectLanes = `select ${laneRow.columns} from (
  select max(seq) as last_seq, count(*) as waiting from jobs indexed by jobs_ready
  where status = 'queued' group by lane having max(seq) > :seq) t1 join jobs on jobs.seq = last_seq`;

export function createJobs(database: Database, damagedJobs: DamagedJobs): Jobs {
  const { cipher } = database;
  const pages = createJobPages(database);

  return {
    insert: createInsert(database),

    async page(conditions, limit) {
      const rows = await pages.page(openRow, conditions, limit);
      return rows.map((row) => storedJob(cipher, row));
    },

    async listed(conditions, limit, parts = {}) {
      const rows = await pages.page(listedShape(parts), conditions, limit);
      return rows.map((row) => ({ head: row, job: row.isSmall ? unopenedJob(cipher, row) : undefined }));
    },

    heads: (conditions, limit) => pages.page(headRow, conditions, limit),

    async load(seqs, parts) {
      const shape = jobShape(parts);
      const rows = await database.list(shape, {
        sql: `select ${shape.columns} from jobs
where seq in :seqs order by seq desc`,
        args: { seqs },
      });
      return rows.map((row) => unopenedJob(cipher, row));
    },

    async find(id) {
      const [row] = await database.select(wholeRow, {
        sql: `select ${wholeRow.columns} from jobs where id = :id`,
        args: { id },
      });
      return row && storedJob(cipher, row);
    },

    async placeOf(id) {
      const [place] = await database.select(placeRow, {
        sql: `select ${placeRow.columns} from jobs j where j.id = :id and +j.status in ('queued', 'held')`,
        args: { id },
      });
      return place;
    },

    idsFrom: (prefix, limit) => idsFrom(database, "jobs", prefix, limit),

    async statusesOf(ids) {
      const rows = await database.list(statusRow, {
        sql: `select ${statusRow.columns} from jobs where id in :ids`,
        args: { ids },
      });
      return new Map(rows.map(({ id, status }) => [id, status]));
    },

    async unfinishedOf(bulkId) {
      const [row] = await database.select(countRow, {
        sql: `select ${countRow.columns} from jobs
where bulk_id = :bulk_id and bulk_id is not null and status in ('queued', 'held', 'running')`,
        args: { bulk_id: bulkId },
      });
      return row?.count ?? 0;
    },

    async progressOf(bulkId) {
      const [row] = await database.select(progressRow, {
        sql: `select ${progressRow.columns} from jobs indexed by jobs_bulk_state
where bulk_id = :bulk_id and bulk_id is not null and status in ('queued', 'held', 'running', 'failed')`,
        args: { bulk_id: bulkId },
      });
      return row ?? { unfinished: 0, failed: 0 };
    },

    async queuedByShare() {
      const rows = await database.list(shareRow, {
        sql: `select ${shareRow.columns} from (
  select caller, count(*) as waiting from jobs where status in ('queued', 'held') group by caller) t2`,
        args: {},
      });
      const counts = new Map<string, number>();
      for (const { share, count } of rows) counts.set(share, (counts.get(share) ?? 0) + count);
      return counts;
    },

    async oldestQueuedAt() {
      const [oldest] = await database.list(oldestRow, {
        sql: `select ${oldestRow.columns} from jobs indexed by jobs_status where status = 'queued' order by seq limit 1`,
        args: {},
      });
      return oldest?.createdAt;
    },

    lanesAfter: (seq) =>
      damagedJobs.endAndRead(async () => {
        const answer = await database.read({ sql: selectLanes, args: { seq } });
        const { rows, damaged } = database.readable(laneRow, answer);
        const last = damaged.flatMap(({ fields }) => fields.lastSeq ?? []);
        if (last.length === 0) return { rows, unreadable: [] };
        // There may be as many as jobs wait: ended in batches, not one by one.
        const near = await database.read({ sql: selectNear, args: { last: Math.max(...last) } });
        const others = database.readable(nearRow, near).damaged.flatMap(({ fields }) => fields.seq ?? []);
        return { rows, unreadable: [...new Set([...last, ...others])] };
      }),

    lastSeq: pages.lastSeq,
  };
}
