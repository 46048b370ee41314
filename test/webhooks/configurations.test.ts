/** Webhooks are told of configurations: by whose key may see them, a few singly, a burst in one message. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIso } from "../../src/api/time.ts";
import { type WebhookEventName, webhookLimits } from "../../src/api/webhooks/webhook.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChangeNews } from "../../src/changes/feed.ts";
import { createHistoryNews } from "../../src/history/news.ts";
import { createExpander, type Expander } from "../../src/webhooks/expander.ts";
import { makeKey } from "../schedules/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { createTaker, type Taker, versionOf } from "../support/takes.ts";
import { temporary } from "../support/temporary.ts";

const iso = createIso("UTC");
const allEvents: readonly WebhookEventName[] = ["history.changed", "history.suspect", "history.failed"];
let folder: ReturnType<typeof temporary>;
let node: Node;
let taker: Taker;
let expander: Expander;
let callers: Map<string, Caller>;
let laterMs: number;

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  const { store, jobs, inventory } = node;
  taker = await createTaker(store);
  callers = new Map();
  laterMs = 0;
  const clock = { ...store.clock, steady: () => store.clock.steady() + laterMs };
  expander = createExpander({
    ...{ store: { ...store, clock }, jobs, iso, log: silentLog, onDue() {} },
    news: createHistoryNews({ store, inventory, iso, pool: node.pool }),
    changeNews: createChangeNews({ store, iso }),
    driftNews: async () => [],
    ownerOf: async (id) => callers.get(id),
    holders: createHolders(store),
  });
});
afterEach(async () => {
  await expander.stop();
  await node.stop();
  folder.remove();
});

async function listen(name: string, spec: object = {}, key: Partial<Caller> = {}): Promise<void> {
  const owner = { ...(await makeKey(node.store, name, { scope: "admin", hosts: key.hosts })), ...key };
  callers.set(owner.keyId, owner);
  const plan = { retries: 5, intervals: [1], timeout: 5, includeResult: false };
  const whole = { events: allEvents, format: "json", receiver: "http://a", signed: false, ...spec };
  const content = JSON.stringify({ webhook: "basic", options: {}, plan });
  const { keyId } = owner;
  const limited = owner.hosts.length > 0;
  await node.store.webhooks.put(
    {
      name,
      receiver: `${keyId.slice(0, 8)}${name}`,
      owner: keyId,
      limited,
      spec: JSON.stringify(whole),
      content,
    },
    true,
    owner,
  );
}

/** What each webhook has been sent since the last call. */
async function told(): Promise<Record<string, Record<string, unknown>[]>> {
  expander.wake();
  await expander.idle();
  const { store } = node;
  const fence = await store.nodes.acquire({ name: "d", home: "d", hostname: "d", pid: 1, leaseMs: 30_000 });
  if (fence === undefined) throw new Error("no lease");
  const messages: Record<string, Record<string, unknown>[]> = {};
  for (;;) {
    const due = await store.deliveries.claim(fence, [], 500);
    for (const delivery of due) {
      const { message } = JSON.parse(delivery.content ?? "{}");
      const read = JSON.parse(message);
      const name = delivery.jobId.split(".").at(-1) ?? "";
      messages[name] = [...(messages[name] ?? []), read];
      await store.deliveries.record(fence, delivery, { at: 1, status: 204 }, "delivered");
    }
    if (due.length === 0) return messages;
  }
}

const change = (device: string, text: string) => ({ device, versions: [versionOf(text)] });

test("a changed configuration is told with who and how much, and its first version is not", async () => {
  await listen("noc");
  await taker.take([change("sw1", "hostname sw1\n")]);
  expect(await told()).toEqual({});
  const [job] = await taker.take([change("sw1", "hostname core\n")], {
    ...{ source: "push", who: "ann", causeJobId: "p1" },
  });
  const { noc } = await told();
  expect(noc).toMatchObject([
    {
      ...{ event: "history.changed", summary: "Configuration of sw1 changed: 1 added, 1 removed" },
      history: { device: "sw1", version: 2, who: "ann", source: "push", job_id: job, cause_job_id: "p1" },
    },
  ]);
  expect(noc?.[0]).not.toHaveProperty("difference");
  await taker.take([change("sw1", "hostname core\n")]);
  expect(await told()).toEqual({});
});

test("a suspect text is told once, a failure once until the device was read again", async () => {
  await listen("noc");
  await taker.take([{ device: "sw1", versions: [] }], { error: "ConnectionError" });
  expect(await told()).toEqual({});
  await taker.take([change("sw1", "a\n")]);
  const half = {
    device: "sw1",
    versions: [versionOf("half\n", { state: "suspect", reason: "its end is missing" })],
  };
  for (let time = 0; time < 2; time++) await taker.take([half]);
  expect((await told()).noc).toMatchObject([
    { event: "history.suspect", history: { device: "sw1", reason: "its end is missing" } },
  ]);
  const fail = () => taker.take([{ device: "sw1", versions: [] }], { error: "AuthenticationFailed" });
  const [job] = await fail();
  await fail();
  expect((await told()).noc).toMatchObject([
    {
      ...{ event: "history.failed", summary: "Configuration of sw1 could not be read" },
      history: { device: "sw1", error: "AuthenticationFailed", job_id: expect.any(String) },
    },
  ]);
  expect(job).toEqual(expect.any(String));
  await taker.take([change("sw1", "a\n")]);
  await fail();
  expect((await told()).noc).toMatchObject([{ event: "history.failed" }]);
});

test("a webhook gets what the key that gave its address may reach, and only if it may read configurations", async () => {
  await listen("some", {}, { hosts: ["sw1"], rights: ["history"] });
  await listen("none", {}, { scope: "operate" });
  await listen("right", {}, { scope: "operate", rights: ["history"] });
  await listen("off", { enabled: false });
  await listen("other", { events: ["history.failed"] });
  await taker.take([change("sw1", "a\n"), change("sw2", "a\n")]);
  await taker.take([change("sw1", "b\n"), change("sw2", "b\n")]);
  const heard = Object.entries(await told()).map(([name, messages]) => [
    name,
    messages.map(({ history }) => (history as { device: string }).device).sort(),
  ]);
  expect(heard.sort()).toEqual([
    ["right", ["sw1", "sw2"]],
    ["some", ["sw1"]],
  ]);
  const gone = [...callers.keys()];
  for (const id of gone) callers.delete(id);
  await taker.take([change("sw1", "c\n")]);
  expect(await told()).toEqual({});
});

test("the changed lines come with the message of a webhook that wants them, masked and bounded", async () => {
  await listen("plain");
  await listen("lines", { difference: true });
  const secret = (name: string) => ({
    device: "sw1",
    versions: [
      versionOf(`hostname ${name}\nsecret <secret 7c41d0>\n`, {
        text: {
          ...versionOf(`hostname ${name}\nsecret <secret 7c41d0>\n`).text,
          secrets: '[[9,15,"canary"]]',
        },
      }),
    ],
  });
  await taker.take([secret("a")]);
  await taker.take([secret("b")]);
  const { plain, lines } = await told();
  expect(plain?.[0]).not.toHaveProperty("difference");
  expect(lines?.[0]?.difference).toMatch(
    /^--- sw1 version 1\t\n\+\+\+ sw1 version 2\t\n@@ .*\n-hostname a\n\+hostname b\n/,
  );
  expect(lines?.[0]?.difference).not.toContain("canary");
  await taker.take([change("sw1", "line of a very long configuration\n".repeat(2_000))]);
  const [long] = (await told()).lines ?? [];
  expect(String(long?.difference).length).toBeLessThan(webhookLimits.differenceChars + 100);
  expect(long?.difference).toMatch(/\n\[\d+ more characters\]\n$/);
});

test("a burst is one message per minute for each webhook, whatever its size, counted within its reach", async () => {
  await listen("all", { difference: true });
  await listen("some", {}, { hosts: ["sw3*"], rights: ["history"] });
  const names = Array.from({ length: 1_500 }, (_, n) => `sw${n}`);
  await taker.take(names.map((name) => change(name, "a\n")));
  await taker.take(names.map((name) => change(name, "b\n")));
  const { all, some } = await told();
  expect(all).toMatchObject([
    {
      summary: "Configurations of 1500 devices changed",
      history: { count: 1_500, device_count: 1_500, devices: { length: 100 } },
    },
  ]);
  const mine = names.filter((name) => name.startsWith("sw3"));
  expect(some).toMatchObject([{ history: { device_count: mine.length } }]);
  expect(JSON.stringify(some)).not.toMatch(/"sw[^3]/);
  // Within its minute few more are sent; the rest waits for the next one.
  await taker.take(names.slice(0, 100).map((name) => change(name, "c\n")));
  expect((await told()).all).toHaveLength(webhookLimits.singly - 1);
  expect(await told()).toEqual({});
  laterMs = 60_000;
  expect((await told()).all).toMatchObject([{ history: { count: 100 - webhookLimits.singly + 1 } }]);
  expect(await node.store.webhooks.notices(1)).toEqual([]);
});
