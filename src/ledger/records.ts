/** Records of the ledger as callers see them. */
import * as v from "valibot";
import { type ChangedOutside, type LedgerRecord, ledgerEntry } from "../api/ledger/ledger.ts";
import { ServiceError } from "../base/errors.ts";
import type { ExplainedVersion, StoredLedgerEntry } from "../store/port.ts";

/** @throws ServiceError Internal: somebody has changed it */
export function recordOf({ seq, body, prev, hash, mac }: StoredLedgerEntry): LedgerRecord {
  const entry = v.safeParse(v.pipe(v.string(), v.parseJson(), ledgerEntry), body);
  if (entry.success) return { entry: entry.output, prev, hash, mac };
  throw new ServiceError("Internal", `The entry ${seq} of the ledger is damaged: verify the ledger.`);
}

export function outsideRecord(version: ExplainedVersion): ChangedOutside {
  const { name, part, state, takenAt, unchangedUntil, byOnDevice, added, removed, source } = version;
  return {
    ...{ device: name, part, version: version.version, state, taken_at: new Date(takenAt).toISOString() },
    unchanged_until: unchangedUntil === null ? null : new Date(unchangedUntil).toISOString(),
    ...{ by_on_device: byOnDevice, added, removed, source },
  };
}
