import { isJson, itemsOf } from "../../sql/notation.ts";
/** Pages of jobs, newest first: by an index if one fits the conditions, otherwise by scanning in batches. */

import { pinnedQueue } from "../../../api/identity.ts";
import type { HoldReason, JobStatus } from "../../../api/jobs/job.ts";
import { giveWay } from "../../../base/time/yield.ts";
import type { JobConditions } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, type RowShape, rowShape } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { jobs } from "../../tables.ts";
import { submitterTerms } from "./listing.ts";

/** Rows scanned per batch: about 5 ms. */
const scanRows = 5_000;
/** Rows found through an index are looked up one by one. */
const lookedUpRows = 2_000;

/** Encrypted parts are read with their row up to this size per job, and per page. */
const smallBytes = 8_192;
const pageBytes = 1024 * 1024;

/** Conditions with a single status, and the first matching job. */
type Search = Omit<JobConditions, "status"> & {
  readonly status?: JobStatus | undefined;
  readonly fromSeq?: number | undefined;
};

/** By `due_t`; see src/store/statements/work/pacing.ts. */
const heldFor: Readonly<Record<HoldReason, string>> = {
  held: "due_t is null",
  concurrency: "due_t = 0",
  not_before: "due_t > 0 and window_end is null",
  window: "due_t > 0 and window_end is not null",
};

const lastRow = rowShape({ seq: number("seq", "coalesce(max(seq), 0)") });
const endsRow = rowShape({
  first: orNull(number("first", "(select min(seq) from jobs)")),
  last: orNull(number("last", "(select max(seq) from jobs)")),
});
const seqRow = rowShape(fieldsOf(jobs, "seq"));
const createdRow = rowShape(fieldsOf(jobs, "seq", "createdAt"));

export function createJobPages(database: Database) {
  async function search<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: Search,
    limit: number,
    /** An expression: no job before this one. */
    since?: string,
  ): Promise<T[]> {
    const access = accessOf(conditions);
    const from = access?.startsWith("jobs_") ? `jobs indexed by ${access}` : "jobs";
    const found: T[] = [];
    for (let { beforeSeq } = conditions; ; ) {
      const { sql: terms, args } = where({ ...conditions, beforeSeq });
      const sql = since === undefined ? terms : `${terms} and seq >= ${since}`;
      const left = limit - found.length;
      const answer = await database.read({
        sql: `select ${shape.columns} from ${from}${sql} order by seq desc limit :limit`,
        args: { ...args, limit: left, most: Math.min(smallBytes, Math.floor(pageBytes / limit)) },
      });
      const { rows, damaged } = database.readable(shape, answer);
      found.push(...rows);
      // Fewer rows than asked for are the end, so others are read in place of the damaged ones.
      if (damaged.length === 0 || rows.length + damaged.length < left) return found;
      beforeSeq = lowestSeq([...rows, ...damaged.map(({ fields }) => fields)]);
      if (beforeSeq === undefined) return found;
      await giveWay();
    }
  }

  async function page<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: JobConditions,
    limit: number,
  ): Promise<T[]> {
    const { status } = conditions;
    if (typeof status !== "object") return pageOfStatus(shape, { ...conditions, status }, limit);
    // One after another: no index gives the order across two statuses.
    const rows: T[] = [];
    for (const singleStatus of status)
      rows.push(...(await pageOfStatus(shape, { ...conditions, status: singleStatus }, limit)));
    return rows.sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  async function pageOfStatus<T extends { seq: number }>(
    shape: RowShape<T>,
    { createdUntil, ...criteria }: Search,
    limit: number,
  ): Promise<T[]> {
    const conditions = { ...criteria, beforeSeq: await endSeq(criteria.beforeSeq, createdUntil) };
    const access = accessOf(conditions);
    const isScan = access === "stretches" || access === "jobs_tagged";
    const fromSeq =
      conditions.createdSince === undefined && !isScan ? 0 : await firstSeq(conditions.createdSince);
    const found = indexOf(conditions);
    const whole = { ...conditions, createdUntil, fromSeq };
    if (found !== undefined && leavesOut(conditions, found)) return pageOfIndex(shape, whole, found, limit);
    if (!isScan) return search(shape, whole, limit);
    // No index fits: scanned in batches that block no one. Another index would slow down every submission.
    const rows: T[] = [];
    let beforeSeq = conditions.beforeSeq ?? (await lastSeq()) + 1;
    while (beforeSeq > fromSeq && rows.length < limit) {
      await giveWay();
      const from = Math.max(fromSeq, beforeSeq - scanRows);
      const stretch = { ...whole, beforeSeq, fromSeq: from };
      rows.push(...(await search(shape, stretch, limit - rows.length)));
      beforeSeq = from;
    }
    return rows;
  }

  /** Some of the index's jobs do not fit: looked through in batches, which are found without reading them. */
  async function pageOfIndex<T extends { seq: number }>(
    shape: RowShape<T>,
    conditions: Search,
    { index, answered }: Found,
    limit: number,
  ): Promise<T[]> {
    const rows: T[] = [];
    for (let { beforeSeq } = conditions; ; ) {
      await giveWay();
      const { fromSeq } = conditions;
      const bounded = where({ ...answered, beforeSeq, fromSeq });
      const start = `from jobs indexed by ${index}${bounded.sql} order by seq desc limit 1 offset ${lookedUpRows}`;
      const stretch = { ...conditions, beforeSeq };
      rows.push(...(await search(shape, stretch, limit - rows.length, `coalesce((select seq ${start}), 0)`)));
      if (rows.length >= limit) return rows;
      const [next] = await database.select(seqRow, {
        sql: `select ${seqRow.columns} ${start}`,
        args: bounded.args,
      });
      if (next === undefined) return rows;
      beforeSeq = next.seq;
    }
  }

  async function lastSeq(): Promise<number> {
    const [last] = await database.select(lastRow, { sql: `select ${lastRow.columns} from jobs`, args: {} });
    return last?.seq ?? 0;
  }

  /** All jobs created before that time have a lower `seq`. */
  async function endSeq(beforeSeq: number | undefined, createdUntil: number | undefined) {
    if (createdUntil === undefined) return beforeSeq;
    return Math.min(beforeSeq ?? Number.MAX_SAFE_INTEGER, await firstSeq(createdUntil));
  }

  /**
   * The first job created at or after that time. Jobs are in the order of their times unless the clock was set back.
   */
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

function lowestSeq(rows: readonly { readonly seq?: number }[]): number | undefined {
  const seqs = rows.flatMap(({ seq }) => seq ?? []);
  return seqs.length === 0 ? undefined : Math.min(...seqs);
}

/** Indexes whose jobs are in order of `seq`, the narrowest first, with the conditions that each of them answers. */
const indexes: readonly {
  readonly name: `jobs_${string}`;
  readonly answers: (search: Search) => Search;
}[] = [
  { name: "jobs_bulk", answers: ({ bulkId }) => ({ bulkId }) },
  { name: "jobs_host", answers: ({ hostKey, queue }) => ({ hostKey: hostKey ?? hostOf(queue) }) },
  { name: "jobs_device", answers: ({ device }) => ({ device }) },
  { name: "jobs_ticket", answers: ({ ticket }) => ({ ticket }) },
  { name: "jobs_label", answers: ({ label }) => ({ label }) },
  { name: "jobs_error", answers: ({ errorType }) => ({ errorType }) },
  { name: "jobs_status", answers: ({ status }) => ({ status }) },
];

interface Found {
  readonly index: `jobs_${string}`;
  readonly answered: Search;
}

function indexOf(search: Search): Found | undefined {
  if (search.ids !== undefined) return undefined;
  for (const { name, answers } of indexes) {
    const answered = answers(search);
    if (Object.values(answered).some((value) => value !== undefined)) return { index: name, answered };
  }
  return undefined;
}

/** Bounds of a page rather than conditions on its jobs. */
const bounds: readonly string[] = ["beforeSeq", "fromSeq", "createdSince", "createdUntil"];

/** Whether jobs of the index may fail to fit: there could be any number of them before the next that fits. */
function leavesOut(search: Search, { answered }: Found): boolean {
  return Object.entries(search).some(
    ([name, value]) => value !== undefined && !Object.hasOwn(answered, name) && !bounds.includes(name),
  );
}

/**
 * How to find jobs in order of `seq`: by the index of the narrowest condition, named because the planner could choose
 * one that sorts all matches for each page; by ids; in sequence; or, if no index helps, by scanning in batches.
 */
function accessOf(search: Search): `jobs_${string}` | "stretches" | undefined {
  if (search.ids !== undefined) return undefined;
  const found = indexOf(search);
  if (found !== undefined) return found.index;
  // A partial index that contains the tags.
  if (search.tag !== undefined) return "jobs_tagged";
  const { queue, driver, operation, hostKeys, dryRun, submitter } = search;
  return (queue ?? driver ?? operation ?? hostKeys ?? dryRun ?? submitter) === undefined
    ? undefined
    : "stretches";
}

/** A pinned queue is named after its host. */
function hostOf(queue: string | undefined): string | undefined {
  return queue?.startsWith(pinnedQueue("")) ? queue.slice(pinnedQueue("").length) : undefined;
}

function where(search: Search): { sql: string; args: Args } {
  const terms: string[] = [];
  const args: Record<string, Args[string]> = {};
  const add = (sql: string, name: string, value: string | number | readonly string[] | undefined) => {
    if (value === undefined) return;
    terms.push(sql);
    args[name] = value;
  };
  add("id in :ids", "ids", search.ids);
  add("status = :status", "status", search.status);
  if (search.heldFor !== undefined) terms.push(`+status = 'held' and ${heldFor[search.heldFor]}`);
  add("queue = :queue", "queue", search.queue);
  add("host_key = :host_key", "host_key", search.hostKey ?? hostOf(search.queue));
  const hostKeys = search.hostKeys;
  add("host_key in :host_keys", "host_keys", hostKeys);
  add("device = :device and device is not null", "device", search.device);
  add("driver = :driver", "driver", search.driver);
  add("operation = :operation", "operation", search.operation);
  if (search.dryRun !== undefined) terms.push(`dry_run is ${search.dryRun ? "true" : "null"}`);
  submitterTerms("jobs", search.submitter, add);
  // A partial index is only used if the query repeats its condition.
  add("bulk_id = :bulk_id and bulk_id is not null", "bulk_id", search.bulkId);
  add("error_type = :error_type and error_type is not null", "error_type", search.errorType);
  add("label = :label and label is not null", "label", search.label);
  add("ticket = :ticket and ticket is not null", "ticket", search.ticket);
  const hasTag = `tags is not null and case when ${isJson("tags")} then exists (select 1 from ${itemsOf("tags", "one")} where one.value = :tag) end`;
  add(hasTag, "tag", search.tag);
  add("created_at >= :created_since", "created_since", search.createdSince);
  add("created_at < :created_until", "created_until", search.createdUntil);
  add("seq < :before_seq", "before_seq", search.beforeSeq);
  add("seq >= :from_seq", "from_seq", search.fromSeq || undefined);
  return { sql: terms.length === 0 ? "" : ` where ${terms.join(" and ")}`, args };
}
