/** What the client reads of the ledger. */
import * as v from "valibot";
import {
  changedOutside,
  ledgerPublicKey,
  ledgerRecord,
  ledgerVerdict,
  signedCheckpoint,
} from "../../api/ledger/ledger.ts";
import { reader } from "../../api/schema.ts";

export const entry = reader(ledgerRecord);
export type Entry = v.InferOutput<typeof entry>;
export const entryList = v.array(entry);
export const outsideList = v.array(reader(changedOutside));
export const verdict = reader(ledgerVerdict);
export type Verdict = v.InferOutput<typeof verdict>;
export const checkpoint = reader(signedCheckpoint);
export const publicKey = reader(ledgerPublicKey);
