/** The outbox of webhooks: what is due, in order of ending, and what came of each attempt. */
import { inArray } from "drizzle-orm";
import type { Deliveries, DeliveryAttempt, DeliveryState, DueDelivery, NodeFence } from "../port.ts";
import { asBytes, asNumber, asText, type Database, named, nowSql } from "./database.ts";
import { deliveries } from "./schema.ts";
import { seals } from "./seals.ts";

/** A claim of a node whose life is over is free, and so is one that was never finished. */
const abandonedMs = 600_000;
const foreign = `d.node is not null and (d.node <> ? or d.generation <> ?) and d.claim_t > ${nowSql} - ${abandonedMs}
and exists (select 1 from nodes n where n.name = d.node and n.generation = d.generation and n.state <> 'dead' and n.lease_t > ${nowSql})`;

export function createDeliveries(database: Database): Deliveries {
  const { cipher, orm, ask, clock } = database;

  return {
    /** Takes what is due, first ended first; receivers that another node or `busy` serves are left out. */
    async claim(life: NodeFence, busy: readonly string[], limit: number): Promise<DueDelivery[]> {
      const now = database.now();
      const mine = [life.name, life.generation];
      const [, rows] = await database.write([
        {
          sql: `update deliveries set node = ?, generation = ?, claim_t = ${nowSql} where job_id in (
select p.job_id from deliveries p where p.state = 'pending' and p.next_t <= ${nowSql}
and p.receiver not in (select value from json_each(?))
and not exists (select 1 from deliveries d where d.state = 'pending' and d.receiver = p.receiver and ${foreign})
order by p.ended_n limit ?)`,
          args: [...mine, now, now, JSON.stringify(busy), ...mine, now, now, limit],
        },
        {
          sql: `select job_id, receiver, event, ended_n, tries, attempts, hook from deliveries
where state = 'pending' and node = ? and generation = ? and next_t <= ${nowSql} and receiver not in (select value from json_each(?)) order by ended_n limit ?`,
          args: [...mine, now, JSON.stringify(busy), limit],
        },
      ]);
      return named(rows).map((row) => {
        const jobId = asText(row.job_id);
        return {
          jobId,
          receiver: asText(row.receiver),
          event: asText(row.event),
          endedN: asNumber(row.ended_n),
          tries: asNumber(row.tries),
          attempts: attemptsOf(asText(row.attempts)),
          content: cipher.tryOpen(asBytes(row.hook), seals.hook(jobId)),
        };
      });
    },

    /** @param next milliseconds until the next attempt; `delivered` or `failed` when there is none. */
    async record(
      life: NodeFence,
      due: DueDelivery,
      attempt: DeliveryAttempt,
      next: number | "delivered" | "failed",
    ): Promise<void> {
      const attempts = JSON.stringify([...due.attempts, attempt]);
      const again = typeof next === "number";
      const set = again
        ? `state = 'pending', next_t = ${nowSql} + ?`
        : "state = ?, next_t = null, hook = null";
      await database.write(
        [
          {
            sql: `update deliveries set node = null, generation = null, claim_t = null, tries = ?, attempts = ?, ${set}
where job_id = ? and state = 'pending' and node = ? and generation = ?`,
            args: [
              due.tries + 1,
              attempts,
              ...(again ? [database.now(), Math.round(next)] : [next]),
              due.jobId,
              life.name,
              life.generation,
            ],
          },
        ],
        { essential: true },
      );
    },

    /** Milliseconds until the next attempt that waits; undefined when none does. */
    async nextDueMs(): Promise<number | undefined> {
      const { rows } = await database.read({
        sql: `select min(next_t) - ${nowSql} from deliveries where state = 'pending'`,
        args: [database.now()],
      });
      const ms = rows[0]?.[0];
      return ms === null || ms === undefined ? undefined : Math.max(0, Number(ms));
    },

    async statesOf(jobIds: readonly string[]): Promise<Map<string, DeliveryState>> {
      if (jobIds.length === 0) return new Map();
      const rows = await ask(
        orm
          .select({
            id: deliveries.jobId,
            state: deliveries.state,
            attempts: deliveries.attempts,
            next: deliveries.nextT,
          })
          .from(deliveries)
          .where(inArray(deliveries.jobId, [...jobIds])),
      );
      const now = database.now() ?? clock.wall();
      return new Map(
        rows.map((row) => [
          row.id,
          {
            state: row.state,
            attempts: attemptsOf(row.attempts),
            nextInMs: row.state === "pending" && row.next !== null ? Math.max(0, row.next - now) : null,
          },
        ]),
      );
    },
  };
}

/** Our own text: it was written by `record`. */
function attemptsOf(text: string): DeliveryAttempt[] {
  return JSON.parse(text);
}
