/** Keys that persons make for themselves: at most what the person has, and no more than the caller. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ownKeyLimits } from "../../src/api/access/own-key.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import type { Caller } from "../../src/auth/port.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { type Node, startNode } from "../support/node.ts";
import { bodyOf } from "../support/requests.ts";

const directory = tempFolder();
const operator = { keyId: "test", name: "test", from: null };
const forbidden = (message: string) => ({ kind: "Forbidden", message: expect.stringContaining(message) });
const dayMs = 86_400_000;
let node: Node;
let count = 0;
beforeAll(async () => {
  node = await startNode({ directory, started: false });
});
afterAll(async () => {
  await node?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const role = {
  ...{ name: "net", position: 1, issuer: null, groups: ["net"], subjects: [] },
  ...{
    scope: "operate",
    hosts: ["10.0.0.0/8", "10.1.0.0/16"],
    credentials: ["file:lab-*"],
    recipes: null,
    rights: ["history"],
  },
};
let person: { readonly id: string; readonly name: string };
beforeEach(async () => {
  await node.store.roles.put(role, operator);
  count++;
  const signIn = {
    issuer: "https://id",
    subject: `s${count}`,
    name: `anna${count}`,
    email: null,
    groups: ["net"],
  };
  const row = await node.store.persons.signIn(signIn, null);
  person = { id: row?.id ?? "", name: row?.name ?? "" };
});

/** A node that knows nothing yet: what it decides is what any node decides after the time of its cache. */
function authentication(now: () => number = () => performance.now()) {
  const { keys, loginSessions, clock } = node.store;
  const steady = { ...clock, steady: now };
  return createAuthentication({
    keys,
    logins: loginSessions,
    holders: createHolders({ ...node.store, clock: steady }),
    now,
  });
}

const callerOfId = async (id: string): Promise<Caller> => {
  const caller = await authentication().byId(id);
  if (caller === undefined) throw new Error("nobody");
  return caller;
};
const session = () => callerOfId(person.id);
const callerOfKey = async (key: string, found = authentication()): Promise<Caller | undefined> => {
  const caller = await found.byKey(key, null);
  return caller !== undefined && "keyId" in caller ? caller : undefined;
};
const make = async (body: object, caller?: Caller) =>
  node.admin.addOwnKey(bodyOf({ name: "laptop", ...body }), caller ?? (await session()));

test("a key that is asked for nothing has what its person has at each use, and ends after 90 days", async () => {
  const made = await make({});
  expect(made).toMatchObject({
    name: `${person.name}/laptop`,
    scope: "operate",
    hosts: [],
    rights: ["history"],
  });
  const days = (Date.parse(made.expires_at ?? "") - Date.now()) / dayMs;
  expect(days).toBeCloseTo(ownKeyLimits.days, 1);
  expect(await callerOfKey(made.key)).toMatchObject({
    ...{ name: `${person.name}/laptop`, person, hosts: role.hosts, credentials: role.credentials },
    submitter: { kind: "person", name: person.name },
  });
  await node.store.roles.put({ ...role, hosts: ["10.2.0.0/16"], recipes: null, rights: [] }, operator);
  expect(await callerOfKey(made.key)).toMatchObject({ hosts: ["10.2.0.0/16"], rights: [] });
});

test("a key gets less if it is asked for less, and never more than the person has", async () => {
  const made = await make({
    scope: "read",
    hosts: ["10.1.0.0/16"],
    credentials: ["file:lab-1"],
    rights: [],
    expires_days: 1,
  });
  expect(await callerOfKey(made.key)).toMatchObject({
    ...{ scope: "read", hosts: ["10.1.0.0/16"], credentials: ["file:lab-1"], rights: [] },
  });
  await expect(make({ scope: "admin" })).rejects.toMatchObject(forbidden("scope"));
  await expect(make({ hosts: ["192.0.2.1"] })).rejects.toMatchObject(forbidden("hosts"));
  await expect(make({ credentials: ["file:prod"] })).rejects.toMatchObject(forbidden("credentials"));
  await expect(make({ rights: ["history_secrets"] })).rejects.toMatchObject(forbidden("rights"));
  await expect(make({ expires_days: 366 })).rejects.toMatchObject({ kind: "Validation" });
  await expect(make({ rights: ["break_glass"] })).rejects.toMatchObject({ kind: "Validation" });
});

test("a key makes no key with more than itself, that outlives it, or for somebody else", async () => {
  const first = await make({
    scope: "read",
    hosts: ["10.1.0.0/16"],
    credentials: [],
    rights: [],
    expires_days: 2,
  });
  const caller = await callerOfKey(first.key);
  for (const [more, limit] of [
    [{ scope: "operate" }, "scope"],
    [{ hosts: ["10.0.0.0/8"] }, "hosts"],
    [{ credentials: ["file:lab-1"] }, "credentials"],
    [{ rights: ["history"] }, "rights"],
    [{ expires_days: 3 }, "expires_days"],
  ] as const)
    await expect(make({ name: "other", ...more }, caller)).rejects.toMatchObject(forbidden(limit));
  const second = await make({ name: "other" }, caller);
  // To the millisecond, however long it took: the clock is read once.
  expect(second.expires_at).toBe(first.expires_at);
  expect(await callerOfKey(second.key)).toMatchObject({
    ...{ scope: "read", hosts: ["10.1.0.0/16"], credentials: [], rights: [] },
  });
  const machine: Caller = { keyId: "k", name: "machine", scope: "admin", hosts: [], from: null };
  await expect(make({}, machine)).rejects.toMatchObject(forbidden("keys of persons"));
  await expect(node.admin.listOwnKeys(machine)).rejects.toMatchObject(forbidden("keys of persons"));
});

test("a key in force keeps its name and its place: the twenty-first is refused", async () => {
  for (let n = 0; n < ownKeyLimits.inForce; n++) await make({ name: `k${n}` });
  await expect(make({ name: "k3" })).rejects.toMatchObject({ kind: "Conflict" });
  await expect(make({ name: "more" })).rejects.toMatchObject({
    kind: "Conflict",
    message: expect.stringContaining("20 keys"),
  });
  await node.admin.revokeOwnKey("k3", await session());
  await make({ name: "k3" });
});

test("a person lists and revokes the own keys, also those with more than they have now; nobody else's", async () => {
  const made = await make({ name: "a" });
  const small = await make({ name: "b", scope: "read", rights: [] });
  const caller = await callerOfKey(small.key);
  await expect(node.admin.revokeOwnKey("a", caller ?? (await session()))).rejects.toMatchObject(
    forbidden("scope"),
  );
  await node.store.roles.put({ ...role, scope: "read", recipes: null, rights: [] }, operator);
  expect(
    (await node.admin.listOwnKeys(await session())).map(({ name, person, state }) => [name, person, state]),
  ).toEqual([
    [`${person.name}/a`, person.name, "in_force"],
    [`${person.name}/b`, person.name, "in_force"],
  ]);
  expect(await node.admin.revokeOwnKey("a", await session())).toBe(made.id);
  expect(await callerOfKey(made.key)).toBeUndefined();
  await expect(node.admin.revokeOwnKey("a", await session())).rejects.toMatchObject({ kind: "NotFound" });
  // A key ends itself.
  expect(await node.admin.revokeOwnKey("current", caller ?? (await session()))).toBe(small.id);
  const others = await node.store.keys.add({ name: "machine", key: "m", scope: "read", hosts: [] }, operator);
  await expect(node.admin.revokeOwnKey(others ?? "", await session())).rejects.toMatchObject({
    kind: "NotFound",
  });
});

test("administrators see the keys of persons and revoke them by the name that is shown", async () => {
  const made = await make({ name: "phone" });
  const admin: Caller = {
    keyId: "k",
    name: "root",
    scope: "admin",
    hosts: [],
    rights: ["history_secrets"],
    from: null,
  };
  const listed = (await node.admin.listKeys(admin)).find(({ id }) => id === made.id);
  expect(listed).toMatchObject({ name: `${person.name}/phone`, person: person.name, hosts: [] });
  await node.admin.changeKey(`${person.name}/phone`, bodyOf({ rights: ["history_secrets"] }), admin);
  // The person does not have it.
  expect((await callerOfKey(made.key))?.rights).toEqual(["history"]);
  await node.admin.revokeKey(`${person.name}/phone`, admin);
  expect(await callerOfKey(made.key)).toBeUndefined();
});

test("what a person loses, their keys lose: on every node within five seconds", async () => {
  let at = 0;
  const made = await make({ name: "a", scope: "operate" });
  const here = authentication(() => at);
  expect(await callerOfKey(made.key, here)).toMatchObject({ scope: "operate" });
  await node.store.roles.put({ ...role, scope: "read", recipes: null, rights: [] }, operator);
  at = 4_999;
  expect(await callerOfKey(made.key, here)).toMatchObject({ scope: "read", rights: [] });
  await node.store.persons.block(person.id, true, operator);
  at = 2 * 4_999;
  expect(await callerOfKey(made.key, here)).toBeUndefined();
  await node.store.persons.block(person.id, false, operator);
  await node.store.roles.remove("net", operator);
  at = 3 * 4_999;
  expect(await callerOfKey(made.key, here)).toBeUndefined();
});
