/** A detached task is asked about with the login of the key that started it, while a key may use that. */
import { expect, test } from "vitest";
import { createDetachedAccess } from "../../src/detached/queries.ts";
import { createCredentialUse } from "../../src/limits/credential-use.ts";
import type { StoredDetachedTask, StoredKey } from "../../src/store/port.ts";
import { keyHolders } from "../support/holders.ts";

const key = (id: string, more: Partial<StoredKey>): StoredKey => ({
  ...{ id, name: id, scope: "read", hosts: ["r1"], credentials: null, rights: null, recipes: null },
  ...{ createdAt: 0, expiresAt: null, lastUsedAt: null, revokedAt: null, personId: null, ...more },
});

const sealed = {
  ...{ connection: { host: "r1", credential: { name: "file", ref: "core" } }, operation: "query", args: {} },
  ...{ reach: ["r1"], credential: { name: "file:core", kept: true } },
};
const task = {
  id: "t1",
  driver: "paramiko",
  host: "r1",
  hostKey: "r1",
  caller: "starter",
  payload: JSON.stringify(sealed),
};

/** @returns how often the server was asked */
async function lookOf(starter: Partial<StoredKey>): Promise<number> {
  let looks = 0;
  const keys: Record<string, StoredKey> = { starter: key("starter", starter), reader: key("reader", {}) };
  const store = {
    keys: { byId: async (id: string) => keys[id] },
    credentials: { used: async () => {} },
    clock: { wall: () => 1_000 },
    detached: { note: async () => {} },
  };
  const pass = { accepted() {}, failed() {}, leave() {} };
  const run = async () => {
    looks++;
    return { found: null };
  };
  const access = createDetachedAccess({
    ...{ store, keptMs: 0, pool: { run, hasSession: () => false }, loginGate: { enter: async () => pass } },
    credentialUse: createCredentialUse(
      store as unknown as Parameters<typeof createCredentialUse>[0],
      keyHolders(store.keys, store.clock.wall),
    ),
  } as unknown as Parameters<typeof createDetachedAccess>[0]);
  const { signal } = new AbortController();
  const asking = {
    signal,
    key: { ...key("reader", {}), keyId: "reader", scope: "read" as const, from: null },
  };
  await access
    .ask(task as unknown as StoredDetachedTask, { do: "look", offset: 0, maxBytes: 1 }, asking)
    .catch((error: unknown) => expect(error).toMatchObject({ kind: "Forbidden" }));
  return looks;
}

test("the credential of a revoked or narrowed key is not read because another key looks at its task", async () => {
  expect(await lookOf({ credentials: ["file:core"] })).toBe(1);
  expect(await lookOf({ credentials: ["file:core"], revokedAt: 500 })).toBe(0);
  expect(await lookOf({ credentials: ["file:lab"] })).toBe(0);
});
