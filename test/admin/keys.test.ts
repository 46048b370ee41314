import { expect, test } from "vitest";
import { createKeyAdministration } from "../../src/admin/keys.ts";
import { givenRights } from "../../src/api/access/key.ts";
import type { Caller } from "../../src/auth/port.ts";
import type { ListedKey, NewKey } from "../../src/store/port.ts";
import { keyHolders } from "../support/holders.ts";

const dayMs = 86_400_000;
const at = Date.UTC(2026, 10, 1);
const admin: Caller = { keyId: "k0", name: "first", scope: "admin", hosts: [], from: null };

function administration(...stored: Partial<ListedKey>[]) {
  const rows: ListedKey[] = stored.map((row, index) => ({
    ...{ id: `k${index}`, name: `key-${index}`, scope: "admin", hosts: [], createdAt: at },
    credentials: null,
    rights: null,
    recipes: null,
    certificate: null,
    ...{ submitterKind: null, submitter: null },
    ...{ personId: null, person: null },
    ...{ expiresAt: null, lastUsedAt: null, revokedAt: null },
    ...row,
  }));
  const added: NewKey[] = [];
  const revoked: string[] = [];
  const jobs = createKeyAdministration({
    holders: keyHolders({ byId: async (id) => rows.find((row) => row.id === id) }, () => at),
    iso: (ms) => new Date(ms).toISOString(),
    store: {
      clock: { wall: () => at, steady: () => 0 },
      keys: {
        async add(key) {
          if (rows.some(({ name }) => name === key.name)) return undefined;
          added.push(key);
          return "k9";
        },
        addOwn: async () => "full",
        addBreakGlass: async () => undefined,
        ofPerson: async (personId) => rows.filter((row) => row.personId === personId),
        list: async () => rows,
        find: async () => undefined,
        findCertificate: async () => undefined,
        byId: async (id) => rows.find((row) => row.id === id),
        async change(nameOrId, lists) {
          const row = rows.find(({ id, name }) => id === nameOrId || name === nameOrId);
          if (row) Object.assign(row, lists);
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
    recipes: null,
    rights: [],
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

const limited: Caller = { ...admin, keyId: "k1", credentials: ["file:lab-*"] };

test("a key limited to credentials gives no more of them, to others or to itself", async () => {
  const { add, added, changeKey, revokeKey, revoked } = administration({}, { credentials: ["file:lab-*"] });
  const change = (name: string, credentials: unknown) =>
    changeKey(name, { text: "", value: { credentials } }, limited);
  const forbidden = {
    kind: "Forbidden",
    message: expect.stringContaining("credentials that it may not use"),
  };
  await expect(add({ name: "more" }, limited)).rejects.toMatchObject(forbidden);
  await expect(add({ name: "more", credentials: ["*"] }, limited)).rejects.toMatchObject(forbidden);
  await expect(change("key-1", null)).rejects.toMatchObject(forbidden);
  await expect(change("key-1", ["file:*"])).rejects.toMatchObject(forbidden);
  // A stronger key is not changed either, nor revoked.
  await expect(change("key-0", [])).rejects.toMatchObject(forbidden);
  await expect(revokeKey("key-0", limited)).rejects.toMatchObject(forbidden);
  await add({ name: "less", credentials: ["file:lab-1"] }, limited);
  await change("key-1", ["file:lab-2"]);
  await revokeKey("key-1", limited);
  expect(added.map(({ name }) => name)).toEqual(["less"]);
  expect(revoked).toEqual(["key-1"]);
});

test("a key that expires makes none that outlives it", async () => {
  const { add, added } = administration({ expiresAt: at + 10 * dayMs });
  await expect(add({ name: "forever" })).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(add({ name: "longer", expires_days: 11 })).rejects.toMatchObject({ kind: "Forbidden" });
  await add({ name: "shorter", expires_days: 9 });
  expect(added.map(({ name }) => name)).toEqual(["shorter"]);
});

test("a key named like the id of a stronger key is no way to change that one", async () => {
  const { revokeKey } = administration({}, { credentials: [] }, { name: "k0", credentials: [] });
  await expect(revokeKey("k0", { ...limited, credentials: [] })).rejects.toMatchObject({ kind: "Forbidden" });
});

const secrets = ["history_secrets"];

test("a key without a right gives it to nobody: no new key, no other, not itself", async () => {
  const { add, added, changeKey, revokeKey, listKeys } = administration(
    { rights: secrets },
    {},
    { name: "reader", scope: "read" },
  );
  const plain: Caller = { ...admin, keyId: "k1" };
  const change = (name: string, value: object, caller = plain) =>
    changeKey(name, { text: "", value }, caller);
  const forbidden = {
    kind: "Forbidden",
    message: expect.stringContaining("rights that it does not have (history_secrets)"),
  };
  for (const scope of ["read", "operate", "admin"])
    await expect(add({ name: "more", scope, rights: secrets }, plain)).rejects.toMatchObject(forbidden);
  for (const name of ["key-1", "k1", "reader"])
    await expect(change(name, { rights: secrets })).rejects.toMatchObject(forbidden);
  // Nor does it change or revoke a key that has it, even to take it away.
  for (const value of [{ rights: [] }, { credentials: [] }])
    await expect(change("key-0", value)).rejects.toMatchObject(forbidden);
  await expect(revokeKey("key-0", plain)).rejects.toMatchObject(forbidden);
  expect(added).toEqual([]);
  const held = async () => (await listKeys(plain)).map(({ rights }) => rights);
  expect(await held()).toEqual([["history", "history_secrets"], ["history"], []]);

  // What its scope includes it gives.
  expect(await add({ name: "auditor", scope: "read", rights: ["history"] }, plain)).toMatchObject({
    rights: ["history"],
  });
  await change("reader", { rights: ["history"] });
  const chief: Caller = { ...admin, rights: secrets };
  await change("key-1", { rights: secrets, credentials: ["*"] }, chief);
  expect(await held()).toEqual([["history", "history_secrets"], ["history", "history_secrets"], ["history"]]);
  await change("key-1", { rights: [] }, chief);
  expect((await held())[1]).toEqual(["history"]);
});

test.each([
  [{ rights: "history" }, "rights"],
  [{ rights: ["everything"] }, "rights.0"],
  [{ rights: null }, "rights"],
  [{ rights: [...givenRights, "history"] }, "rights"],
  [{}, ""],
  [{ scope: "admin" }, "scope"],
])("a change of a key is rejected with the field at fault: %j", async (value, path) => {
  const { add, changeKey } = administration({});
  const refused = { kind: "Validation", detail: { issues: [{ path }] } };
  await expect(changeKey("key-0", { text: "", value }, admin)).rejects.toMatchObject(refused);
  if ("rights" in value) await expect(add({ name: "a", ...value })).rejects.toMatchObject(refused);
});
