/** Contract of pseudonyms: what a person did stays in the records, under another name, and no entry goes. */
import { expect, test } from "vitest";
import type { Store, StoredPerson } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const issuer = "https://id.example.net";
const anna = { issuer, subject: "s-17", name: "anna", email: "anna@example.net", groups: ["net"] };
const role = {
  ...{ name: "net", position: 10, issuer: null, groups: ["net"], subjects: ["s-17", "s-170"] },
  ...{ scope: "operate", hosts: [], credentials: null, recipes: null, rights: [] },
};
const bulk = { id: "b1", driver: "netmiko", operation: "query" } as const;
const syncOf = (by: string) =>
  JSON.stringify({
    ...{ started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z", status: "succeeded", by },
    ...{ dry_run: false, added: 0, changed: 0, removed: 0, unchanged: 0, error: null },
  });
const device = { name: "SW1", host: "192.0.2.1", group: null, platform: null };

export function forgettingContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  /** What a person leaves behind: jobs of the person and of a key, a version, a session, entries of the trail. */
  async function work(store: Store) {
    await store.roles.put(role, operator);
    const stranger = { keyId: anna.subject, name: "anna.early", from: null };
    const refusal = { action: "person.refused" as const, detail: `${issuer} ${anna.subject}` };
    await store.audit.add({ ...refusal, caller: stranger, outcome: "no_role" });
    await store.persons.signIn({ ...anna, name: "anna.former" }, "192.0.2.1");
    const person = await store.persons.signIn(anna, "192.0.2.1");
    if (person === undefined) throw new Error("no room for a person");
    const caller = { keyId: person.id, name: "anna", from: null };
    const keyId = await store.keys.add(
      {
        ...{ name: `${person.id}/anna-laptop`, key: "pb_1", scope: "operate", hosts: [], credentials: null },
        ...{ recipes: null, rights: null, expiresAt: null, personId: person.id },
      },
      caller,
    );
    const submitter = { kind: "person", name: "anna" } as const;
    await store.jobs.insert([
      newJob(store, { caller, submitter }),
      newJob(store, { caller: { ...caller, keyId: keyId ?? "", name: "anna/anna-laptop" }, submitter }),
      newJob(store, { caller: operator, submitter: { kind: "person", name: "annabel" } }),
    ]);
    await store.jobs.insert([newJob(store, { caller, submitter, bulkId: "b1" })], {
      bulk: { ...bulk, caller: person.id, submitter },
    });
    await store.loginSessions.add({ token: "t", holder: person.id, address: null, agent: null }, caller);
    await store.history.add(device, [
      {
        ...{ part: "running", state: "good", reason: null, compare: "b", lines: 1, bytes: 1, added: 1 },
        ...{ removed: 0, text: { body: Buffer.from("b"), secrets: undefined }, takenAt: 2_000 },
        ...{ who: "anna/anna-laptop", note: undefined, origin: "job:2" },
      },
      {
        ...{ part: "running", state: "good", reason: null, compare: "a", lines: 1, bytes: 1, added: 1 },
        ...{ removed: 0, text: { body: Buffer.from("a"), secrets: undefined }, takenAt: 1_000 },
        ...{ who: "anna.former", note: undefined, origin: "job:1" },
      },
    ]);
    const own = JSON.stringify({ name: "cmdb" });
    await store.sources.put({ key: "cmdb", own }, { ...caller, person: { id: person.id, name: "anna" } });
    for (const by of ["anna", "anna/anna-laptop", "annabel"])
      await store.sources.addRun("cmdb", syncOf(by), {
        caller: operator,
        action: "inventory.source.sync",
        outcome: "y",
      });
    await store.keys.change("anna/anna-laptop", { rights: [] }, operator);
    await store.persons.block(person.id, true, operator);
    await store.audit.add({ ...refusal, caller, outcome: "blocked" });
    return { person, keyId: keyId ?? "" };
  }

  async function everything(store: Store, person: StoredPerson): Promise<string> {
    const found = await store.history.device("sw1");
    return JSON.stringify([
      await store.jobs.page({}, 100),
      await store.events.after(0, 100),
      await store.bulks.find("b1"),
      await store.audit.page({}, 1_000),
      await store.persons.byId(person.id),
      await store.roles.list(),
      await store.keys.list(),
      await store.sources.list(),
      found && (await store.history.versions({ device: found.id, part: "running" }, 10)),
    ]);
  }

  async function eraseAll(store: Store): Promise<void> {
    for (let batches = 0; batches < 1_000 && (await store.persons.erase(0)); batches++);
  }

  test("a person who is forgotten has a pseudonym everywhere, and all entries stay", async () => {
    const { store } = fixture;
    const { person, keyId } = await work(store);
    const before = await store.audit.page({}, 1_000);
    expect(await store.persons.forget("nobody", operator)).toBeUndefined();
    const name = await store.persons.forget(person.id, operator);
    expect(name).toMatch(/^person-[0-9a-f]{12}$/);
    expect(await store.persons.forget(person.id, operator)).toBeUndefined();
    expect(await store.persons.byId(person.id)).toMatchObject({
      ...{ name, email: null, groups: [], subject: name, forgottenAt: expect.any(Number) },
    });
    expect(await store.keys.byId(keyId)).toMatchObject({ revokedAt: expect.any(Number) });
    expect(await store.loginSessions.find("t")).toBeUndefined();
    // Requests that were under way may still write the name.
    expect(await store.persons.erase()).toBe(false);
    await eraseAll(store);
    const left = await everything(store, person);
    expect(left.replaceAll("annabel", "").replaceAll("s-170", "")).not.toMatch(/anna|s-17/i);
    expect(left).toContain("annabel");
    const after = await store.audit.page({}, 1_000);
    expect(after.filter(({ action }) => action === "person.forget").map(({ outcome }) => outcome)).toEqual([
      expect.stringMatching(/^done, in [1-9]\d* entries$/),
      "begun",
    ]);
    // The same entries, by the same ids: only what a person is called differs.
    expect(after.slice(2).map(({ id, at, action }) => [id, at, action])).toEqual(
      before.map(({ id, at, action }) => [id, at, action]),
    );
    const mine = after.filter(({ who }) => who.endsWith(` (${person.id})`));
    expect(mine.length).toBeGreaterThan(3);
    expect(mine.every(({ who }) => who === `${name} (${person.id})`)).toBe(true);
    expect(after.filter(({ who }) => who.endsWith(` (${keyId})`)).map(({ who }) => who)).toEqual([
      `${name}/key (${keyId})`,
    ]);
    expect((await store.roles.list())[0]?.subjects).toEqual(["s-170"]);
    expect(after.find(({ action }) => action === "role.put")?.detail).toContain(`subjects ${name},s-170`);
    // Whoever comes back begins anew.
    expect((await store.persons.signIn(anna, null))?.id).not.toBe(person.id);
  });

  test("a process that is killed in between leaves the rest to another one", async () => {
    const { person } = await work(fixture.store);
    await fixture.store.persons.forget(person.id, operator);
    let batches = 0;
    for (; batches < 30 && (await fixture.store.persons.erase(0)); batches++) await fixture.reopen();
    expect(batches).toBeGreaterThan(5);
    expect(await fixture.store.persons.erase(0)).toBe(false);
    const left = await everything(fixture.store, person);
    expect(left.replaceAll("annabel", "").replaceAll("s-170", "")).not.toMatch(/anna|s-17/i);
  });

  test("a name that somebody else has by now stays theirs", async () => {
    const { store } = fixture;
    const { person } = await work(store);
    await store.persons.forget(person.id, operator);
    await store.persons.signIn({ ...anna, subject: "other", name: "anna.former" }, null);
    await eraseAll(store);
    const found = await store.history.device("sw1");
    const versions = await store.history.versions({ device: found?.id ?? 0, part: "running" }, 10);
    expect(versions.map(({ who }) => who)).toEqual([
      expect.stringMatching(/^person-[0-9a-f]{12}\/key$/),
      "anna.former",
    ]);
  });
}
