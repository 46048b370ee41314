/** What lives that are over left behind: their running jobs, page by page, and their queues. */
import type { ClaimFence, ExpiredJob, NodeFence, Orphan, Recovery } from "../port.ts";
import { asBytes, asNumber, asText, asTextOrNull, type Database, named, nowSql } from "./database.ts";
import { sentLines } from "./sending.ts";

/** A life is over when its node is dead or has begun another one. */
const over = `not exists (select 1 from nodes n where n.name = j.node and n.generation = j.generation and n.state <> 'dead')`;

export function createRecovery(database: Database): Recovery {
  const { cipher, clock } = database;

  return {
    /** Running jobs of lives that are over. */
    orphans: (limit: number): Promise<Orphan[]> => running(`${over} order by seq limit ?`, [limit]),

    /** Running jobs of a life: those it does not know of are claims whose answer was lost. */
    runningOf: (life: NodeFence): Promise<Orphan[]> =>
      running("node = ? and generation = ?", [life.name, life.generation]),

    async expired(limit: number): Promise<ExpiredJob[]> {
      const rows = await database.read({
        sql: `select id, lane, bulk_id, caller, hooked, ttl_ms from jobs indexed by jobs_expiry where status = 'queued' and expires_t <= ${nowSql} order by expires_t limit ?`,
        args: [database.now(), limit],
      });
      return named(rows).map((row) => ({
        id: asText(row.id),
        lane: asText(row.lane),
        bulkId: asTextOrNull(row.bulk_id),
        caller: asText(row.caller),
        hasWebhook: row.hooked === 1,
        ttlMs: asNumber(row.ttl_ms),
      }));
    },

    /** Queues and workers of lives that are over. */
    async clearDeadNodes(): Promise<void> {
      const dead = (table: string) =>
        `delete from ${table} where not exists (select 1 from nodes n where n.name = ${table}.node and n.generation = ${table}.generation and n.state <> 'dead')`;
      await database.write([
        {
          sql: `${dead("queues")} and not exists (select 1 from jobs r indexed by jobs_pinned where r.queue = queues.name and r.status = 'running' and r.strategy = 'pinned')`,
          args: [],
        },
        { sql: dead("workers"), args: [] },
      ]);
    },
  };

  async function running(condition: string, args: (string | number)[]): Promise<Orphan[]> {
    const rows = await database.read({
      sql: `select id, node, generation, attempt, bulk_id, caller, hooked, lost, retries, sending_at, sent, started_at, stop
from jobs j indexed by jobs_running where status = 'running' and ${condition}`,
      args,
    });
    const orphans: Orphan[] = [];
    for (const row of named(rows)) {
      const id = asText(row.id);
      const fence = {
        id,
        name: asText(row.node),
        generation: asNumber(row.generation),
        attempt: asNumber(row.attempt),
      };
      orphans.push({
        fence,
        bulkId: asTextOrNull(row.bulk_id),
        caller: asText(row.caller),
        hasWebhook: row.hooked === 1,
        lostAttempts: asNumber(row.lost),
        retries: asNumber(row.retries),
        sending: row.sending_at !== null,
        sent: await sentOf(fence, asBytes(row.sent)),
        runMs: Math.max(0, clock.wall() - asNumber(row.started_at)),
        stop: row.stop === "cancel" || row.stop === "worker" ? row.stop : null,
      });
    }
    return orphans;
  }

  async function sentOf(fence: ClaimFence, first: Uint8Array | undefined): Promise<string[]> {
    const further = await database.read({
      sql: "select lines from sendings where job_id = ? and attempt = ? order by n",
      args: [fence.id, fence.attempt],
    });
    const all = [first, ...further.rows.map((row) => asBytes(row[0]))];
    return all.flatMap((sealed) => (sealed ? sentLines(cipher, sealed, fence.id) : []));
  }
}
