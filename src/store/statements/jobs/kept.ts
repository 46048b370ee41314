/** Requests kept for retries. */
import { rawMember } from "../../../base/json/json.ts";
import type { KeptRequests } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import { placeOf } from "../../tables/columns.ts";
import { bulks, jobs } from "../../tables.ts";
import { createJobPages } from "./job-pages.ts";

const { result } = fieldsOf(jobs, "result");
const keptRow = rowShape({
  ...fieldsOf(
    jobs,
    "seq",
    "id",
    "bulkId",
    "status",
    "host",
    "caller",
    "driver",
    "device",
    "operation",
    "errorType",
    "endedAt",
    "label",
    "ticket",
    "tags",
    "retryRequest",
    "retryPayload",
    "asked",
  ),
  // A retry needs the error of failed pushes only, and results may be megabytes.
  result: { ...result, sql: "case when operation = 'config' and status = 'failed' then result end" },
});
const bulkRow = rowShape(fieldsOf(bulks, "retryRequest"));
const batch = 200;

/** The end of a job is not stored in steady time, but its deletion time minus its result ttl is. */
const eraseOld = `update jobs set retry_payload = null where seq in (
  select seq from jobs indexed by jobs_retry_payload
  where retry_payload is not null and keep_t is not null and keep_t - result_ttl_ms + :kept_ms <= ${steadyNow}
  limit ${batch})`;

function errorOf(result: string | null | undefined): string | null {
  return (result && rawMember(result, ["error"])) || null;
}

export function createKeptRequests(database: Database): KeptRequests {
  const { cipher } = database;
  const pages = createJobPages(database);

  return {
    async jobs(conditions, limit) {
      const rows = await pages.page(keptRow, conditions, limit);
      return rows.map(({ retryPayload, result, ...row }) => ({
        ...row,
        retryRequest:
          (row.retryRequest && cipher.tryOpen(row.retryRequest, placeOf(jobs.retryRequest, row.id))) ?? null,
        secrets: (retryPayload && cipher.tryOpen(retryPayload, placeOf(jobs.retryPayload, row.id))) ?? null,
        asked: (row.asked && cipher.tryOpen(row.asked, placeOf(jobs.asked, row.id))) ?? null,
        // One at a time: only the error of each stays in memory.
        error: errorOf(result && cipher.tryOpen(result, placeOf(jobs.result, row.id))),
      }));
    },

    async ofBulk(bulkId) {
      const [row] = await database.select(bulkRow, {
        sql: `select ${bulkRow.columns} from bulks where id = :id`,
        args: { id: bulkId },
      });
      return row?.retryRequest
        ? cipher.tryOpen(row.retryRequest, placeOf(bulks.retryRequest, bulkId))
        : undefined;
    },

    /** A server keeps what it deletes in its log for a while: its disks need their own protection. */
    async overwriteErased() {
      await database.script?.("pragma secure_delete = on");
    },

    async eraseSecrets(keptMs) {
      const [erased] = await database.write([{ sql: eraseOld, args: { kept_ms: keptMs } }], {
        essential: true,
      });
      const count = erased?.changes ?? 0;
      // The WAL still contains the old pages.
      if (count > 0) await database.script?.("pragma wal_checkpoint(truncate)");
      return count;
    },
  };
}
