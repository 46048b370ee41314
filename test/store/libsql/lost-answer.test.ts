/** A lost response: an applied transaction is not applied again, and whoever asked for it is told what it did. */
import { afterEach, describe, expect, test } from "vitest";
import type { AnyStore } from "../../support/any-store.ts";
import { operator } from "../contract/fixture.ts";
import {
  claimRequest,
  closeStore,
  facts,
  makePlace,
  newJob,
  openStore,
  storeKinds,
  type TestPlace,
} from "../support.ts";

let place: TestPlace | undefined;
let store: AnyStore | undefined;
afterEach(async () => {
  if (store) await closeStore(store);
  await place?.remove();
  [store, place] = [undefined, undefined];
});

/** A store that loses the response of the first transaction with a statement that begins so. */
async function losing(kind: (typeof storeKinds)[number], begins: string) {
  let lost = 0;
  place = await makePlace(kind);
  store = await openStore(place, {
    wrap: (connection) => ({
      ...connection,
      async batch(statements) {
        const rows = await connection.batch(statements);
        if (lost > 0 || !statements.some(({ sql }) => sql.startsWith(begins))) return rows;
        lost++;
        throw new DOMException("The operation timed out.", "TimeoutError");
      },
    }),
  });
  return { store, lost: () => lost };
}

// How PostgreSQL resolves one is in test/store/postgres: it has no connection to wrap.
const wrapped = storeKinds.filter((kind) => kind !== "postgres");

describe.each(wrapped)("store: %s", (kind) => {
  test("a claim whose response was lost claims nothing more when repeated", async () => {
    const { store, lost } = await losing(kind, "update jobs set status = 'running'");
    const n1 = await store.nodes.acquire({ ...facts, name: "n1" });
    if (!n1) throw new Error("no lease");
    const fifo = Array.from({ length: 5 }, () => newJob(store, { strategy: "fifo" }));
    await store.jobs.insert([...fifo, newJob(store), newJob(store)]);
    const request = claimRequest(["pinned_r1"], [{ lane: "fifo/k1/", count: 2 }]);
    expect((await store.claims.claim(n1, request)).jobs).toHaveLength(3);
    expect(lost()).toBe(1);
    expect(await store.jobs.page({ status: "running" }, 10)).toHaveLength(3);
  });

  test("a vote whose response was lost is known as given, and counts once", async () => {
    const { store, lost } = await losing(kind, "insert into change_votes");
    const more = {
      submitterKind: "key",
      submitter: "ops",
      holder: "k1",
      ticket: null,
      request: "{}",
    } as const;
    await store.changes.add({ id: "c1", name: "ntp", needed: 1, ...more }, operator);
    const asks = { state: "waiting_approval", hash: "a" } as const;
    await store.changes.move({ id: "c1", step: 1 }, asks, { what: "planned", by: null });
    const vote = {
      revision: 1,
      hash: "a",
      verdict: "approve",
      note: null,
      personId: "p1",
      person: "bert",
    } as const;
    const event = { what: "voted", detail: "approve, revision 1", by: operator };
    expect(await store.changes.vote({ id: "c1", step: 2 }, vote, event)).toBe(true);
    expect(lost()).toBe(1);
    expect(await store.changes.find("c1")).toMatchObject({ state: "approved", step: 3 });
    const late = { ...vote, personId: "p2", person: "carl" };
    expect(await store.changes.vote({ id: "c1", step: 2 }, late, event)).toBe(false);
    expect((await store.changes.steps("c1", 0, 10)).map(({ n, what }) => `${n} ${what}`)).toEqual([
      ...["1 draft", "2 planned", "3 voted"],
    ]);
  });

  test("a session that was ended is known as ended", async () => {
    const { store, lost } = await losing(kind, "delete from login_sessions where session_id = :id");
    const session = { token: "t", holder: "p1", address: null, agent: null };
    const { id } = await store.loginSessions.add({ ...session, providerSession: "x" }, operator);
    expect(await store.loginSessions.end(id, operator, "p1")).toBe(true);
    expect(lost()).toBe(1);
    expect(await store.loginSessions.end(id, operator)).toBe(false);
    expect(await actionsOf(store)).toEqual(["session.end", "session.begin"]);
  });

  test("a provider hears of each session that was ended", async () => {
    const { store, lost } = await losing(kind, "delete from login_sessions where session_id = :id");
    const session = { holder: "p1", address: null, agent: null, providerSession: "x" };
    const first = await store.loginSessions.add({ ...session, token: "t" }, operator);
    const second = await store.loginSessions.add({ ...session, token: "u" }, operator);
    const ended = await store.loginSessions.endAll({ providerSession: "x" }, operator);
    expect(lost()).toBe(1);
    expect(ended.toSorted()).toEqual([first.id, second.id].toSorted());
  });

  test("a key that was revoked is known as revoked", async () => {
    const { store, lost } = await losing(kind, "update keys set revoked_at");
    const key = { name: "a", key: "pb_a", scope: "read", hosts: [] };
    await store.keys.add(key, operator);
    expect(await store.keys.revoke("a", operator)).toBe("revoked");
    expect(lost()).toBe(1);
    expect(await actionsOf(store)).toEqual(["key.revoke", "key.add"]);
  });

  test("a role that was removed is known as removed", async () => {
    const { store, lost } = await losing(kind, "delete from roles");
    const role = { name: "net", position: 10, issuer: null, groups: ["net"], subjects: [] };
    const limits = { scope: "read", hosts: [], credentials: null, recipes: null, rights: [] };
    await store.roles.put({ ...role, ...limits }, operator);
    expect(await store.roles.remove("net", operator)).toBe("removed");
    expect(lost()).toBe(1);
    expect(await actionsOf(store)).toEqual(["role.remove", "role.put"]);
  });

  test("a person who was forgotten is known by the pseudonym", async () => {
    const { store, lost } = await losing(kind, "update persons set name = :pseudonym");
    const anna = { issuer: "https://id.example.net", subject: "s-1", name: "anna", email: null, groups: [] };
    const person = await store.persons.signIn(anna, null);
    const name = await store.persons.forget(person?.id ?? "", operator);
    expect(lost()).toBe(1);
    expect(name).toMatch(/^person-[0-9a-f]{12}$/);
    expect((await store.persons.byId(person?.id ?? ""))?.name).toBe(name);
  });

  test.each([
    ["confirmed", "update login_requests set state"],
    ["taken", "update login_requests set challenge"],
  ])("a login of a machine that was %s goes on", async (_what, begins) => {
    const { store, lost } = await losing(kind, begins);
    const { loginRequests } = store;
    const asked = { challenge: "c", port: 4_000, machine: "laptop", address: null, userCode: null };
    await loginRequests.add({ ...asked, id: "a" });
    const yes = { confirmed: true, personId: "p1", code: "one-time" };
    expect(await loginRequests.decide({ id: "a" }, yes, operator)).toMatchObject({ state: "confirmed" });
    expect(await loginRequests.take("a", "c", "one-time")).toMatchObject({ id: "a", personId: "p1" });
    expect(lost()).toBe(1);
    expect(await loginRequests.take("a", "c", "one-time")).toBeUndefined();
    expect(await loginRequests.stateOf("a", "c")).toBeUndefined();
  });
});

async function actionsOf(store: AnyStore): Promise<string[]> {
  return (await store.audit.page({}, 10)).map(({ action }) => action);
}
