/** Roles and persons: nobody gives more than they have, nobody is locked out, and a block holds at once (P231, P232). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPersonAdministration } from "../../src/admin/persons.ts";
import { createRoleAdministration } from "../../src/admin/roles.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import type { Caller } from "../../src/auth/port.ts";
import { closeStore, makePlace, openStore, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";

const issuer = "https://id.example.net";
const operator = { keyId: "command line", name: "ada", from: null };
const full = { scope: "admin", rights: ["history_secrets"] };
const root: Caller = {
  ...{ keyId: "k0", name: "first", scope: "admin", hosts: [], credentials: null, from: null },
  rights: ["history", "history_secrets"],
};

let place: TestPlace;
let store: AnyStore;
beforeEach(async () => {
  place = await makePlace("file");
  store = await openStore(place);
});
afterEach(async () => {
  await closeStore(store);
  await place.remove();
});

function administration() {
  const holders = createHolders(store);
  const authentication = createAuthentication({ keys: store.keys, logins: store.loginSessions, holders });
  const tools = {
    ...{ store, holders, forgetAll: authentication.forgetAll },
    iso: (ms: number) => new Date(ms).toISOString(),
  };
  const roles = createRoleAdministration(tools);
  const bodyOf = (value: unknown) => ({ text: JSON.stringify(value), value });
  return {
    ...createPersonAdministration(tools),
    ...authentication,
    bodyOf,
    put: (name: string, role: object, caller = root) => roles.putRole(name, bodyOf(role), caller),
    remove: (name: string, caller = root) => roles.removeRole(name, caller),
    preview: (of: object, caller = root) => roles.previewRole(bodyOf(of), caller),
    list: () => roles.listRoles(root),
  };
}

async function signedIn(name: string, groups: string[]) {
  const person = await store.persons.signIn(
    { issuer, subject: `sub-${name}`, name, email: null, groups },
    null,
  );
  if (person === undefined) throw new Error("there is no room");
  const token = `token-${name}`;
  await store.loginSessions.add({ token, holder: person.id, address: null, agent: null }, operator);
  return { ...person, token };
}

const addAdminKey = () =>
  store.keys.add(
    {
      ...{ name: "machine", key: "pb_machine", scope: "admin", hosts: [], credentials: null, rights: null },
      ...{ expiresAt: null, personId: null },
    },
    operator,
  );

const refused = { kind: "Forbidden" };

test("a role is added, replaced and removed, and counts at once on this node", async () => {
  const { put, remove, list, bySession, bodyOf, changePerson } = administration();
  const { token, id } = await signedIn("anna", ["net"]);
  expect(await bySession(token, null)).toBeUndefined();
  expect(await put("net", { groups: ["net"], scope: "read" })).toMatchObject({ outcome: "added" });
  expect(await bySession(token, null)).toMatchObject({ name: "anna", scope: "read" });
  expect(await put("net", { groups: ["net"], scope: "operate" })).toMatchObject({ outcome: "changed" });
  expect(await bySession(token, null)).toMatchObject({ scope: "operate" });
  expect(await list()).toMatchObject([{ name: "net", position: 100, groups: ["net"], rights: [] }]);
  await changePerson("anna", bodyOf({ blocked: true }), root);
  expect(await bySession(token, null)).toBeUndefined();
  await changePerson(id, bodyOf({ blocked: false }), root);
  await remove("net");
  await expect(remove("net")).rejects.toMatchObject({ kind: "NotFound" });
  expect(await list()).toEqual([]);
});

test.each([
  ["a name", "a b", { scope: "read" }, "name"],
  ["no scope", "a", {}, "scope"],
  ["a misspelt field", "a", { scope: "read", host: [] }, "host"],
  ["a selector", "a", { scope: "read", hosts: ["select:((("] }, "hosts.0"],
  ["a fact of the device", "a", { scope: "read", hosts: ["select:fact.version:17"] }, "hosts.0"],
])("%s is checked", async (_what, name, role, path) => {
  await expect(administration().put(name, role)).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [expect.objectContaining({ path })] },
  });
});

describe("nobody gives more than they have", () => {
  const limited = { ...root, rights: ["history"] };
  const hostLimited = { ...root, hosts: ["10.0.0.0/8"] };

  test("a key with limited hosts, or no admin, may not even look", async () => {
    const { put, preview, listPersons } = administration();
    for (const caller of [hostLimited, { ...root, scope: "operate" as const }]) {
      await expect(put("a", { scope: "read" }, caller)).rejects.toMatchObject(refused);
      await expect(preview({ groups: [] }, caller)).rejects.toMatchObject(refused);
      await expect(listPersons(caller, 10, undefined)).rejects.toMatchObject(refused);
    }
  });

  test("a role above the caller is not made, changed or removed", async () => {
    const { put, remove } = administration();
    await put("secrets", { groups: ["g"], ...full });
    await expect(put("more", { groups: ["h"], ...full }, limited)).rejects.toMatchObject(refused);
    await expect(put("secrets", { groups: ["g"], scope: "read" }, limited)).rejects.toMatchObject(refused);
    await expect(remove("secrets", limited)).rejects.toMatchObject(refused);
    await put("fine", { groups: ["h"], scope: "admin" }, limited);
  });

  test("a change of order gives or takes nothing that is above the caller", async () => {
    const { put, remove, list } = administration();
    await put("first", { position: 1, groups: ["g"], scope: "read" });
    await put("secrets", { position: 2, groups: ["g"], ...full });
    // Members of g would have the second one.
    await expect(remove("first", limited)).rejects.toThrow(/because secrets may count in its place/);
    const moved = { position: 3, groups: ["g"], scope: "read" };
    await expect(put("first", moved, limited)).rejects.toThrow(/may count in its place/);
    const others = { position: 1, groups: ["h"], scope: "read" };
    await expect(put("first", others, limited)).rejects.toThrow(/may count in its place/);
    await put("first", { position: 0, groups: ["g", "h"], scope: "operate" }, limited);
    await put("last", { position: 9, groups: ["g"], scope: "read" }, limited);
    await remove("last", limited);
    await put("secrets", { position: 2, groups: ["k"], ...full });
    const shadow = { position: 1, groups: ["k"], scope: "read" };
    await expect(put("shadow", shadow, limited)).rejects.toThrow(/it would count in place of secrets/);
    // Roles alone do not tell that somebody is in both groups.
    await signedIn("anna", ["k", "staff"]);
    const wide = { position: 1, groups: ["staff"], scope: "read" };
    const forAnna = /it would count in place of secrets for a person/;
    await expect(put("shadow", wide, limited)).rejects.toThrow(forAnna);
    const wider = { position: 0, groups: ["g", "h", "staff"], scope: "operate" };
    await expect(put("first", wider, limited)).rejects.toThrow(forAnna);
    await put("after", { ...wide, position: 3 }, limited);
    await remove("after", limited);
    expect((await list()).map(({ name }) => name)).toEqual(["first", "secrets"]);
  });

  test("a person above the caller is neither blocked nor forgotten, and nobody does it to themselves", async () => {
    const { put, changePerson, forgetPerson, bySession, bodyOf } = administration();
    await put("secrets", { groups: ["g"], ...full });
    await put("admins", { groups: ["h"], scope: "admin" });
    const [anna, bert] = [await signedIn("anna", ["g"]), await signedIn("bert", ["h"])];
    const [asAnna, asBert] = [await bySession(anna.token, null), await bySession(bert.token, null)];
    if (!asAnna || !asBert || "lockedForS" in asAnna || "lockedForS" in asBert) throw new Error("no caller");
    const block = bodyOf({ blocked: true });
    await expect(changePerson("anna", block, asBert)).rejects.toThrow(/Your role may not block anna: rights/);
    await expect(forgetPerson("anna", asBert)).rejects.toMatchObject(refused);
    await expect(changePerson("anna", block, asAnna)).rejects.toMatchObject({ kind: "Conflict" });
    await expect(changePerson("nobody", block, asAnna)).rejects.toMatchObject({ kind: "NotFound" });
    await changePerson("bert", block, asAnna);
    expect(await bySession(bert.token, null)).toBeUndefined();
    // A block does not hide what the person would have again.
    await changePerson("anna", block, root);
    await expect(changePerson("anna", bodyOf({ blocked: false }), asBert)).rejects.toMatchObject(refused);
  });
});

describe("nobody is locked out", () => {
  const admins = { groups: ["g"], ...full };

  test("the last role of admins stays while there is no admin key", async () => {
    const { put, remove } = administration();
    await put("admins", admins);
    await put("limited", { groups: ["g"], scope: "admin", hosts: ["10.0.0.0/8"] });
    await put("nobody", { scope: "admin" });
    const last = { kind: "Conflict", message: expect.stringContaining("last role") };
    await expect(remove("admins")).rejects.toMatchObject(last);
    await expect(put("admins", { groups: ["g"], scope: "read" })).rejects.toMatchObject(last);
    await expect(put("admins", { scope: "admin" })).rejects.toMatchObject(last);
    await put("admins", { ...admins, groups: ["h"] });
    await addAdminKey();
    await put("admins", { groups: ["g"], scope: "read" });
    await put("admins", admins);
    await remove("admins");
  });

  test("another such role is enough, and a key of a person is not", async () => {
    const { put, remove } = administration();
    await put("admins", admins);
    const { id } = await signedIn("anna", ["g"]);
    await store.keys.add(
      {
        ...{ name: `${id}/laptop`, key: "pb_x", scope: "admin", hosts: [], credentials: null, rights: null },
        ...{ expiresAt: null, personId: id },
      },
      operator,
    );
    await expect(remove("admins")).rejects.toMatchObject({ kind: "Conflict" });
    await put("others", admins);
    await remove("admins");
    await expect(remove("others")).rejects.toMatchObject({ kind: "Conflict" });
  });

  test("of two who remove one each at the same time, one is refused", async () => {
    const { put, remove } = administration();
    await put("a", admins);
    await put("b", admins);
    const outcomes = await Promise.allSettled([remove("a"), remove("b")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

test("there are at most 200 roles", async () => {
  const { put } = administration();
  const role = {
    position: 1,
    issuer: null,
    groups: [],
    subjects: [],
    hosts: [],
    credentials: null,
    recipes: null,
    rights: [],
  };
  for (let at = 0; at < 200; at++)
    await store.roles.put({ ...role, scope: "read", name: `r${at}` }, operator);
  await expect(put("more", { scope: "read" })).rejects.toMatchObject({ kind: "PayloadTooLarge" });
  await put("r7", { scope: "read" });
});

test("a preview tells the role, why it counts, and which others would fit", async () => {
  const { put, preview } = administration();
  await put("own", { position: 1, subjects: ["sub-anna"], scope: "admin" });
  await put("net", { position: 2, groups: ["net"], scope: "operate", hosts: ["10.0.0.0/8"] });
  await put("all", { position: 3, groups: ["net", "all"], scope: "read" });
  await signedIn("anna", ["net"]);
  expect(await preview({ groups: ["net"] })).toEqual({
    ...{ role: "net", scope: "operate", hosts: ["10.0.0.0/8"], credentials: null, recipes: null, rights: [] },
    ...{ because: 'It is the first role that names the group "net".', others: ["all"] },
  });
  expect(await preview({ person: "anna" })).toMatchObject({
    ...{
      role: "own",
      recipes: null,
      rights: ["history"],
      because: "It is the first role that names the person.",
    },
    others: ["net", "all"],
  });
  expect(await preview({ groups: ["x"] })).toMatchObject({ role: null, scope: null, because: null });
  const role = { name: "draft", position: 0, groups: ["x"], scope: "read" };
  expect(await preview({ groups: ["x"], role })).toMatchObject({ role: "draft" });
  const replaced = { name: "own", position: 9, subjects: ["sub-anna"], scope: "read" };
  expect(await preview({ person: "anna", role: replaced })).toMatchObject({
    role: "net",
    others: ["all", "own"],
  });
  await expect(preview({ person: "nobody" })).rejects.toMatchObject({ kind: "NotFound" });
});

test("persons are listed in pages with their role, and everybody learns who they are", async () => {
  const { put, listPersons, readPerson, whoAmI, bySession, forgetPerson, changePerson, bodyOf } =
    administration();
  await put("net", { groups: ["net"], scope: "operate", hosts: ["r1"] });
  const { token, id } = await signedIn("anna", ["net"]);
  await signedIn("bert", []);
  await signedIn("carla", ["net"]);
  const { persons, next } = await listPersons(root, 2, undefined);
  expect(persons).toMatchObject([
    { name: "anna", state: "in_force", role: "net", scope: "operate", hosts: ["r1"] },
    { name: "bert", state: "no_role", role: null, scope: null, hosts: [] },
  ]);
  expect(next).toBe("bert");
  expect((await listPersons(root, 2, next)).persons).toMatchObject([{ name: "carla" }]);
  const caller = await bySession(token, null);
  if (!caller || "lockedForS" in caller) throw new Error("no caller");
  expect(await whoAmI(caller)).toEqual({
    ...{ kind: "person", id, name: "anna", person: "anna", role: "net", scope: "operate", hosts: ["r1"] },
    ...{ credentials: null, rights: [], recipes: null, expires_at: null },
  });
  expect(await whoAmI(root)).toMatchObject({ kind: "key", name: "first", person: null, role: null });
  await changePerson("carla", bodyOf({ blocked: true }), root);
  expect(await readPerson("carla", root)).toMatchObject({ state: "blocked", role: null });
  const { name } = await forgetPerson("anna", root);
  expect(await bySession(token, null)).toBeUndefined();
  expect(await readPerson(id, root)).toMatchObject({ name, state: "forgotten", email: null, groups: [] });
});
