/** Contract of `keys` and `hostKeys`: names and keys are unique; a learned host key is never replaced. */
import { expect, test } from "vitest";
import { ownKeyLimits } from "../../../src/api/access/own-key.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const key = { name: "one", key: "canary-key", scope: "read", hosts: ["10.0.0.0/8"] };
const anna = { issuer: "https://id.example.net", subject: "s-1", name: "anna", email: null, groups: [] };
const shown = { type: "ssh-ed25519", fingerprint: "SHA256:first" };

export function keysContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a key is found while it is valid", async () => {
    const { store } = fixture;
    const id = await store.keys.add(key, operator);
    expect(await store.keys.find("canary-key")).toMatchObject({
      id,
      name: "one",
      scope: "read",
      hosts: ["10.0.0.0/8"],
      expiresAt: null,
      revokedAt: null,
    });
    expect(await store.keys.find("other")).toBeUndefined();
    await store.keys.add({ ...key, name: "old", key: "old", expiresAt: Date.now() - 1_000 }, operator);
    expect(await store.keys.find("old")).toBeUndefined();
    expect(await store.keys.revoke(id ?? "", operator)).toBe("revoked");
    expect(await store.keys.find("canary-key")).toBeUndefined();
    expect((await store.keys.list()).map(({ name }) => name)).toEqual(["one", "old"]);
    expect(JSON.stringify(await store.keys.list())).not.toContain("canary");
  });

  test("rights and credentials of a key are changed apart or together, and the audit trail names them", async () => {
    const { keys, loginSessions, audit } = fixture.store;
    const certificate = "0".repeat(64);
    const id = (await keys.add({ ...key, rights: ["history"] }, operator)) ?? "";
    await keys.add({ ...key, name: "two", key: { certificate } }, operator);
    await loginSessions.add({ token: "token", holder: id, address: null, agent: null }, operator);
    const found = async () => {
      const rows = [await keys.find("canary-key"), await keys.byId(id), (await keys.list())[0]];
      const all = rows;
      const [first] = all;
      for (const row of all)
        expect(row).toMatchObject({ rights: first?.rights, credentials: first?.credentials });
      return [first?.rights, first?.credentials];
    };
    expect(await found()).toEqual([["history"], null]);
    expect(await keys.findCertificate(certificate)).toMatchObject({ rights: null });
    expect(await keys.change("one", { rights: ["history_secrets"] }, operator)).toBe(true);
    expect(await found()).toEqual([["history_secrets"], null]);
    expect(await keys.change(id, { credentials: ["file:a"] }, operator)).toBe(true);
    expect(await found()).toEqual([["history_secrets"], ["file:a"]]);
    expect(await keys.change(id, { credentials: null, rights: [] }, operator)).toBe(true);
    expect(await found()).toEqual([[], null]);
    // Nothing changes, so nothing is told.
    expect(await keys.change(id, { credentials: null, rights: [] }, operator)).toBe(true);
    expect(await keys.change(id, { rights: [] }, operator)).toBe(true);
    expect(await keys.change("nobody", { rights: [] }, operator)).toBe(false);
    await keys.revoke(id, operator);
    expect(await keys.change(id, { rights: ["history"] }, operator)).toBe(false);
    const entries = (await audit.page({}, 10)).filter(({ action }) => /^key\.(add|change)$/.test(action));
    expect(entries.map(({ detail }) => detail)).toEqual([
      `${id}: credentials no list of its own, rights none`,
      `${id}: credentials file:a`,
      "one: rights history_secrets",
      `two: scope read, hosts 10.0.0.0/8, expires never, certificate ${certificate}`,
      "one: scope read, hosts 10.0.0.0/8, rights history, expires never",
    ]);
  });

  test("the last unrestricted admin key is kept if requested", async () => {
    const { keys } = fixture.store;
    const admin = { scope: "admin", hosts: [] };
    const first = (await keys.add({ ...admin, name: "first", key: "1" }, operator)) ?? "";
    await keys.add({ ...admin, name: "limited", key: "2", hosts: ["10.0.0.0/8"] }, operator);
    await keys.add({ ...admin, name: "ended", key: "3", expiresAt: Date.now() - 1_000 }, operator);
    await keys.add({ ...admin, name: "gone", key: "4" }, operator);
    expect(await keys.revoke("gone", operator, "kept")).toBe("revoked");
    for (const last of ["first", first]) expect(await keys.revoke(last, operator, "kept")).toBe("last_admin");
    expect(await keys.find("1")).toMatchObject({ id: first });
    for (const other of ["limited", "ended"])
      expect(await keys.revoke(other, operator, "kept")).toBe("revoked");
    expect(await keys.revoke("nobody", operator, "kept")).toBe("unknown");
    const entries = (await fixture.store.audit.page({}, 10)).filter(({ action }) => action === "key.revoke");
    expect(entries.map(({ detail }) => detail)).toEqual(["ended", "limited", "gone"]);
    // On the machine's command line it may be revoked.
    expect(await keys.revoke("first", operator)).toBe("revoked");
  });

  test("of the last two admin keys revoked concurrently, one stays", async () => {
    const { keys } = fixture.store;
    for (const name of ["a", "b"]) await keys.add({ scope: "admin", hosts: [], name, key: name }, operator);
    const ends = await Promise.all(["a", "b"].map((name) => keys.revoke(name, operator, "kept")));
    expect(ends.sort()).toEqual(["last_admin", "revoked"]);
    expect((await keys.list()).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  });

  test("a key of a person is no admin key that keeps the service manageable", async () => {
    const { keys, persons } = fixture.store;
    const id = (await persons.signIn(anna, null))?.id ?? "";
    await keys.add({ scope: "admin", hosts: [], name: "machine", key: "1" }, operator);
    const own = { scope: "admin", hosts: [], name: `${id}/laptop`, key: "2", personId: id };
    expect(await keys.addOwn(own, operator)).toMatchObject({ id: expect.any(String) });
    expect(await keys.revoke("machine", operator, "kept")).toBe("last_admin");
    // By the name that is shown.
    expect(await keys.revoke("anna/laptop", operator, "kept")).toBe("revoked");
    expect(await keys.revoke("machine", operator)).toBe("revoked");
  });

  test("of the keys for emergencies one is in force, whoever makes another; none is changed or counts as admin key", async () => {
    const { keys, audit } = fixture.store;
    const rights = ["history", "break_glass"];
    const make = (name: string) =>
      keys.addBreakGlass({ scope: "admin", hosts: [], rights, name, key: name }, operator);
    await keys.add({ scope: "admin", hosts: [], name: "machine", key: "1" }, operator);
    await make("one");
    await Promise.all(["two", "three"].map(make));
    const inForce = (await keys.list()).filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name);
    expect(inForce).toHaveLength(2);
    const [last = ""] = inForce.filter((name) => name !== "machine");
    // One that cannot be added leaves the one before in force.
    expect(await make("one")).toBeUndefined();
    expect(await make(last)).toBeUndefined();
    expect((await keys.find(last))?.name).toBe(last);
    expect(await keys.change(last, { rights: [] }, operator)).toBe(false);
    expect(await keys.revoke("machine", operator, "kept")).toBe("last_admin");
    expect(await keys.revoke(last, operator, "kept")).toBe("revoked");
    const entries = (await audit.page({}, 20)).filter(({ action }) => action === "key.revoke");
    expect(entries.map(({ detail }) => detail).sort()).toEqual(["one", "three", "two"]);
  });

  test("a person has so many keys in force, whoever makes them at the same time; names of ended ones are free", async () => {
    const { keys, persons } = fixture.store;
    const id = (await persons.signIn(anna, null))?.id ?? "";
    const add = (name: string, more: object = {}) =>
      keys.addOwn(
        {
          ...{ scope: "read", hosts: [], name: `${id}/${name}`, key: `${name}${Math.random()}` },
          personId: id,
          ...more,
        },
        operator,
      );
    await add("expired", { expiresAt: Date.now() - 1_000 });
    const many = Array.from({ length: ownKeyLimits.inForce + 5 }, (_, n) => add(`k${n}`));
    const outcomes = await Promise.all(many);
    expect(outcomes.filter((outcome) => outcome === "full")).toHaveLength(5);
    expect(await keys.revoke("anna/k0", operator)).toBe("revoked");
    expect(await add("k1")).toBe("taken");
    expect(await add("k0")).toMatchObject({ id: expect.any(String) });
    expect(await add("more")).toBe("full");
    const own = await keys.ofPerson(id);
    expect(
      own
        .filter(({ name }) => name.startsWith(`${id}/k0`))
        .map(({ person, revokedAt }) => [person, revokedAt !== null]),
    ).toEqual([
      ["anna", true],
      ["anna", false],
    ]);
    expect(await keys.ofPerson("nobody")).toEqual([]);
    // Another person has room, and keys of the same names.
    const other = (await persons.signIn({ ...anna, subject: "s-2" }, null))?.id ?? "";
    const outcome = keys.addOwn(
      { scope: "read", hosts: [], name: `${other}/k1`, key: "o", personId: other },
      operator,
    );
    expect(await outcome).toMatchObject({ id: expect.any(String) });
  });

  test("keys of a person that have ended are stored for a while, and never more than so many", async () => {
    const { keys, persons } = fixture.store;
    const id = (await persons.signIn(anna, null))?.id ?? "";
    const add = (name: string, expiresAt: number) =>
      keys.addOwn(
        { scope: "read", hosts: [], name: `${id}/${name}`, key: name, personId: id, expiresAt },
        operator,
      );
    const now = fixture.store.clock.wall();
    for (let n = 0; n < ownKeyLimits.stored; n++)
      expect(await add(`k${n}`, now - (n === 0 ? ownKeyLimits.endedMs : 1_000))).toMatchObject({
        id: expect.any(String),
      });
    // The first one ended long ago and makes room once.
    expect(await add("last", now + 60_000)).toMatchObject({ id: expect.any(String) });
    expect(await add("more", now + 60_000)).toBe("full");
    expect(await keys.ofPerson(id)).toHaveLength(ownKeyLimits.stored);
  });

  test("the last use of a key is stored when uses are written", async () => {
    const { store } = fixture;
    const id = (await store.keys.add(key, operator)) ?? "";
    store.keys.touch(id);
    expect((await store.keys.list())[0]?.lastUsedAt).toBeNull();
    await store.keys.writeUses();
    expect((await store.keys.list())[0]?.lastUsedAt).toBeGreaterThan(0);
  });

  test("a host key belongs to its route, and is deleted with its host", async () => {
    const { store } = fixture;
    await store.hostKeys.learn("r1", 22, shown);
    await store.hostKeys.learn("r1", 22, { ...shown, fingerprint: "SHA256:jump" }, ["j1"]);
    expect(await store.hostKeys.known("r1", 22)).toEqual([shown]);
    expect(await store.hostKeys.known("r1", 23)).toEqual([]);
    const onRoute = (await store.hostKeys.known("r1", 22, ["j1"])).map(({ fingerprint }) => fingerprint);
    expect(onRoute).toEqual(["SHA256:jump", "SHA256:first"]);
    expect(await store.hostKeys.forget("r1", 23, operator)).toBe(0);
    expect(await store.hostKeys.forget("r1", undefined, operator)).toBe(2);
    expect(await store.hostKeys.known("r1", 22, ["j1"])).toEqual([]);
    expect((await store.audit.page({}, 1))[0]).toMatchObject({ action: "hostkey.forget", host: "r1" });
  });

  test("a key that a host presented in place of a known one replaces it when it is accepted", async () => {
    const { store } = fixture;
    const { hostKeys } = store;
    const anew = { type: "ssh-ed25519", fingerprint: "SHA256:new" };
    await hostKeys.learn("r1", 22, shown);
    await hostKeys.learn("r1", 22, shown, ["j1"]);
    await hostKeys.offer("r1", 22, { ...anew, fingerprint: "SHA256:before" });
    await hostKeys.offer("r1", 22, anew);
    expect(await hostKeys.list()).toMatchObject([
      { host: "r1", port: 22, route: [], ...shown, offered: anew },
      { host: "r1", route: ["j1"], ...shown, offered: null },
    ]);
    expect(await hostKeys.accept("r1", "SHA256:before", undefined, operator)).toBe(0);
    expect(await hostKeys.accept("r1", "SHA256:new", 23, operator)).toBe(0);
    expect(await hostKeys.accept("r1", "SHA256:new", undefined, operator)).toBe(1);
    expect(await hostKeys.known("r1", 22)).toEqual([anew]);
    expect((await hostKeys.list()).map(({ offered }) => offered)).toEqual([null, null]);
    const [entry] = await store.audit.page({}, 1);
    expect(entry).toMatchObject({ action: "hostkey.accept", host: "r1", detail: "SHA256:new" });
  });
}
