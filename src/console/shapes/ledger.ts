/** Schemas of the answers about the ledger. */
import type * as v from "valibot";
import { changedOutside, ledgerRecord, ledgerVerdict, signedCheckpoint } from "../../api/ledger/ledger.ts";
import { reader } from "../../api/schema.ts";

export type { LedgerBreak, UnapprovedPush } from "../../api/ledger/ledger.ts";

export const entry = reader(ledgerRecord);
export type Entry = v.InferOutput<typeof entry>;
export const outside = reader(changedOutside);
export const verdict = reader(ledgerVerdict);
export type Verdict = v.InferOutput<typeof verdict>;
export const checkpoint = reader(signedCheckpoint);
