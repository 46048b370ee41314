/** Signed checkpoints: how far the ledger was at a time, in a form that others can keep. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import * as v from "valibot";
import { ledgerCheckpoint, type SignedCheckpoint } from "../api/ledger/ledger.ts";
import { canonicalJson } from "../base/json/canonical.ts";
import type { SigningKey, Store, StoredCheckpoint } from "../store/port.ts";
import { signedText } from "./check.ts";

type SigningStore = Pick<Store, "ledger" | "clock" | "makeId">;

export function signingKeyOf({ ledger, makeId }: SigningStore): Promise<SigningKey> {
  return ledger.signingKey(() => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    return {
      id: makeId(),
      publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
  });
}

/**
 * Signs the newest entry.
 * @param places where it is to be sent
 * @returns the newest checkpoint, which covers all entries; undefined: there are none
 */
export async function signNewest(
  store: SigningStore,
  places: readonly string[],
): Promise<StoredCheckpoint | undefined> {
  const { ledger } = store;
  const [last, before] = await Promise.all([ledger.last(), ledger.newestCheckpoint()]);
  if (last === undefined || before?.seq === last.seq) return before;
  const { id: installation, privateKey } = await signingKeyOf(store);
  const known = before === undefined ? undefined : signedOf(before).checkpoint;
  const since = await ledger.counts(known?.seq ?? 0, last.seq);
  const counts: Record<string, number> = { ...known?.counts };
  for (const [kind, count] of Object.entries(since)) counts[kind] = (counts[kind] ?? 0) + count;
  const at = Math.max(store.clock.wall(), last.at);
  const { seq, hash, mac } = last;
  const checkpoint = { v: 1 as const, installation, at: new Date(at).toISOString(), seq, hash, mac, counts };
  const signature = sign(null, signedText(checkpoint), createPrivateKey(privateKey)).toString("base64");
  const pending = places.length === 0 ? null : places.join(",");
  await ledger.addCheckpoint({ seq, at, body: canonicalJson(checkpoint), signature, pending });
  return ledger.newestCheckpoint();
}

export function signedOf({ body, signature }: StoredCheckpoint): SignedCheckpoint {
  return { checkpoint: v.parse(ledgerCheckpoint, JSON.parse(body)), signature };
}
