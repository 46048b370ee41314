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
        async revoke(nameOrId) {
          revoked.push(nameOrId);
          for (const row of rows)
            if (row.id === nameOrId || row.name === nameOrId) Object.assign(row, { revokedAt: at });
          return rows.some(({ id, name }) => id === nameOrId || name === nameOrId);
        },
        touch() {},
        async writeUses() {},
      },
    },
  });
  const add = (value: unknown, caller = admin) => jobs.addKey({ text: JSON.stringify(value), value }, caller);
  return { ...jobs, add, added, revoked };
}

test("a key is told once, with what it may; the store gets it with its end", async () => {
  const { add, added } = administration({});
  const asked = { name: "branch", scope: "read", hosts: ["10.1.0.0/16", "*.lab"], expires_days: 30 };
  const made = await add(asked);
  expect(made).toEqual({
    ...{ id: "k9", name: "branch", scope: "read", hosts: ["10.1.0.0/16", "*.lab"] },
    credentials: null,
    expires_at: "2026-12-01T00:00:00.000Z",
    certificate: null,
    key: expect.stringMatching(/^pb_[\w-]{43}$/),
  });
  expect(added).toEqual([expect.objectContaining({ key: made.key, expiresAt: at + 30 * dayMs })]);
});

test.each([
  [{}, "name"],
  [{ name: "a b" }, "name"],
  [{ name: "a", scope: "root" }, "scope"],
  [{ name: "a", hosts: ["10.0.0.0/99"] }, "hosts.0"],
  [{ name: "a", hosts: "r1" }, "hosts"],
  [{ name: "a", expires_days: 0 }, "expires_days"],
])("%j is refused with the field", async (value, path) => {
  const { add, added } = administration({});
  await expect(add(value)).rejects.toMatchObject({ kind: "Validation", detail: { issues: [{ path }] } });
  expect(added).toEqual([]);
});

test("a name that was used is not used again", async () => {
  const { add } = administration({ name: "branch", revokedAt: at });
  await expect(add({ name: "branch" })).rejects.toMatchObject({ kind: "Conflict" });
});

test("only admin keys that may reach everything manage keys", async () => {
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

test("the last admin key stays, by name or id; others go", async () => {
  const others = [{ scope: "operate" }, { hosts: ["10.0.0.0/8"] }, { revokedAt: at }, { expiresAt: at - 1 }];
  const { revokeKey, revoked } = administration({}, ...others);
  for (const last of ["k0", "key-0"])
    await expect(revokeKey(last, admin)).rejects.toMatchObject({ kind: "Conflict" });
  await revokeKey("key-1", admin);
  await expect(revokeKey("none", admin)).rejects.toMatchObject({ kind: "NotFound" });
  expect(revoked).toEqual(["key-1", "none"]);
  const two = administration({}, {});
  await two.revokeKey("k0", admin);
  expect(two.revoked).toEqual(["k0"]);
});

test("of the last two admin keys that are revoked at once one stays", async () => {
  const { revokeKey, revoked } = administration({}, {});
  const ends = await Promise.allSettled([revokeKey("k0", admin), revokeKey("k1", admin)]);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(revoked).toHaveLength(1);
});
