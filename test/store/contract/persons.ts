/** Contract of `persons`, `roles` and the login sessions of persons: one is known by the provider, never by the name. */
import { expect, test } from "vitest";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const issuer = "https://id.example.net";
const anna = { issuer, subject: "s-1", name: "anna", email: "anna@example.net", groups: ["net"] };
const ownKey = {
  ...{ key: "pb_1", scope: "read", hosts: [], credentials: null, rights: null, expiresAt: null },
};
const role = {
  ...{ name: "net", position: 10, issuer: null, groups: ["net"], subjects: [] },
  ...{ scope: "operate", hosts: ["10.0.0.0/8"], credentials: null, recipes: null, rights: ["history"] },
};

export function personsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a sign-in adds a person, and replaces what the provider tells of one who is known", async () => {
    const { persons, audit } = fixture.store;
    const first = await persons.signIn(anna, "192.0.2.1");
    expect(first).toMatchObject({ ...anna, blockedAt: null, forgottenAt: null });
    const again = await persons.signIn({ ...anna, name: "anna.m", email: null, groups: [] }, null);
    expect(again).toMatchObject({ id: first?.id, name: "anna.m", email: null, groups: [] });
    expect(again?.createdAt).toBe(first?.createdAt);
    expect(await persons.bySubject(issuer, "s-1")).toEqual(again);
    expect(await persons.byId(first?.id ?? "")).toEqual(again);
    expect(await persons.page(10)).toEqual([again]);
    expect(await persons.page(10, "anna.m")).toEqual([]);
    expect((await audit.page({}, 1))[0]).toMatchObject({
      ...{ action: "person.sign_in", detail: `${issuer} s-1`, who: `anna.m (${first?.id})` },
    });
  });

  test("a name that belongs to somebody else gets a number, also of two who come at the same time", async () => {
    const { persons } = fixture.store;
    const subjects = ["1", "2", "3", "4"];
    await Promise.all(
      subjects.map((subject) => persons.signIn({ ...anna, issuer: "https://other", subject }, null)),
    );
    await persons.signIn(anna, null);
    const names = (await persons.page(10)).map(({ name }) => name);
    expect(names).toEqual(["anna", "anna-2", "anna-3", "anna-4", "anna-5"]);
    // Whoever has a name keeps it.
    for (const person of await persons.page(10))
      expect((await persons.signIn({ ...person, name: person.name }, null))?.name).toBe(person.name);
  });

  test("a blocked person keeps nothing but the record, and is let in again", async () => {
    const { persons, loginSessions, keys, audit } = fixture.store;
    const person = await persons.signIn(anna, null);
    const holder = person?.id ?? "";
    const keyId = await keys.add({ ...ownKey, name: `${holder}/laptop`, personId: holder }, operator);
    const session = { address: null, agent: null };
    await loginSessions.add({ ...session, token: "t", holder }, operator);
    await loginSessions.add({ ...session, token: "of a key", holder: keyId ?? "" }, operator);
    expect(await persons.block("nobody", true, operator)).toBe(false);
    expect(await persons.block(holder, true, operator)).toBe(true);
    expect((await persons.byId(holder))?.blockedAt).toBeGreaterThan(0);
    for (const token of ["t", "of a key"]) expect(await loginSessions.find(token)).toBeUndefined();
    // A sign-in does not lift it.
    expect((await persons.signIn(anna, null))?.blockedAt).toBeGreaterThan(0);
    expect(await persons.block(holder, false, operator)).toBe(true);
    expect((await persons.byId(holder))?.blockedAt).toBeNull();
    const actions = (await audit.page({}, 10)).map(({ action }) => action);
    expect(actions.filter((action) => /block/.test(action))).toEqual(["person.unblock", "person.block"]);
  });

  test("a person whose name is the id of another one is found, blocked and forgotten apart", async () => {
    const { persons } = fixture.store;
    const first = await persons.signIn(anna, null);
    const other = await persons.signIn({ ...anna, subject: "s-2", name: first?.id ?? "" }, null);
    expect(other?.name).toBe(first?.id);
    expect((await persons.named(first?.id ?? ""))?.id).toBe(first?.id);
    expect(await persons.block(first?.id ?? "", true, operator)).toBe(true);
    expect((await persons.byId(other?.id ?? ""))?.blockedAt).toBeNull();
    expect(await persons.forget(first?.id ?? "", operator)).toBeDefined();
    expect((await persons.byId(other?.id ?? ""))?.forgottenAt).toBeNull();
  });

  test("roles count by position, then by name; one of a name replaces the other", async () => {
    const { roles, audit } = fixture.store;
    expect(await roles.put(role, operator)).toBe("added");
    expect(await roles.put({ ...role, name: "b", position: 5, credentials: [] }, operator)).toBe("added");
    expect(await roles.put({ ...role, name: "a", position: 10 }, operator)).toBe("added");
    expect((await roles.list()).map(({ name }) => name)).toEqual(["b", "a", "net"]);
    expect(await roles.put({ ...role, position: 1, hosts: [], rights: [] }, operator)).toBe("changed");
    const [changed] = await roles.list();
    expect(changed).toMatchObject({ ...role, position: 1, hosts: [], rights: [] });
    expect(await roles.put({ ...role, position: 1, hosts: [], rights: [] }, operator, "kept")).toBe(
      "changed",
    );
    expect((await roles.list())[0]).toEqual(changed);
    expect(await roles.remove("net", operator)).toBe("removed");
    expect(await roles.remove("net", operator)).toBe("unknown");
    const entries = (await audit.page({}, 10)).map(({ action, detail }) => `${action} ${detail}`);
    expect(entries).toHaveLength(5);
    expect(entries.slice(0, 2)).toEqual([
      "role.remove net",
      "role.put net: position 1, scope operate, hosts all, groups net",
    ]);
  });

  test("a session ends at its latest end, with the session at the provider, or with the person", async () => {
    const { loginSessions } = fixture.store;
    const now = fixture.store.clock.wall();
    const of = (token: string, holder: string, providerSession: string, latestEnd = now + 60_000) =>
      loginSessions.add(
        { ...{ token, holder, providerSession, latestEnd }, address: null, agent: null },
        operator,
      );
    expect((await of("a", "p1", "x")).expiresAt).toBe(now + 60_000);
    await of("b", "p1", "y");
    const other = await of("c", "p2", "x");
    loginSessions.touch(other.id);
    await loginSessions.writeUses();
    expect((await loginSessions.find("c"))?.expiresAt).toBe(now + 60_000);
    expect(await loginSessions.endAll({ providerSession: "x" }, operator)).toHaveLength(2);
    expect(await loginSessions.find("a")).toBeUndefined();
    expect(await loginSessions.find("b")).toBeDefined();
    expect(await loginSessions.endAll({ holder: "p1" }, operator)).toHaveLength(1);
    expect(await loginSessions.list()).toEqual([]);
  });
}
