/** Stored keys behind the real HTTP layer: wrong guesses are slowed down, valid keys are not. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHolders } from "../../src/auth/holders.ts";
import { type AuthenticateOptions, createAuthentication } from "../../src/auth/keys.ts";
import { makeApiKey } from "../../src/auth/make-key.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import type { TimeBudget } from "../../src/base/time/time-budget.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { createApp } from "../http/doubles/fixtures.ts";
import { masterKey } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const admin = { keyId: "test", name: "test", from: null };
const right = makeApiKey();
const folder = temporary();
let store: Store;
beforeAll(async () => {
  store = await createStore({ directory: folder.path, masterKey, log: silentLog });
  await store.keys.add({ name: "right", key: right, scope: "admin", hosts: [] }, admin);
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const authenticateWith = (options: Omit<AuthenticateOptions, "keys" | "logins" | "holders">) =>
  createAuthentication({
    keys: store.keys,
    logins: store.loginSessions,
    holders: createHolders(store),
    ...options,
  }).byKey;

/** A fake clock that tests advance; delayed responses are counted and released. */
function service() {
  let time = 0;
  const holds: number[] = [];
  const authenticate = authenticateWith({
    now: () => time,
    pause: async (ms) => void holds.push(ms),
  });
  const { send } = createApp({}, { authenticate });
  const health = (key: string, from: string | null) => send("/health", { key, from });
  return { health, holds, pass: (ms: number) => (time += ms) };
}

const here = "198.51.100.7";

describe("guesses", () => {
  test("from one address are delayed, and answered with 429 after the first ten", async () => {
    const { health, holds, pass } = service();
    for (let n = 0; n < 10; n++) expect((await health(makeApiKey(), here)).status).toBe(403);
    expect(holds).toEqual([]);
    const answer = await health(makeApiKey(), here);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(holds).toEqual([1_000]);
    expect((await health(makeApiKey(), "198.51.100.8")).status).toBe(403);
    pass(60_000);
    expect((await health(makeApiKey(), here)).status).toBe(403);
  });

  test("with a common prefix are delayed wherever they come from", async () => {
    const { health } = service();
    const guess = (n: number) => `${right.slice(0, 12)}${String(n).padStart(30, "0")}`;
    for (let n = 0; n < 10; n++) expect((await health(guess(n), `198.51.100.${n}`)).status).toBe(403);
    expect((await health(guess(11), "198.51.100.99")).status).toBe(429);
    expect((await health(makeApiKey(), "198.51.100.99")).status).toBe(403);
    expect((await health(right, "198.51.100.99")).status).toBe(200);
  });

  test("never lock out a valid key, even from the same address or on first use", async () => {
    const later: (() => void)[] = [];
    const authenticate = authenticateWith({
      pause: () => new Promise((resolve) => later.push(resolve)),
    });
    const { send } = createApp({}, { authenticate });
    const guesses = Array.from({ length: 300 }, () => send("/health", { key: makeApiKey(), from: here }));
    expect((await send("/health", { key: right, from: here })).status).toBe(200);
    while (later.length < 290) await new Promise((resolve) => setImmediate(resolve));
    expect((await send("/health", { key: right, from: here })).status).toBe(200);
    for (const go of later) go();
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(290);
  });

  test("over a unix socket do not share one limit", async () => {
    const { health } = service();
    for (let n = 0; n < 30; n++) expect((await health(makeApiKey(), null)).status).toBe(403);
    expect((await health(right, null)).status).toBe(200);
  });

  test("hold a bounded number of pending responses", async () => {
    let held = 0;
    const authenticate = authenticateWith({
      limits: { free: 0, maxHeld: 5 },
      pause: () => new Promise<void>(() => void held++),
    });
    const answers = Array.from({ length: 20 }, () => authenticate(makeApiKey(), here));
    for (const answer of answers.slice(5)) expect(await answer).toMatchObject({ lockedForS: 60 });
    expect(held).toBe(5);
  });
});

test("a revoked key stops working within five seconds", async () => {
  const key = makeApiKey();
  await store.keys.add({ name: "short", key, scope: "read", hosts: [] }, admin);
  const { health, pass } = service();
  expect((await health(key, here)).status).toBe(200);
  await store.keys.revoke("short", admin);
  pass(5_001);
  expect((await health(key, here)).status).toBe(403);
});

test("looks a key up within the request's time budget, and delays the answer to a guess", async () => {
  const asked: Promise<unknown>[] = [];
  const budget: TimeBudget = {
    wait(answer) {
      asked.push(answer);
      return answer;
    },
  };
  const authenticate = authenticateWith({ pause: async () => {} });
  expect(await authenticate(right, here, budget)).toMatchObject({ name: "right" });
  expect(await authenticate(makeApiKey(), here, budget)).toBeUndefined();
  expect(await Promise.all(asked)).toEqual([
    expect.objectContaining({ holder: expect.objectContaining({ name: "right" }) }),
    undefined,
  ]);
  const late = { wait: () => Promise.reject(new ServiceError("Unavailable", "too late")) };
  await expect(authenticate(makeApiKey(), here, late)).rejects.toMatchObject({ kind: "Unavailable" });
});

describe("the rights of a caller", () => {
  const secrets = ["history_secrets"];
  /** Without a cache of former lookups. */
  const now = () =>
    createAuthentication({ keys: store.keys, logins: store.loginSessions, holders: createHolders(store) });

  test("are those of its key as they are now: by text, session, certificate and for work without a request", async () => {
    const [key, fingerprint] = [makeApiKey(), "a".repeat(64)];
    const shape = { scope: "operate", hosts: [], rights: secrets };
    const id = (await store.keys.add({ ...shape, name: "held", key }, admin)) ?? "";
    await store.keys.add({ ...shape, name: "mapped", key: { certificate: fingerprint } }, admin);
    const session = { token: "pbs_held", holder: id, address: null, agent: null };
    await store.loginSessions.add(session, admin);
    const callers = async () => {
      const { byKey, bySession, byCertificate, byId } = now();
      return [
        await byKey(key, here),
        await bySession("pbs_held", here),
        await byCertificate(fingerprint, here),
        await byId(id),
      ];
    };
    for (const caller of await callers()) expect(caller).toMatchObject({ rights: secrets });
    for (const name of ["held", "mapped"]) await store.keys.change(name, { rights: [] }, admin);
    for (const caller of await callers()) expect(caller).toMatchObject({ rights: [] });
    for (const name of ["held", "mapped"]) await store.keys.revoke(name, admin);
    expect(await callers()).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("end with the key", async () => {
    const key = makeApiKey();
    const ended = { scope: "read", hosts: [], rights: secrets, expiresAt: Date.now() - 1 };
    const id = (await store.keys.add({ ...ended, name: "ended", key }, admin)) ?? "";
    expect([await now().byKey(key, here), await now().byId(id)]).toEqual([undefined, undefined]);
  });
});
