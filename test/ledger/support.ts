/** A store with a ledger, for tests of what reads it. */
import type { Caller } from "../../src/auth/port.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { LibsqlStore } from "../../src/store/libsql/store.ts";
import { operator } from "../store/contract/fixture.ts";

export const admin: Caller = { keyId: "k1", name: "admin", scope: "admin", hosts: [], from: null };

/** Adds an entry. */
export async function added(store: LibsqlStore, ref: string): Promise<void> {
  await store.credentials.set({ source: "file", ref, fields: { x: "y" } }, operator);
}

export const ledgerOf = (store: LibsqlStore) => createLedger({ store, places: new Map(), onSigned() {} });

export async function exported(store: LibsqlStore): Promise<string[]> {
  let text = "";
  for await (const piece of ledgerOf(store).exported(admin, new AbortController().signal)) text += piece;
  return text.trimEnd().split("\n");
}

export async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
