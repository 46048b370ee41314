/** Login sessions on a real store: who may see and end which, and when they expire. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLoginSessions } from "../../src/admin/login-sessions.ts";
import { loginIdleMs, loginLongestMs, maxLogins } from "../../src/api/access/login-session.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import { makeApiKey } from "../../src/auth/make-key.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { masterKey } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
let time = Date.UTC(2026, 10, 22);
let store: Store;
beforeAll(async () => {
  const clock = { wall: () => time, monotonic: () => time };
  store = await createStore({ directory: folder.path, masterKey, log: silentLog, clock });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const operator = { keyId: "test", name: "test", from: null };
async function keyNamed(name: string, scope: string, hosts: string[] = []): Promise<Caller> {
  const key = makeApiKey();
  await store.keys.add({ name, key, scope, hosts }, operator);
  const caller = await createAuthentication({
    keys: store.keys,
    logins: store.loginSessions,
    holders: createHolders(store),
  }).byKey(key, null);
  if (caller === undefined || "lockedForS" in caller) throw new Error("no such key");
  return caller;
}
const iso = (ms: number) => new Date(ms).toISOString();
const sessions = () => createLoginSessions({ store, holders: createHolders(store), iso });
/** Without a cache. */
const callerOf = (token: string) =>
  createAuthentication({
    keys: store.keys,
    logins: store.loginSessions,
    holders: createHolders(store),
    pause: async () => {},
  }).bySession(token, null);

describe("a login session", () => {
  test("has the scope, hosts and id of its key, and is valid as long as the key", async () => {
    const key = await keyNamed("berlin", "read", ["10.1.*"]);
    const { token, session } = await sessions().beginLoginSession(key, "x".repeat(500));
    expect(session).toMatchObject({
      key: "berlin",
      scope: "read",
      hosts: ["10.1.*"],
      rights: [],
      current: true,
    });
    expect(session.agent).toHaveLength(200);
    const caller = await callerOf(token);
    expect(caller).toEqual({ ...key, sessionId: session.id });
    await expect(sessions().beginLoginSession(caller as Caller, null)).rejects.toMatchObject({
      kind: "Forbidden",
    });
    await store.keys.revoke("berlin", operator);
    expect(await callerOf(token)).toBeUndefined();
  });

  test("ends half a day after its last use, and a week after its start at the latest", async () => {
    const { token } = await sessions().beginLoginSession(await keyNamed("clock", "read"), null);
    const began = time;
    for (; time < began + loginLongestMs - loginIdleMs; time += loginIdleMs / 2) {
      expect(await callerOf(token)).toMatchObject({ name: "clock" });
      await store.loginSessions.writeUses();
    }
    time = began + loginLongestMs;
    expect(await callerOf(token)).toBeUndefined();
    const idle = await sessions().beginLoginSession(await keyNamed("idle", "read"), null);
    time += loginIdleMs;
    expect(await callerOf(idle.token)).toBeUndefined();
  });

  test("is listed and ended by its own key and by unrestricted admin keys only", async () => {
    const [owner, stranger, limited, admin] = [
      await keyNamed("one", "operate"),
      await keyNamed("two", "operate"),
      await keyNamed("limited", "admin", ["10.1.*"]),
      await keyNamed("boss", "admin"),
    ];
    const { token, session } = await sessions().beginLoginSession(owner, null);
    const seenBy = async (caller: Caller) => (await sessions().listLoginSessions(caller)).map(({ id }) => id);
    expect(await seenBy(owner)).toEqual([session.id]);
    expect(await seenBy(admin)).toContain(session.id);
    for (const other of [stranger, limited]) {
      expect(await seenBy(other)).toEqual([]);
      await expect(sessions().endLoginSession(session.id, other)).rejects.toMatchObject({ kind: "NotFound" });
    }
    await expect(sessions().endLoginSession("current", owner)).rejects.toMatchObject({ kind: "NotFound" });
    const caller = (await callerOf(token)) as Caller;
    expect(await sessions().endLoginSession("current", caller)).toBe(session.id);
    expect(await callerOf(token)).toBeUndefined();
  });

  test("counts against the limit of its key; the least recently used one is removed", async () => {
    const key = await keyNamed("many", "read");
    const tokens: string[] = [];
    for (let n = 0; n <= maxLogins; n++) {
      tokens.push((await sessions().beginLoginSession(key, null)).token);
      time += 1000;
    }
    expect(await sessions().listLoginSessions(key)).toHaveLength(maxLogins);
    expect(await callerOf(tokens[0] ?? "")).toBeUndefined();
    expect(await callerOf(tokens[1] ?? "")).toMatchObject({ name: "many" });
  });
});

test("checking whether a session is valid does not prolong it", async () => {
  const { token, session } = await sessions().beginLoginSession(await keyNamed("stream", "read"), null);
  const { bySession } = createAuthentication({
    keys: store.keys,
    logins: store.loginSessions,
    holders: createHolders(store),
  });
  const endsAt = async () => (await store.loginSessions.find(token))?.expiresAt;
  time += 60_000;
  expect(await bySession(token, null, undefined, false)).toMatchObject({ sessionId: session.id });
  await store.loginSessions.writeUses();
  expect(await endsAt()).toBe(Date.parse(session.expires_at));
  await bySession(token, null);
  await store.loginSessions.writeUses();
  expect(await endsAt()).toBe(time + loginIdleMs);
});

test("an ended session is rejected at once on the node that ended it", async () => {
  const key = await keyNamed("here", "read");
  const { token, session } = await sessions().beginLoginSession(key, null);
  const { bySession, forgetSession } = createAuthentication({
    ...{
      keys: store.keys,
      logins: store.loginSessions,
      holders: createHolders(store),
      pause: async () => {},
      now: () => 0,
    },
  });
  expect(await bySession(token, null)).toMatchObject({ name: "here" });
  await sessions().endLoginSession(session.id, key);
  forgetSession(session.id);
  expect(await bySession(token, null)).toBeUndefined();
});

test("the database never holds a session token, and the audit trail records each login", async () => {
  const key = await keyNamed("trail", "read");
  const { token, session } = await sessions().beginLoginSession(key, null);
  await sessions().endLoginSession(session.id, key);
  const trail = await store.audit.page({}, 2);
  expect(trail).toMatchObject([
    { action: "session.end", who: `trail (${key.keyId})`, detail: session.id },
    { action: "session.begin", who: `trail (${key.keyId})`, detail: session.id },
  ]);
  for (const name of ["patchbay.db", "patchbay.db-wal"])
    expect(readFileSync(join(folder.path, name), "latin1")).not.toContain(token);
});
