/** Finds the running jobs of dead nodes, page by page, and frees their queues. */
import type { ClaimFence, Orphan, Recovery } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import { fieldsOf, type RowShape, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { jobs, sendings } from "../../tables.ts";
import { shareField } from "../jobs/listing.ts";
import type { DamagedJobs } from "./damaged-jobs.ts";
import { type OpenedIntent, openIntent } from "./intents.ts";

const orphanRow = rowShape(
  fieldsOf(
    jobs,
    "seq",
    "id",
    "node",
    "generation",
    "attempt",
    "bulkId",
    "caller",
    "hasWebhook",
    "lost",
    "operation",
    "payload",
    "retries",
    "sendingAt",
    "sent",
    "startedAt",
    "stop",
  ),
);
const idRow = rowShape(fieldsOf(jobs, "id"));
const intentRow = rowShape(fieldsOf(sendings, "lines"));
const expiredRow = rowShape({
  ...fieldsOf(jobs, "seq", "id", "lane", "bulkId", "hasWebhook", "ttlMs", "windowEnd"),
  ...shareField,
});

/** Its node is dead or has acquired a new lease since. */
export const isOrphan = `not exists (select 1 from nodes n
  where n.name = j.node and n.generation = j.generation and n.state <> 'dead')`;

export function createRecovery(database: Database, damagedJobs: DamagedJobs): Recovery {
  const { cipher, clock } = database;

  /** The damaged ones are ended, and others read in their place. */
  function readJobs<T extends { seq: number }>(shape: RowShape<T>, statement: Statement): Promise<T[]> {
    return damagedJobs.endAndRead(async () => {
      const { rows, damaged } = database.readable(shape, await database.read(statement));
      return { rows, unreadable: damaged.map(({ fields }) => fields.seq) };
    });
  }

  async function running(condition: string, args: Args): Promise<Orphan[]> {
    const rows = await readJobs(orphanRow, {
      sql: `select ${orphanRow.columns} from jobs j indexed by jobs_running
where status = 'running' and ${condition}`,
      args,
    });
    const orphans: Orphan[] = [];
    for (const row of rows) {
      // A running job has all of these: the claiming statement sets them.
      const fence = {
        id: row.id,
        name: row.node ?? "",
        generation: row.generation ?? 0,
        attempt: row.attempt,
      };
      const intents = await intentsOf(fence, row.sent);
      orphans.push({
        fence,
        bulkId: row.bulkId,
        caller: row.caller,
        hasWebhook: row.hasWebhook,
        operation: row.operation,
        lostAttempts: row.lost,
        retries: row.retries,
        sending: row.sendingAt !== null,
        sent: intents.flatMap(({ lines }) => lines),
        payload: cipher.tryOpen(row.payload ?? undefined, placeOf(jobs.payload, row.id)),
        note: intents.findLast(({ note }) => note !== undefined)?.note,
        runMs: Math.max(0, clock.wall() - (row.startedAt ?? 0)),
        stop: row.stop,
      });
    }
    return orphans;
  }

  async function intentsOf(fence: ClaimFence, first: Uint8Array | null): Promise<OpenedIntent[]> {
    const further = await database.select(intentRow, {
      sql: `select ${intentRow.columns} from sendings where job_id = :id and attempt = :attempt order by n`,
      args: { id: fence.id, attempt: fence.attempt },
    });
    const sealed = [...(first === null ? [] : [first]), ...further.map(({ lines }) => lines)];
    return sealed.map((lines) => openIntent(cipher, lines, fence.id));
  }

  return {
    onDamagedEnded: damagedJobs.onEnded,

    async orphans(limit) {
      await damagedJobs.endLost(limit);
      return running(`${isOrphan} order by seq limit :limit`, { limit });
    },

    async ended(ids) {
      const rows = await database.select(idRow, {
        sql: `select ${idRow.columns} from jobs j where j.id in :ids and (j.status <> 'running' or ${isOrphan})`,
        args: { ids },
      });
      return rows.map(({ id }) => id);
    },

    runningOf: (node, but = []) =>
      running("node = :node and generation = :generation and id not in :but", {
        node: node.name,
        generation: node.generation,
        but,
      }),

    expired: (limit) =>
      readJobs(expiredRow, {
        sql: `select ${expiredRow.columns} from jobs indexed by jobs_expiry
where status = 'queued' and expires_t <= ${steadyNow} order by expires_t limit :limit`,
        args: { limit },
      }),

    async clearDeadNodes() {
      await database.write([
        deleteOfDead(
          "queues",
          ` and not exists (select 1 from jobs r indexed by jobs_pinned
  where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')`,
        ),
        deleteOfDead("workers"),
      ]);
    },
  };
}

function deleteOfDead(table: "queues" | "workers", condition = ""): Statement {
  return {
    sql: `delete from ${table} where ${deadOwner(table)}${condition}`,
    args: {},
  };
}

export function deadOwner(table: "queues" | "workers"): string {
  return `not exists (select 1 from nodes n
  where n.name = ${table}.node and n.generation = ${table}.generation and n.state <> 'dead')`;
}
