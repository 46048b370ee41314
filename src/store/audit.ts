/** The audit trail: who did what to which device, and what came of it. Never a secret. */
import { and, desc, gte, lt } from "drizzle-orm";
import type { Database } from "./database.ts";
import { audit } from "./schema.ts";

export interface NewAuditEntry {
  readonly caller: { readonly keyId: string; readonly name: string; readonly from: string | null };
  readonly action: string;
  readonly host?: string | null | undefined;
  readonly jobId?: string | null | undefined;
  readonly outcome: string;
  readonly detail?: string | null | undefined;
}

export type StoredAuditEntry = typeof audit.$inferSelect;

export function createAudit({ orm, ask, clock }: Database) {
  return {
    async add(entry: NewAuditEntry): Promise<void> {
      const at = clock.wall();
      await ask(
        orm
          .insert(audit)
          .values({
            at,
            ended_at: at,
            who: `${entry.caller.name} (${entry.caller.keyId})`,
            from: entry.caller.from,
            action: entry.action,
            host: entry.host ?? null,
            job_id: entry.jobId ?? null,
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
      return ask(
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
    },
  };
}
