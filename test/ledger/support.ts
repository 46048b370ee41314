/** A store with a ledger, for tests of what reads it. */
import type { Caller } from "../../src/auth/port.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { operator } from "../store/contract/fixture.ts";
import type { AnyStore } from "../support/any-store.ts";

export const admin: Caller = { keyId: "k1", name: "admin", scope: "admin", hosts: [], from: null };

/** Adds an entry. */
export async function added(store: AnyStore, ref: string): Promise<void> {
  await store.credentials.set({ source: "file", ref, fields: { x: "y" } }, operator);
}

export const ledgerOf = (store: AnyStore) => createLedger({ store, places: new Map(), onSigned() {} });

export async function exported(store: AnyStore): Promise<string[]> {
  let text = "";
  for await (const piece of ledgerOf(store).exported(admin, new AbortController().signal)) text += piece;
  return text.trimEnd().split("\n");
}

export async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
