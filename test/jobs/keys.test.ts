import { expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { createKeyAdministration } from "../../src/jobs/keys.ts";
import type { ListedKey, NewKey } from "../../src/store/port.ts";

const dayMs = 86_400_000;
const at = Date.UTC(2026, 10, 1);
const admin: Caller = { keyId: "k0", name: "first", scope: "admin", hosts: [], from: null };

function administration(...stored: Partial<ListedKey>[]) {
  const rows: ListedKey[] = stored.map((row, index) => ({
    ...{ id: `k${index}`, name: `key-${index}`, scope: "admin", hosts: [], createdAt: at },
    credentials: null,
    certificate: null,
    ...{ expiresAt: null, lastUsedAt: null, revokedAt: null },
    ...row,
  }));
  const added: NewKey[] = [];
  const revoked: string[] = [];
  const jobs = createKeyAdministration({
    iso: (ms) => new Date(ms).toISOString(),
    store: {
      clock: { wall: () => at, steady: () => 0 },
      keys: {
        async add(key) {
          if (rows.some(({ name }) => name === key.name)) return undefined;
          added.push(key);
          return "k9";
        },
        list: async () => rows,
        find: async () => undefined,
        findCertificate: async () => undefined,
        byId: async (id) => rows.find((row) => row.id === id),
        async limitCredentials(nameOrId, credentials) {
          const row = rows.find(({ id, name }) => id === nameOrId || name === nameOrId);
          if (row) Object.assign(row, { credentials });
          return row !== undefined;
        },
        async revoke(nameOrId, _by, lastAdmin) {
          const found = rows.findIndex(({ id, name }) => id === nameOrId || name === nameOrId);
          if (found < 0) return "unknown";
          // Only the store can tell which admin key is the last; its contract covers that.
          if (found === 0 && lastAdmin === "kept") return "last_admin";
          revoked.push(nameOrId);
          return "revoked";
        },
        touch() {},
        async writeUses() {},
      },
    },
  });
  const add = (value: unknown, caller = admin) => jobs.addKey({ text: JSON.stringify(value), value }, caller);
  return { ...jobs, add, added, revoked };
}

test("a new key is returned once, with its scope and expiry, which the store also gets", async () => {
  const { add, added } = administration({});
  const request = { name: "branch", scope: "read", hosts: ["10.1.0.0/16", "*.lab"], expires_days: 30 };
  const created = await add(request);
  expect(created).toEqual({
    ...{ id: "k9", name: "branch", scope: "read", hosts: ["10.1.0.0/16", "*.lab"] },
    credentials: null,
    expires_at: "2026-12-01T00:00:00.000Z",
    certificate: null,
    key: expect.stringMatching(/^pb_[\w-]{43}$/),
  });
  expect(added).toEqual([expect.objectContaining({ key: created.key, expiresAt: at + 30 * dayMs })]);
});

test.each([
  [{}, "name"],
  [{ name: "a b" }, "name"],
  [{ name: "a", scope: "root" }, "scope"],
  [{ name: "a", hosts: ["10.0.0.0/99"] }, "hosts.0"],
  [{ name: "a", hosts: "r1" }, "hosts"],
  [{ name: "a", expires_days: 0 }, "expires_days"],
])("a request for a key is rejected with the field at fault: %j", async (value, path) => {
  const { add, added } = administration({});
  await expect(add(value)).rejects.toMatchObject({ kind: "Validation", detail: { issues: [{ path }] } });
  expect(added).toEqual([]);
});

test("the name of a revoked key cannot be used again", async () => {
  const { add } = administration({ name: "branch", revokedAt: at });
  const refused = { kind: "Conflict", detail: { issues: [{ path: "name" }] } };
  await expect(add({ name: "branch" })).rejects.toMatchObject(refused);
});

test("only unrestricted admin keys can manage keys", async () => {
  const { listKeys, revokeKey, add } = administration({});
  for (const caller of [
    { ...admin, scope: "operate" as const },
    { ...admin, hosts: ["10.0.0.0/8"] },
  ]) {
    await expect(listKeys(caller)).rejects.toMatchObject({ kind: "Forbidden" });
    await expect(add({ name: "a" }, caller)).rejects.toMatchObject({ kind: "Forbidden" });
    await expect(revokeKey("k0", caller)).rejects.toMatchObject({ kind: "Forbidden" });
  }
});

test("keys are listed with their state", async () => {
  const past = at - dayMs;
  const { listKeys } = administration({}, { expiresAt: past }, { revokedAt: past, lastUsedAt: past });
  expect((await listKeys(admin)).map(({ state, last_used_at }) => [state, last_used_at])).toEqual([
    ["in_force", null],
    ["expired", null],
    ["revoked", "2026-10-31T00:00:00.000Z"],
  ]);
});

test("the last admin key cannot be revoked; others can", async () => {
  const { revokeKey, revoked } = administration({}, {});
  await expect(revokeKey("key-0", admin)).rejects.toMatchObject({
    kind: "Conflict",
    detail: { issues: [{ path: "" }] },
  });
  await revokeKey("key-1", admin);
  await expect(revokeKey("none", admin)).rejects.toMatchObject({ kind: "NotFound" });
  expect(revoked).toEqual(["key-1"]);
});
