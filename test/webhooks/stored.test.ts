/** Stored webhooks on a whole node: one that cannot be told is listed as stopped, and hides no other. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIso } from "../../src/api/time.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChangeNews } from "../../src/changes/feed.ts";
import { createHistoryNews } from "../../src/history/news.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import type { Webhooks } from "../../src/webhooks/port.ts";
import { createWebhooks } from "../../src/webhooks/webhooks.ts";
import { makeKey } from "../schedules/support.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let node: Node;
let webhooks: Webhooks & { happened(): void; stop(): Promise<void> };
let owner: Caller;
let folder: ReturnType<typeof temporary>;
let sent: string[];
let answer: () => { ok: boolean; status: number };

beforeEach(async () => {
  folder = temporary();
  sent = [];
  answer = () => ({ ok: true, status: 204 });
  const inner = fakePool();
  const pool = {
    ...inner,
    run: async <T extends Task>(task: T, options: RunOptions) => {
      if (task.kind !== "deliver") return inner.run(task, options);
      sent.push(JSON.parse(task.payload).webhook);
      return answer() as never;
    },
  };
  node = await startNode({ directory: folder.path, pool });
  const { store, jobs, scheduler } = node;
  const wired = {
    store,
    holders: createHolders(store),
    jobs,
    log: silentLog,
    iso: createIso("UTC"),
    node: "n1",
  };
  const news = createHistoryNews({ store, inventory: node.inventory, iso: wired.iso, pool: node.pool });
  const ownerOf = async () => undefined;
  const changeNews = createChangeNews({ store, iso: wired.iso });
  const driftNews = async () => [];
  webhooks = createWebhooks({
    ...wired,
    news,
    driftNews,
    changeNews,
    ownerOf,
    onDue: () => scheduler.onEnded(),
  });
  owner = await makeKey(store, "ops", { scope: "admin" });
});
afterEach(async () => {
  await webhooks.stop();
  await node.stop();
  folder.remove();
});

const spec = { events: ["disk.low"], format: "json", enabled: true, receiver: "http://a", signed: false };
const plan = { retries: 5, intervals: [0.05], timeout: 5, includeResult: false };
const put = (name: string, fields: object = {}) =>
  node.store.webhooks.put(
    {
      ...{ name, receiver: `12345678${name}`, owner: owner.keyId, limited: false },
      spec: JSON.stringify({ ...spec, ...fields }),
      content: JSON.stringify({ webhook: "basic", options: {}, plan }),
    },
    true,
    owner,
  );
const happen = async () => {
  await node.store.webhooks.observe("disk.low", "n1", undefined);
  await node.store.webhooks.observe("disk.low", "n1", "It is nearly full.");
  webhooks.happened();
};
const states = async () => (await webhooks.list(admin)).map(({ name, state }) => `${name} ${state}`);

test("a webhook of another version is listed as stopped, with its unreadable fields, until they are given", async () => {
  await put("newer", { events: ["planet.lost"], format: "semaphore" });
  await put("plain");
  expect(await states()).toEqual(["newer stopped", "plain active"]);
  const newer = await webhooks.read("newer", admin);
  expect(newer).toMatchObject({ receiver: "http://a", why: expect.stringContaining("its events, format") });
  expect(newer).not.toHaveProperty("events");
  await expect(webhooks.test("newer", admin)).rejects.toMatchObject({ kind: "BusinessFailure" });
  const change = (fields: object) => webhooks.change("newer", bodyOf(fields), admin);
  await expect(change({ enabled: false })).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [{ path: "events" }, { path: "format" }] },
  });
  await happen();
  await expect.poll(() => sent).toEqual(["plain"]);
  expect(await change({ events: ["disk.low"], format: "json" })).toMatchObject({ state: "active" });
});

test("a webhook is told of nothing more once its key was revoked, not even what was under way", async () => {
  await put("noc");
  answer = () => ({ ok: false, status: 500 });
  await happen();
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  await node.store.keys.revoke("ops", admin);
  const [shown] = await webhooks.list(admin);
  expect(shown).toMatchObject({
    ...{ state: "stopped", events: ["disk.low"] },
    why: expect.stringContaining("its API key was revoked or has expired"),
  });
  await expect
    .poll(async () => (await webhooks.read("noc", admin)).deliveries)
    .toMatchObject([{ state: "failed" }]);
  const [delivery] = (await webhooks.read("noc", admin)).deliveries;
  expect(delivery?.attempts.at(-1)).toMatchObject({
    status: null,
    error: expect.stringContaining("revoked"),
  });
  const before = sent.length;
  await happen();
  await expect.poll(() => node.store.webhooks.notices(1)).toEqual([]);
  expect(sent.length).toBe(before);
  await expect(webhooks.test("noc", admin)).rejects.toThrow("was revoked");
});

test("a webhook that a person made in a session is told, as long as the person has a role", async () => {
  const { persons, roles } = node.store;
  const role = { name: "net", position: 1, issuer: null, groups: ["net"], subjects: [], scope: "admin" };
  await roles.put({ ...role, hosts: [], credentials: null, recipes: null, rights: [] }, admin);
  const anna = { issuer: "https://id", subject: "s", name: "anna", email: null, groups: ["net"] };
  const person = await persons.signIn(anna, null);
  owner = { ...owner, keyId: person?.id ?? "", name: "anna" };
  await put("noc");
  expect(await webhooks.list(admin)).toMatchObject([{ state: "active", owner: { name: "anna" } }]);
  await happen();
  await expect.poll(() => sent).toEqual(["noc"]);
  await persons.block(owner.keyId, true, admin);
  expect(await states()).toEqual(["noc stopped"]);
});

test("the use of the key for emergencies is told, whose it was and what was done", async () => {
  await put("noc", { events: ["break_glass.used"] });
  const caller = { keyId: "k", name: "break-glass-1", from: "192.0.2.1" };
  const entry = {
    caller,
    action: "break_glass.used" as const,
    outcome: "used",
    detail: "POST /key, from 192.0.2.1",
  };
  await node.store.webhooks.noteBreakGlass(entry);
  webhooks.happened();
  await expect.poll(() => sent).toEqual(["noc"]);
  expect((await webhooks.read("noc", admin)).deliveries).toMatchObject([{ event: "break_glass.used" }]);
  expect((await node.store.audit.page({}, 20)).some(({ action }) => action === "break_glass.used")).toBe(
    true,
  );
});
