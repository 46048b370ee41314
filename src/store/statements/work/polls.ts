/** Periodic polls of a node, combined into one statement; each part uses an index. */
import type { Polls } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { rowShape, truth } from "../../sql/rows.ts";
import { hasLostStatus } from "./damaged-jobs.ts";
import { deadOwner, isOrphan } from "./recovery.ts";

const newsRow = rowShape({
  queued: truth(
    "is_queued",
    `exists (select 1 from jobs indexed by jobs_ready where status = 'queued' and seq > :seq
    and queued_t <= ${steadyNow} - :waited_ms)`,
  ),
  stops: truth(
    "has_stops",
    `exists (select 1 from jobs indexed by jobs_stop
    where status = 'running' and stop is not null and node = :node)`,
  ),
  workerStops: truth("has_worker_stops", "exists (select 1 from workers where node = :node and stop = 1)"),
  expired: truth(
    "has_expired",
    `exists (select 1 from jobs indexed by jobs_expiry where status = 'queued' and expires_t <= ${steadyNow})`,
  ),
});

const upkeepRow = rowShape({
  lapsed: truth(
    "has_lapsed",
    `exists (select 1 from nodes where state <> 'dead' and name <> :node and lease_t < ${steadyNow} - :grace_ms)`,
  ),
  orphans: truth(
    "has_orphans",
    `exists (select 1 from jobs j indexed by jobs_running where j.status = 'running' and ${isOrphan})
    or exists (select 1 from jobs indexed by jobs_status where ${hasLostStatus})`,
  ),
  leftovers: truth(
    "has_leftovers",
    `exists (select 1 from queues where ${deadOwner("queues")})
    or exists (select 1 from workers where ${deadOwner("workers")})`,
  ),
  own: truth(
    "has_own",
    `exists (select 1 from jobs indexed by jobs_running
    where status = 'running' and node = :node and generation = :generation)`,
  ),
  waiting: truth(
    "is_waiting",
    `exists (select 1 from jobs indexed by jobs_status where status = 'queued')
    or exists (select 1 from jobs indexed by jobs_status where status = 'held')`,
  ),
});

const nothing = { queued: false, stops: false, workerStops: false, expired: false };
const idle = { lapsed: false, orphans: false, leftovers: false, own: false, waiting: false };

export function createPolls(database: Database): Polls {
  return {
    async news(node, seq, waitedMs) {
      const [news] = await database.select(newsRow, {
        sql: `select ${newsRow.columns}`,
        args: { node: node.name, seq, waited_ms: waitedMs },
      });
      return news ?? nothing;
    },

    async upkeep(node, graceMs) {
      const [upkeep] = await database.select(upkeepRow, {
        sql: `select ${upkeepRow.columns}`,
        args: {
          node: node.name,
          generation: node.generation,
          grace_ms: graceMs,
        },
      });
      return upkeep ?? idle;
    },
  };
}
