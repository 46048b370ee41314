/** Ends waiting and running jobs whose row is damaged: they can neither run nor be recovered, and would stay for good. */
import { jobStatuses } from "../../../api/jobs/job.ts";
import type { EndedDamagedJob } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { givenTable, type Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs } from "../../tables.ts";
import { damagedEntry } from "../ledger/entries.ts";
import { deliveryDue } from "../webhooks/deliveries.ts";
import { stopAfterFailures } from "./pacing.ts";
import { deleteIntents, endAudit } from "./settlements.ts";

export interface DamagedJobs {
  /** @returns how many of them were waiting or running */
  end(seqs: readonly number[]): Promise<number>;
  /** Those whose status is damaged. @returns how many */
  endLost(limit: number): Promise<number>;
  /** Calls `read` again after each end of what it could not read, until it reads everything or no more can be ended. */
  endAndRead<T>(
    read: () => Promise<{ rows: T[]; unreadable: readonly (number | undefined)[] }>,
  ): Promise<T[]>;
  /** @returns unsubscribes */
  onEnded(listener: (job: EndedDamagedJob) => void): () => void;
}

const unfinished = "status in ('queued', 'held', 'running')";
const unknownWord = `status not in (${jobStatuses.map((word) => `'${word}'`).join(", ")})`;
/** Its status is none of the words: no other statement finds it. By ranges of the index, each of them empty. */
export const hasLostStatus = `(${rangesBetween(jobStatuses)}) and ended_at is null`;
const errorType = "Internal";
const rowsAtOnce = 100;
/** Not read: the columns that may be the damaged ones. */
const factsRow = rowShape(
  fieldsOf(jobs, "seq", "id", "bulkId", "caller", "hasWebhook", "status", "sendingAt", "lost"),
);
const seqRow = rowShape(fieldsOf(jobs, "seq"));
type Facts = Partial<ReturnType<typeof factsRow.read>[number]>;

const none = "The stored job is damaged and was not run.";
const unknown =
  "The stored job is damaged. It was running, and its commands may have been sent: check the device.";

export function createDamagedJobs(database: Database): DamagedJobs {
  const { cipher, clock } = database;
  const listeners = new Set<(job: EndedDamagedJob) => void>();

  async function end(seqs: readonly number[]): Promise<number> {
    let count = 0;
    for (let at = 0; at < seqs.length; at += rowsAtOnce)
      count += await endSome(seqs.slice(at, at + rowsAtOnce));
    return count;
  }

  async function endSome(seqs: readonly number[]): Promise<number> {
    const answer = await database.read({
      sql: `select ${factsRow.columns} from jobs
where seq in :seqs and (+${unfinished} or (+${unknownWord} and ended_at is null))`,
      args: { seqs },
    });
    const { rows, damaged } = database.readable(factsRow, answer);
    const found: Facts[] = [...rows, ...damaged.map(({ fields }) => fields)];
    if (found.length === 0) return 0;
    const [ended] = await database.write(statementsOf(found), { essential: true });
    for (const { id, bulkId = null, hasWebhook = false } of found)
      if (id !== undefined) for (const listener of [...listeners]) listener({ id, bulkId, hasWebhook });
    return ended?.changes ?? 0;
  }

  function statementsOf(found: readonly Facts[]): Statement[] {
    const at = clock.wall();
    const ended = givenTable(
      "ended",
      { seq: "bigint", status: "text", result: "bytea" },
      found.map((job) => ({
        seq: job.seq ?? null,
        status: job.status ?? null,
        result: cipher.seal(resultOf(job), placeOf(jobs.result, job.id ?? "")),
      })),
    );
    const ids = found.flatMap(({ id }) => id ?? []);
    return [
      {
        sql: `with ${ended.definition}
update jobs set status = 'failed', error_type = '${errorType}', duration_ms = 0, result = ended.result, ended_at = :at,
  queue_ms = coalesce(queue_ms, greatest(0, ${steadyNow} - queued_t)), keep_t = ${steadyNow} + result_ttl_ms,
  payload = null, sent = null, stop = null, due_t = null
from ended where jobs.seq = ended.seq
  and (+jobs.status = ended.status or (ended.status is null and +jobs.${unknownWord} and jobs.ended_at is null))`,
        args: { ...ended.args, at },
      },
      ...endAudit(
        ids.map((id) => ({ id, status: "failed" })),
        at,
      ),
      ...ids.map((id) => damagedEntry(id, errorType, at)),
      ...stopAfterFailures(ids, at),
      ...ids.map((id) => deliveryDue({ id, status: "failed" })),
      ...deleteIntents(ids),
    ];
  }

  return {
    end,
    async endLost(limit) {
      const lost = await database.select(seqRow, {
        sql: `select ${seqRow.columns} from jobs indexed by jobs_status where ${hasLostStatus} limit :limit`,
        args: { limit },
      });
      return end(lost.map(({ seq }) => seq));
    },
    async endAndRead(read) {
      for (;;) {
        const { rows, unreadable } = await read();
        const seqs = unreadable.flatMap((seq) => seq ?? []);
        if (seqs.length === 0 || (await end(seqs)) === 0) return rows;
      }
    },
    onEnded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function rangesBetween(words: readonly string[]): string {
  const sorted = words.toSorted();
  const between = sorted.slice(1).map((word, at) => `(status > '${sorted[at]}' and status < '${word}')`);
  return [`status < '${sorted[0]}'`, ...between, `status > '${sorted.at(-1)}'`].join(" or ");
}

/** Unless it is certain that nothing was sent, the outcome is unknown. */
function resultOf({ sendingAt, lost }: Facts): string {
  const isUnsent = sendingAt === null && lost === 0;
  const error = isUnsent
    ? { type: errorType, message: none, outcome: "none" }
    : { type: errorType, message: unknown, outcome: "unknown" };
  return JSON.stringify({ type: "failed", retval: null, error });
}
