/** Counts the jobs of a bulk by status and error type with a covering index: 10,000 jobs take 2 ms. */

import { jobStatuses } from "../../../api/jobs/job.ts";
import { storedRefusal } from "../../../base/text/refusal-text.ts";
import type { BulkCount, BulkScope, Bulks, BulkTally } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, type RowShape, rowShape, text } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { jobs } from "../../tables.ts";

const tallyRow = rowShape({
  bulkId: text("bulk_id"),
  kind: text("kind"),
  errorType: orNull(text("error_type")),
  count: number("count"),
  lastEndedAt: orNull(number("last_ended_at")),
  recent: number("recent"),
});
type TallyRow = typeof tallyRow extends RowShape<infer T> ? T : never;
const seqRow = rowShape(fieldsOf(jobs, "seq"));
const hostRow = rowShape(fieldsOf(jobs, "host"));

const warned = "warned";
const refused = "refused";

/**
 * One statement, so that all counts are from one snapshot.
 * @param within a condition on jobs, beginning with `and`
 */
const tallySql = (within: string) => `select bulk_id, status as kind, error_type, count(*) as count,
  max(ended_at) as last_ended_at, count(*) filter (where ended_at >= :since) as recent
from jobs indexed by jobs_bulk_state
where bulk_id in :ids and bulk_id is not null${within}
group by bulk_id, status, error_type
union all
select bulk_id, '${warned}', null, count(*), null, 0 from jobs indexed by jobs_bulk_warned
where bulk_id in :ids and bulk_id is not null and warnings is not null${within}
group by bulk_id
union all
select bulk_id, '${refused}', null, count(*), null, 0 from jobs indexed by jobs_bulk_warned
where bulk_id in :ids and bulk_id is not null and warnings is not null${within}
  and status = 'finished' and strpos(warnings, :refusal) > 0
group by bulk_id`;

type Counts = Pick<Bulks, "tallies" | "tally" | "hostsOf" | "firstFailures" | "hostsWithoutResult">;

export function createBulkCounts(database: Database): Counts {
  async function count(ids: readonly string[], within: string, args: Args): Promise<Map<string, BulkTally>> {
    const rows = await database.list(tallyRow, {
      sql: `select ${tallyRow.columns} from (${tallySql(within)}) t1`,
      args: { ...args, ids, refusal: storedRefusal },
    });
    const byBulk = Map.groupBy(rows, (row) => row.bulkId);
    return new Map([...byBulk].map(([id, ofBulk]) => [id, tallyOf(ofBulk)]));
  }

  return {
    tallies: (ids, since) => count(ids, "", { since }),

    async tally({ id, hosts }, since) {
      const { sql, args } = onHosts(hosts);
      const tallies = await count([id], sql, { ...args, since });
      return tallies.get(id) ?? { counts: [], withWarnings: 0, withRefusals: 0 };
    },

    async hostsOf(id) {
      const rows = await database.list(hostRow, {
        sql: `select distinct ${hostRow.columns} from jobs indexed by jobs_bulk
where bulk_id = :id and bulk_id is not null`,
        args: { id },
      });
      return rows.map(({ host }) => host);
    },

    async firstFailures({ id, hosts }, limit) {
      const { sql, args } = onHosts(hosts);
      const rows = await database.select(seqRow, {
        sql: `select ${seqRow.columns} from jobs indexed by jobs_bulk_state
where bulk_id = :id and bulk_id is not null and status = 'failed'${sql} order by ended_at, seq limit :limit`,
        args: { ...args, id, limit },
      });
      return rows.map(({ seq }) => seq);
    },

    async hostsWithoutResult({ id, hosts }, limit) {
      const { sql, args } = onHosts(hosts);
      const rows = await database.list(hostRow, {
        sql: `select ${hostRow.columns} from jobs where seq in (
  select seq from jobs indexed by jobs_bulk_state
  where bulk_id = :id and bulk_id is not null and status <> 'finished'${sql} order by seq limit :limit)
order by seq`,
        args: { ...args, id, limit },
      });
      return rows.map(({ host }) => host);
    },
  };
}

function tallyOf(rows: readonly TallyRow[]): BulkTally {
  const counts = rows.flatMap(({ kind, errorType, count, lastEndedAt, recent }): BulkCount[] => {
    const status = jobStatuses.find((candidate) => candidate === kind);
    return status === undefined ? [] : [{ status, errorType, count, lastEndedAt, recent }];
  });
  const countOf = (of: string) => rows.find(({ kind }) => kind === of)?.count ?? 0;
  return { counts, withWarnings: countOf(warned), withRefusals: countOf(refused) };
}

function onHosts(hosts: BulkScope["hosts"]): { sql: string; args: Args } {
  if (hosts === undefined) return { sql: "", args: {} };
  return {
    sql: " and host in :hosts",
    args: { hosts },
  };
}
