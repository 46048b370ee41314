/** Uses of the key for emergencies are noted once per session and hour, and each change. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBreakGlass } from "../../src/admin/break-glass.ts";
import { createLoginSessions } from "../../src/admin/login-sessions.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { type Node, startNode } from "../support/node.ts";

const directory = tempFolder();
let node: Node;
let ahead = 0;
beforeAll(async () => {
  const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  node = await startNode({ directory, started: false, store: { clock } });
});
afterAll(async () => {
  await node?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const caller: Caller = {
  ...{ keyId: "k", name: "break-glass-1", scope: "admin", hosts: [], from: "192.0.2.1" },
  rights: ["break_glass"],
};
const noted = async () =>
  (await node.store.audit.page({}, 100))
    .filter(({ action }) => action === "break_glass.used")
    .map(({ detail }) => detail)
    .reverse();

test("the first request of a session or an hour, and each change; nothing of other keys", async () => {
  let uses = 0;
  const note = createBreakGlass({ store: node.store, log: silentLog, onUsed: () => uses++ });
  for (const what of ["GET /job", "GET /key", "DELETE /key", "GET /job", "POST /key", "POST /key"])
    await note(caller, what);
  await note({ ...caller, sessionId: "s" }, "GET /session");
  await note({ ...caller, rights: [] }, "POST /key");
  ahead += 3_600_000;
  await note(caller, "GET /job");
  const from = (what: string) => `${what}, from 192.0.2.1`;
  const wanted = ["GET /job", "DELETE /key", "POST /key", "POST /key", "GET /session", "GET /job"];
  expect(await noted()).toEqual(wanted.map(from));
  expect(uses).toBe(wanted.length);
});

test("it works although nothing can be noted, and is noted as soon as that works again", async () => {
  let isBroken = true;
  const errors: string[] = [];
  const { webhooks, clock } = node.store;
  const store = {
    clock,
    webhooks: {
      ...webhooks,
      async noteBreakGlass(entry: Parameters<typeof webhooks.noteBreakGlass>[0]) {
        if (isBroken) throw new Error("full");
        await webhooks.noteBreakGlass(entry);
      },
    },
  };
  const log = { ...silentLog, error: (event: string) => void errors.push(event) };
  const note = createBreakGlass({ store, log, onUsed() {} });
  const before = (await noted()).length;
  await note(caller, "GET /job");
  expect(errors).toEqual(["break_glass.not_noted"]);
  isBroken = false;
  await note(caller, "GET /job");
  expect(await noted()).toHaveLength(before + 1);
});

test("it signs in to the console where other keys may not", async () => {
  const { store } = node;
  const key = { name: "break-glass-1", scope: "admin", hosts: [], rights: ["break_glass"], key: "k" };
  const keyId = (await store.keys.addBreakGlass(key, caller)) ?? "";
  const iso = (ms: number) => new Date(ms).toISOString();
  const sessions = createLoginSessions({ store, holders: createHolders(store), iso, keyLogin: false });
  const begun = await sessions.beginLoginSession({ ...caller, keyId }, null);
  expect(begun.session).toMatchObject({
    key: "break-glass-1",
    rights: expect.arrayContaining(["break_glass"]),
  });
  const other = sessions.beginLoginSession({ ...caller, rights: [] }, null);
  await expect(other).rejects.toMatchObject({ kind: "Forbidden" });
});
