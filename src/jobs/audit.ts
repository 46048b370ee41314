/** Reads the audit trail, filtered by what the caller may see. */

import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeEntry } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/yield.ts";
import type { Store, StoredAuditEntry } from "../store/port.ts";
import type { AuditPage } from "./port.ts";
import { readAuditSummary } from "./request-summary.ts";

export interface AuditTools {
  readonly store: Pick<Store, "audit">;
  readonly iso: (ms: number) => string;
}

/** Maximum pages read per response; the cursor continues there. */
const maxAuditPages = 50;

export function createAuditQuery({ store, iso }: AuditTools) {
  /** Visible entries; `last` is the position of the next page, undefined at the end. */
  async function entriesOf(
    caller: Caller,
    since: number | undefined,
    from: number | undefined,
    limit: number,
  ) {
    const rows: StoredAuditEntry[] = [];
    let beforeId = from;
    for (let pages = 0; pages < maxAuditPages; pages++) {
      const page = await store.audit.page({ since, beforeId }, limit);
      for (const row of page) {
        if (maySeeEntry(caller, row)) rows.push(row);
        if (rows.length === limit) return { rows, last: row.id };
      }
      beforeId = page.at(-1)?.id;
      await yieldToEventLoop();
      if (page.length < limit) return { rows, last: undefined };
    }
    return { rows, last: beforeId };
  }

  return {
    async audit(
      filter: { since?: string; limit: number; cursor?: string },
      caller: Caller,
    ): Promise<AuditPage> {
      requireScope(caller, "admin");
      const beforeId = filter.cursor === undefined ? undefined : Number(filter.cursor);
      if (beforeId !== undefined && !Number.isInteger(beforeId))
        throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this service.");
      const since = filter.since === undefined ? undefined : Date.parse(filter.since);
      const { rows, last } = await entriesOf(caller, since, beforeId, filter.limit);
      return {
        entries: rows.map((row) => ({
          id: row.id,
          at: iso(row.at),
          who: row.who,
          from: row.from,
          action: row.action,
          host: row.host,
          job_id: row.jobId,
          outcome: row.outcome,
          detail: row.detail,
          asked: row.asked === null ? null : readAuditSummary(row.asked),
        })),
        next_cursor: last === undefined ? null : String(last),
      };
    },
  };
}
