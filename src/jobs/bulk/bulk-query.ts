/** Reads bulks with job counts from the store; keys limited to hosts see only their jobs. */

import type { BulkFilter } from "../../api/filters.ts";
import type { BulkDetail, BulkRecord, BulkResult } from "../../api/jobs/bulk.ts";
import { shareOf, submitterNamed } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { maySeeJob, reachOf } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import { rawMember } from "../../base/json/json.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { BulkConditions, BulkScope, Store, StoredBulk } from "../../store/port.ts";
import { timeOf } from "../job-conditions.ts";
import type { BulkPage } from "../port.ts";
import { readableBy } from "../record.ts";
import { countsOf, rateMs, type SeenBulk, toBulkRecord, toBulkResult } from "./bulk-record.ts";

export interface BulkQueryTools {
  readonly store: Store;
  readonly iso: (ms: number) => string;
}

/** Jobs counted per statement, about 2 ms. */
const jobsAtOnce = 10_000;
const pageSize = 100;
/** Of more bulks whose ids have a prefix in common, only the newest are looked at. */
const maxPrefixed = 1_000;
/** Bulks of unknown size that are counted by one statement. */
const countedAtOnce = 10;
const maxFailures = 10;
const maxHosts = 100;
/** Results above this size are not read just for their error message, which is at the end. */
const resultBytes = 512 * 1024;

export function createBulkQuery({ store, iso }: BulkQueryTools) {
  /** The jobs visible to the caller; undefined: none. Cacheable, because hosts of a bulk never change. */
  async function scopeFor(bulk: StoredBulk, caller: Caller): Promise<BulkScope | undefined> {
    const { id } = bulk;
    if (seesAll(bulk, caller)) return { id };
    const hosts = await store.bulks.hostsOf(id);
    const visible = hosts.filter((host) => maySeeJob(caller, { host, caller: bulk.caller }));
    if (visible.length === hosts.length) return { id };
    return visible.length === 0 ? undefined : { id, hosts: visible };
  }

  const since = () => store.clock.wall() - rateMs;
  const toRecord = (visible: SeenBulk) => toBulkRecord(visible, store.clock.wall(), iso);

  async function see(bulk: StoredBulk, scope: BulkScope): Promise<SeenBulk | undefined> {
    const tally = await store.bulks.tally(scope, since());
    return tally.counts.length === 0 ? undefined : { bulk, tally, whole: scope.hosts === undefined };
  }

  /** @throws ServiceError NotFound */
  async function find(id: string, caller: Caller): Promise<{ scope: BulkScope; visible: SeenBulk }> {
    const bulk = await store.bulks.find(id);
    const scope = bulk && (await scopeFor(bulk, caller));
    const visible = bulk && scope && (await see(bulk, scope));
    if (scope && visible) return { scope, visible };
    throw new ServiceError("NotFound", "There is no bulk with that id.");
  }

  async function* allRecords(conditions: BulkConditions, caller: Caller): AsyncGenerator<BulkRecord> {
    let { beforeSeq } = conditions;
    for (;;) {
      const bulks = await store.bulks.page({ ...conditions, beforeSeq }, pageSize);
      for (const batch of inJobs(bulks)) yield* recordsOf(batch, caller);
      if (bulks.length < pageSize) return;
      beforeSeq = bulks.at(-1)?.seq;
    }
  }

  async function* recordsOf(bulks: readonly StoredBulk[], caller: Caller): AsyncGenerator<BulkRecord> {
    const fullyVisible = bulks.filter((bulk) => seesAll(bulk, caller)).map(({ id }) => id);
    const tallies = fullyVisible.length === 0 ? undefined : await store.bulks.tallies(fullyVisible, since());
    for (const bulk of bulks) {
      const tally = tallies?.get(bulk.id);
      const scope = seesAll(bulk, caller) ? undefined : await scopeFor(bulk, caller);
      const visible = tally ? { bulk, tally, whole: true } : scope && (await see(bulk, scope));
      if (visible) yield toRecord(visible);
      if (scope) await giveWay(shareOf(caller));
    }
    await giveWay(shareOf(caller));
  }

  async function seqOf(cursor: string, caller: Caller): Promise<number> {
    const bulk = await store.bulks.find(cursor);
    if (bulk && (await scopeFor(bulk, caller))) return bulk.seq;
    throw new ServiceError("BadRequest", "The cursor is not known: the bulk it names was deleted.");
  }

  async function firstFailures(scope: BulkScope, caller: Caller): Promise<BulkDetail["first_failures"]> {
    const seqs = await store.bulks.firstFailures(scope, maxFailures);
    const failed = await store.jobs.load(seqs, { asked: false });
    const jobs = failed.map((unopened) => unopened.openUpTo(resultBytes) ?? unopened.bare());
    const inOrder = jobs.toSorted((a, b) => seqs.indexOf(a.seq) - seqs.indexOf(b.seq));
    const readable = inOrder.map((job) => readableBy(caller, job));
    return readable.map(({ id, host, device, result, errorType }) => ({
      id,
      ...(device === null ? {} : { device }),
      host,
      error: errorOf(result, errorType),
    }));
  }

  return {
    async bulks(
      filter: BulkFilter,
      caller: Caller,
      { limit, cursor }: { limit: number; cursor?: string },
    ): Promise<BulkPage> {
      const limited = reachOf(caller.hosts).limited;
      const { id_prefix } = filter;
      const conditions: BulkConditions = {
        ids: id_prefix === undefined ? undefined : await store.bulks.idsFrom(id_prefix, maxPrefixed),
        // For a limited key a bulk has ended when all visible jobs have.
        state: limited && filter.status !== "stopped" ? undefined : filter.status,
        label: filter.label,
        ticket: filter.ticket,
        tag: filter.tag,
        driver: filter.driver,
        dryRun: filter.dry_run,
        submitter: submitterNamed(filter.submitted_by, caller),
        createdSince: timeOf("since", filter.since),
        createdUntil: timeOf("until", filter.until),
        beforeSeq: cursor === undefined ? undefined : await seqOf(cursor, caller),
      };
      const bulks: BulkRecord[] = [];
      for await (const record of allRecords(conditions, caller)) {
        if (filter.status !== undefined && record.status !== filter.status) continue;
        // Reads one more than returned, to know whether there is a next page.
        if (bulks.length === limit) return { bulks, next: bulks.at(-1)?.id };
        bulks.push(record);
      }
      return { bulks, next: undefined };
    },

    async bulkRecord(id: string, caller: Caller): Promise<BulkDetail> {
      const { scope, visible } = await find(id, caller);
      const record = toRecord(visible);
      const { finished, ...others } = countsOf(visible.tally);
      const count = Object.values(others).reduce((sum, jobCount) => sum + jobCount, 0);
      return {
        ...record,
        first_failures: record.counts.failed === 0 ? [] : await firstFailures(scope, caller),
        without_result: {
          count,
          hosts: count === 0 ? [] : await store.bulks.hostsWithoutResult(scope, maxHosts),
        },
      };
    },

    async bulkResults(ids: readonly string[]): Promise<Map<string, BulkResult>> {
      const results = new Map<string, BulkResult>();
      for (let at = 0; at < ids.length; at += countedAtOnce) {
        const tallies = await store.bulks.tallies(ids.slice(at, at + countedAtOnce), since());
        for (const [id, tally] of tallies) results.set(id, toBulkResult(tally));
      }
      return results;
    },

    findBulk: find,
  };
}

/** Groups bulks so that each group is counted quickly. */
function* inJobs(bulks: readonly StoredBulk[]): Generator<readonly StoredBulk[]> {
  for (let at = 0; at < bulks.length; ) {
    let end = at;
    let jobs = 0;
    while (end < bulks.length && (end === at || jobs + (bulks[end]?.total ?? 0) <= jobsAtOnce))
      jobs += bulks[end++]?.total ?? 0;
    yield bulks.slice(at, end);
    at = end;
  }
}

function seesAll(bulk: StoredBulk, caller: Caller): boolean {
  return !reachOf(caller.hosts).limited || bulk.caller === caller.keyId;
}

function errorOf(result: string | null, type: string | null): { type: string; message: string } {
  const error: unknown = result === null ? undefined : JSON.parse(rawMember(result, ["error"]) ?? "null");
  const fields = typeof error === "object" && error !== null ? error : {};
  return {
    type: type ?? ("type" in fields ? String(fields.type) : "DriverError"),
    message: "message" in fields ? String(fields.message) : "The result is large: see the job itself.",
  };
}
