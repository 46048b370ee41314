/** The audit trail: who did what to which device, and what came of it. Never a secret. */
import { and, desc, gte, lt } from "drizzle-orm";
import type { Actor, Audit, NewAuditEntry, StoredAuditEntry } from "../port.ts";
import type { Statement } from "./connect.ts";
import type { Database } from "./database.ts";
import { audit } from "./schema.ts";
import { seals } from "./seals.ts";

export function createAudit({ orm, ask, clock, cipher }: Database): Audit {
  return {
    async add(entry: NewAuditEntry): Promise<void> {
      const at = clock.wall();
      await ask(
        orm
          .insert(audit)
          .values({
            at,
            endedAt: at,
            who: whoOf(entry.caller),
            from: entry.caller.from,
            action: entry.action,
            host: entry.host ?? null,
            jobId: entry.jobId ?? null,
            outcome: entry.outcome,
            detail: entry.detail ?? null,
          })
          .run(),
      );
    },

    /** Newest first. */
    async page(
      conditions: { since?: number | undefined; beforeId?: number | undefined },
      limit: number,
    ): Promise<StoredAuditEntry[]> {
      const rows = await ask(
        orm
          .select()
          .from(audit)
          .where(
            and(
              conditions.since === undefined ? undefined : gte(audit.at, conditions.since),
              conditions.beforeId === undefined ? undefined : lt(audit.id, conditions.beforeId),
            ),
          )
          .orderBy(desc(audit.id))
          .limit(limit),
      );
      return rows.map(({ asked, ...row }) => ({
        ...row,
        asked: asked ? (cipher.tryOpen(asked, seals.auditAsked(row.jobId ?? "")) ?? null) : null,
      }));
    },
  };
}

/** An entry that stands in the transaction of what it tells of, and only if `condition` holds before that. */
export function auditIf({ clock }: Database, entry: NewAuditEntry, condition: Statement): Statement {
  const at = clock.wall();
  return {
    sql: `insert into audit (at, ended_at, who, from_address, action, host, job_id, outcome, detail)
select ?, ?, ?, ?, ?, ?, ?, ?, ? where ${condition.sql}`,
    args: [
      at,
      at,
      whoOf(entry.caller),
      entry.caller.from,
      entry.action,
      entry.host ?? null,
      entry.jobId ?? null,
      entry.outcome,
      entry.detail ?? null,
      ...condition.args,
    ],
  };
}

export function whoOf({ name, keyId }: Actor): string {
  return `${name} (${keyId})`;
}
