/** Reads the audit trail, filtered by what the caller may see. */

import { canonicalHost } from "../api/identity.ts";
import { requireScope, shareOf, submitterNamed } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeEntry } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { giveWay } from "../base/time/yield.ts";
import { readAuditSummary } from "../jobs/request/request-summary.ts";
import type { Store, StoredAuditEntry } from "../store/port.ts";
import type { AuditFilter, AuditPage } from "./port.ts";

export interface AuditTools {
  readonly store: Pick<Store, "audit">;
  readonly iso: (ms: number) => string;
}

/** Maximum pages read per response; the cursor continues there. */
const maxAuditPages = 50;
/** Rows read at once if most of them may not match. */
const rowsPerFilteredPage = 500;

export function createAuditQuery({ store, iso }: AuditTools) {
  /** Visible entries that match; `last` is the position of the next page, undefined at the end. */
  async function entriesOf(caller: Caller, filter: AuditFilter) {
    const { limit, cursor: _cursor, since: _since, until: _until, ...conditions } = filter;
    const isFiltered = Object.values(conditions).some((value) => value !== undefined);
    const rowsPerPage = isFiltered ? rowsPerFilteredPage : limit;
    const matches = matcherOf(filter, caller);
    const times = { since: momentOf(filter.since), until: momentOf(filter.until) };
    const rows: StoredAuditEntry[] = [];
    let beforeId = positionOf(filter.cursor);
    for (let pages = 0; pages < maxAuditPages; pages++) {
      await giveWay(shareOf(caller));
      const page = await store.audit.page({ ...times, beforeId }, rowsPerPage);
      for (const row of page) {
        if (matches(row) && maySeeEntry(caller, row)) rows.push(row);
        if (rows.length === limit) return { rows, last: row.id };
      }
      beforeId = page.at(-1)?.id;
      if (page.length < rowsPerPage) return { rows, last: undefined };
    }
    return { rows, last: beforeId };
  }

  return {
    async audit(filter: AuditFilter, caller: Caller): Promise<AuditPage> {
      requireScope(caller, "admin");
      const { rows, last } = await entriesOf(caller, filter);
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
          submitted_by:
            row.submitterKind === null || row.submitter === null
              ? null
              : { kind: row.submitterKind, name: row.submitter },
          bulk_id: row.bulkId,
          device: row.device,
          ticket: row.ticket,
          sent_sha256: row.sentSha256,
        })),
        next_cursor: last === undefined ? null : String(last),
      };
    },
  };
}

function momentOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

/** @throws ServiceError BadRequest */
function positionOf(cursor: string | undefined): number | undefined {
  const position = cursor === undefined ? undefined : Number(cursor);
  if (position === undefined || Number.isInteger(position)) return position;
  throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this service.");
}

/** Actions are `<kind>.<what>`. */
function matcherOf(filter: AuditFilter, caller: Caller): (row: StoredAuditEntry) => boolean {
  const { who, action, host, device, bulk_id, job_id, ticket } = filter;
  const wantedHost = host === undefined ? undefined : canonicalHost(host);
  const submitter = submitterNamed(filter.submitted_by, caller);
  return (row) =>
    (who === undefined || actorNames(row.who).includes(who)) &&
    (action === undefined || row.action === action || row.action.startsWith(`${action}.`)) &&
    (wantedHost === undefined ||
      (row.host !== null && canonicalHost(row.host) === wantedHost) ||
      row.device?.toLowerCase() === wantedHost) &&
    (device === undefined || row.device === device) &&
    (bulk_id === undefined || row.bulkId === bulk_id) &&
    (job_id === undefined || row.jobId === job_id) &&
    (ticket === undefined || row.ticket === ticket) &&
    (submitter === undefined ||
      (row.submitter === submitter.name && (submitter.kind ?? row.submitterKind) === row.submitterKind));
}

/** The name and the key id of `<name> (<key id>)`. */
function actorNames(who: string): string[] {
  const idAt = who.lastIndexOf(" (");
  return idAt === -1 ? [who] : [who.slice(0, idAt), who.slice(idAt + 2, -1)];
}
