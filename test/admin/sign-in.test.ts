/** What a sign-in stores: persons with a role, sessions that end in time, and a trail of who was refused. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSignIn, type SignInOptions } from "../../src/admin/sign-in.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Identity, Oidc, ProviderLogout } from "../../src/oidc/port.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { masterKey } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const issuer = "https://login.example";
const hourMs = 3_600_000;
const by = { keyId: "test", name: "test", from: null };
const folder = temporary();
let time = Date.UTC(2026, 10, 22);
let store: Store;
let identity: Identity;
let logout: ProviderLogout;
let ended: string[] = [];
let changes = 0;

const role = (name: string, group: string, position = 100) =>
  store.roles.put(
    {
      ...{ name, position, issuer: null, groups: [group], subjects: [], scope: "operate" },
      ...{ hosts: [], credentials: null, recipes: null, rights: [] },
    },
    by,
  );

beforeAll(async () => {
  const clock = { wall: () => time, monotonic: () => time };
  store = await createStore({ directory: folder.path, masterKey, log: silentLog, clock });
  await role("operators", "netops");
});
afterAll(async () => {
  await store.close();
  folder.remove();
});
beforeEach(() => {
  [ended, changes] = [[], 0];
  time += 2_000;
  identity = {
    ...{ provider: "corp", issuer, subject: "p-anna", name: "anna", email: undefined },
    ...{ groups: ["netops"], providerSession: "s1", tokenEndsAt: time + hourMs },
    idToken: "header.canary.signature",
  };
});

/** How often a logout token may be sent again. */
let allowed = 0;
const oidc: Oidc = {
  stateMs: 600_000,
  begin: async () => ({ location: `${issuer}/auth`, state: "sealed" }),
  finish: async () => ({ identity, returnPath: "/" }),
  backChannel: async () => ({ ...logout, allowAgain: () => void allowed++ }),
  frontChannel: async () => logout,
  logoutUrl: async (of, idToken) => (of === issuer ? `${issuer}/end?${idToken}` : undefined),
};
const signInWith = (options: Partial<SignInOptions> = {}) =>
  createSignIn({
    ...{ store, holders: createHolders(store), providers: ["corp"], oidc: async () => oidc },
    ...{ byKey: true, longestMs: 12 * hourMs, endsWithToken: false },
    onEnded: (id) => void ended.push(id),
    onChanged: () => void changes++,
    ...options,
  });
const returned = {
  ...{ provider: "corp", answer: new URLSearchParams(), state: "sealed", from: "192.0.2.1" },
  agent: "x".repeat(500),
};
async function begun(options?: Partial<SignInOptions>) {
  const end = await signInWith(options).finish(returned);
  if ("refused" in end) throw new Error(end.refused);
  return { ...end, stored: await store.loginSessions.find(end.token) };
}
const refusedIn = async () => {
  const [entry] = await store.audit.page({}, 1);
  return [entry?.action, entry?.outcome, entry?.detail];
};

test("a session belongs to the person, and ends after the longest life however it is used", async () => {
  const { stored, lastsMs } = await begun();
  const person = await store.persons.bySubject(issuer, "p-anna");
  expect(stored).toMatchObject({ holder: person?.id, address: "192.0.2.1", expiresAt: time + 12 * hourMs });
  expect(stored?.agent).toHaveLength(200);
  expect(lastsMs).toBe(12 * hourMs);
  time += 11 * hourMs;
  store.loginSessions.touch(stored?.id ?? "");
  await store.loginSessions.writeUses();
  time += hourMs - 1;
  expect(await store.loginSessions.find((await begun()).token)).toBeDefined();
  const [first] = (await store.loginSessions.list(person?.id)).slice(-1);
  expect(first?.id).toBe(stored?.id);
  time += 1;
  expect((await store.loginSessions.list(person?.id)).map(({ id }) => id)).not.toContain(stored?.id);
});

test("with session_token_life it ends with the ID token, but not before it has begun", async () => {
  expect((await begun({ endsWithToken: true })).lastsMs).toBe(hourMs);
  identity = { ...identity, tokenEndsAt: time - 30_000 };
  expect((await begun({ endsWithToken: true })).lastsMs).toBe(60_000);
  identity = { ...identity, tokenEndsAt: time + 100 * hourMs };
  expect((await begun({ endsWithToken: true })).lastsMs).toBe(12 * hourMs);
});

test("a stranger without a role is refused and not stored", async () => {
  identity = { ...identity, subject: "p-stranger", groups: ["guests"] };
  expect(await signInWith().finish(returned)).toMatchObject({ refused: "no_role", identity });
  expect(await store.persons.bySubject(issuer, "p-stranger")).toBeUndefined();
  expect(await refusedIn()).toEqual(["person.refused", "no_role", `${issuer} p-stranger`]);
});

test("somebody who is known loses what their groups no longer give, also for keys and open sessions", async () => {
  const { stored } = await begun();
  identity = { ...identity, groups: [] };
  expect(await signInWith().finish(returned)).toMatchObject({ refused: "no_role" });
  expect((await store.persons.bySubject(issuer, "p-anna"))?.groups).toEqual([]);
  expect((await createHolders(store).byId(stored?.holder ?? ""))?.state).toBe("revoked");
  expect(changes).toBeGreaterThan(0);
});

test("somebody who is blocked is refused, whatever their role", async () => {
  await begun();
  const person = await store.persons.bySubject(issuer, "p-anna");
  await store.persons.block(person?.id ?? "", true, by);
  expect(await signInWith().finish(returned)).toMatchObject({ refused: "blocked" });
  expect(await refusedIn()).toEqual(["person.refused", "blocked", `${issuer} p-anna`]);
  await store.persons.block(person?.id ?? "", false, by);
});

test("a logout at the provider ends the sessions that it names, and no other", async () => {
  const [one, two] = [await begun(), await begun()];
  identity = { ...identity, providerSession: "s2" };
  const other = await begun();
  const lives = async () =>
    Promise.all(
      [one, two, other].map(async ({ token }) => (await store.loginSessions.find(token)) !== undefined),
    );

  logout = { issuer: "https://other.example", subject: undefined, providerSession: "s1" };
  await signInWith().endByBackChannel("corp", "token", "192.0.2.9");
  expect(await lives()).toEqual([true, true, true]);
  logout = { issuer, subject: "p-anna", providerSession: "s1" };
  expect(await signInWith().endByFrontChannel("corp", new URLSearchParams(), null)).toEqual({
    framedBy: issuer,
  });
  expect(await lives()).toEqual([false, false, true]);
  expect(ended).toContain(one.stored?.id);
  expect((await refusedIn())[0]).toBe("session.end");
  logout = { issuer, subject: "p-nobody", providerSession: undefined };
  await signInWith().endByBackChannel("corp", "token", null);
  expect(await lives()).toEqual([false, false, true]);
  logout = { issuer, subject: "p-anna", providerSession: undefined };
  await signInWith().endByBackChannel("corp", "token", null);
  expect(await lives()).toEqual([false, false, false]);
});

test("the logout of a person leads to the provider of that person, that of a key nowhere", async () => {
  const person = await store.persons.bySubject(issuer, "p-anna");
  const caller = { ...by, scope: "operate" as const, hosts: [] };
  const { id = "", name = "" } = person ?? {};
  const { stored: session } = await begun();
  const own = { ...caller, person: { id, name }, sessionId: session?.id ?? "" };
  // Read before the session ends, and not kept when it has.
  const askUrl = await signInWith().beginLogout(own);
  await store.loginSessions.end(own.sessionId, by);
  expect(await askUrl()).toBe(`${issuer}/end?header.canary.signature`);
  expect(await (await signInWith().beginLogout(own))()).toBe(`${issuer}/end?undefined`);
  expect(await (await signInWith().beginLogout(caller))()).toBeUndefined();
  const shown = [await store.audit.page({}, 1_000), await store.loginSessions.list(), session];
  expect(JSON.stringify(shown)).not.toContain("canary");
});

test("a logout that the store did not take may be sent again, with the same token", async () => {
  const away = async () => {
    throw new ServiceError("Unavailable", "The store is away.");
  };
  const loginSessions = { ...store.loginSessions, endAll: away };
  allowed = 0;
  const failing = signInWith({ store: { ...store, loginSessions } }).endByBackChannel("corp", "token", null);
  await expect(failing).rejects.toMatchObject({ kind: "Unavailable" });
  expect(allowed).toBe(1);
  await signInWith().endByBackChannel("corp", "token", null);
  expect(allowed).toBe(1);
});
