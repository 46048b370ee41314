/** What webhooks are told of changes: each event once and in order, only of changes that their key may read. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIso } from "../../src/api/time.ts";
import type { WebhookFormat } from "../../src/api/webhooks/webhook.ts";
import { createHolders } from "../../src/auth/holders.ts";
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { createChangeNews } from "../../src/changes/feed.ts";
import { createHistoryNews } from "../../src/history/news.ts";
import type { ChangeMove } from "../../src/store/port.ts";
import { createExpander, type Expander } from "../../src/webhooks/expander.ts";
import { makeKey } from "../schedules/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { temporary } from "../support/temporary.ts";

const iso = createIso("UTC");
const events = [
  "change.waiting_approval",
  "change.started",
  "change.wave",
  "change.stopping",
  "change.returned",
];
const lines = "snmp-server community canary-secret-1";
const name = "<b>NTP</b> `x` *y* [z](http://evil.example)";
const plan = JSON.stringify({
  ...{ waves: [1, 2], concurrency: 5, warnings: [], notReturnable: {}, whys: [] },
  rules: {
    limits: Object.fromEntries(
      ["failed", "unreachable", "unknown"].map((kind) => [kind, { wave: 0, total: 0 }]),
    ),
    ...{ soakMs: 0, asks: false, onStop: "return" },
  },
});
let folder: ReturnType<typeof temporary>;
let node: Node;
let callers: Map<string, Caller>;

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, started: false });
  callers = new Map();
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

function expanderOf(): Expander {
  const { store, jobs, inventory } = node;
  return createExpander({
    ...{ store, jobs, iso, log: silentLog, onDue() {} },
    news: createHistoryNews({ store, inventory, iso, pool: node.pool }),
    changeNews: createChangeNews({ store, iso }),
    driftNews: async () => [],
    ownerOf: async (id) => callers.get(id),
    holders: createHolders(store),
  });
}

async function listen(hook: string, format: WebhookFormat, hosts: string[] = []): Promise<void> {
  const owner = await makeKey(node.store, hook, { scope: "admin", hosts });
  callers.set(owner.keyId, owner);
  const delivery = { retries: 5, intervals: [1], timeout: 5, includeResult: false };
  const spec = { events, format, enabled: true, difference: false, receiver: "http://a", signed: false };
  await node.store.webhooks.put(
    {
      ...{ name: hook, owner: owner.keyId, limited: hosts.length > 0, receiver: `12345678${hook}` },
      spec: JSON.stringify({ ...spec, console_url: "https://patchbay.example.net" }),
      content: JSON.stringify({ webhook: "basic", options: {}, plan: delivery }),
    },
    true,
    owner,
  );
}

async function change(id: string, hosts: readonly string[]): Promise<void> {
  const author = await makeKey(node.store, `author-${id}`, { scope: "operate" });
  const { changes } = node.store;
  const by = { submitterKind: "key", submitter: "anna", holder: author.keyId } as const;
  await changes.add({ id, name, ticket: "CHG-1", needed: 1, request: "{}", ...by }, author);
  const moved = async (move: ChangeMove, what: string, detail?: string) => {
    const at = await changes.find(id);
    if (at === undefined) throw new Error("no change");
    expect(await changes.move(at, move, { what, detail, by: null })).toBe(true);
    return { id, step: at.step + 1 };
  };
  const at = await moved({ state: "planning" }, "planning");
  const targets = hosts.map((host, position) => ({
    ...{ position, device: host, host, wave: 1, sha256: "a", beforeVersion: null },
  }));
  await changes.setTargets(at, targets, new Map([["a", lines]]), 1);
  await moved({ state: "waiting_approval", hash: "f".repeat(64), plan }, "planned", "revision 1");
  await moved({ state: "approved" }, "voted");
  await moved({ state: "running", wave: 1, phase: "reading", startedAt: 1 }, "started");
  await moved({ phase: "pushing" }, "pushing");
  await moved({ wave: 2, phase: "reading" }, "wave", "2 of 2");
  await moved({ state: "stopping" }, "stopped", "1 device of wave 2 has failed; the limit is 0");
  await moved({ state: "returning", phase: "reading" }, "returning");
  await moved({ state: "returned", endedAt: 5 }, "returned");
}

/** What each webhook is sent, in order. */
async function told(): Promise<Map<string, { event: string; text: string }[]>> {
  const { store } = node;
  const fence = await store.nodes.acquire({ name: "d", home: "d", hostname: "d", pid: 1, leaseMs: 30_000 });
  if (fence === undefined) throw new Error("no lease");
  const messages = new Map<string, { event: string; text: string }[]>();
  for (const { event, content, jobId } of await store.deliveries.claim(fence, [], 500)) {
    const hook = jobId.split(".").at(-1) ?? "";
    const { message }: { message: string } = JSON.parse(content ?? "{}");
    messages.set(hook, [...(messages.get(hook) ?? []), { event, text: message }]);
  }
  return messages;
}

async function both(...expanders: Expander[]): Promise<void> {
  for (const expander of expanders) expander.wake();
  await Promise.all(expanders.map((expander) => expander.idle()));
  await Promise.all(expanders.map((expander) => expander.stop()));
}

test("each event is told once and in order, by two nodes side by side, and to no key out of reach", async () => {
  await listen("all", "json");
  await listen("far", "json", ["10.0.1.0/24"]);
  await listen("near", "json", ["10.0.0.0/24"]);
  await change("c1", ["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
  expect((await node.store.webhooks.notices(50)).map(({ kind }) => kind)).toEqual(
    Array.from({ length: 7 }, () => "change.moved"),
  );
  await both(expanderOf(), expanderOf());
  expect(await node.store.webhooks.notices(50)).toEqual([]);
  const messages = await told();
  expect([...messages.keys()].sort()).toEqual(["all", "near"]);
  for (const hook of ["all", "near"]) expect(messages.get(hook)?.map(({ event }) => event)).toEqual(events);
  const [wanted, , wave, stopping] = (messages.get("all") ?? []).map(({ text }) => JSON.parse(text));
  expect(wanted).toMatchObject({
    ...{ event: "change.waiting_approval", link: "https://patchbay.example.net/#/change/c1" },
    change: {
      ...{ id: "c1", name, ticket: "CHG-1", devices: 3, waves: [1, 2], revision: 1, hash: "f".repeat(64) },
      ...{ submitted_by: { kind: "key", name: "anna" }, approvals: { needed: 1, given: 0 } },
    },
  });
  expect(wave.change).toMatchObject({ wave: 2, state: "running", detail: "2 of 2" });
  expect(stopping.change.detail).toBe("1 device of wave 2 has failed; the limit is 0");
  expect(JSON.stringify([...messages])).not.toContain("canary-secret");
});

test("chats and mail name the change, its author, ticket, devices and waves, and no text of it is markup", async () => {
  for (const format of ["slack", "teams", "mail"] as const) await listen(format, format);
  await change("c2", ["10.0.0.1"]);
  await both(expanderOf());
  const messages = await told();
  for (const format of ["slack", "teams", "mail"]) {
    const texts = messages.get(format)?.map(({ text }) => text) ?? [];
    expect(texts).toHaveLength(events.length);
    const [wanted = ""] = texts;
    for (const word of ["Vote wanted", "anna", "CHG", "1, 2", "0 of 1", "/#/change/c2"])
      expect(wanted, `${format} ${word}`).toContain(word);
    expect(texts.join(), format).not.toContain("canary-secret");
  }
  const { html }: { html: string } = JSON.parse(messages.get("mail")?.[0]?.text ?? "{}");
  expect(html).toContain("&#60;b&#62;NTP&#60;/b&#62;");
  expect(JSON.parse(messages.get("slack")?.[0]?.text ?? "{}").text).toContain("&lt;b&gt;NTP&lt;/b&gt;");
  expect(messages.get("teams")?.[0]?.text).toContain("\\\\*y\\\\*");
});

test("without webhooks nothing is noted, and steps that lead nowhere new are not told", async () => {
  await change("c3", ["10.0.0.1"]);
  expect(await node.store.webhooks.notices(50)).toEqual([]);
  const rows = await node.store.changes.events(0, 50);
  expect(rows.map(({ what, event }) => event ?? what)).toEqual([
    ...["draft", "planning", "change.waiting_approval", "change.approved", "change.started", "pushing"],
    ...["change.wave", "change.stopping", "change.returning", "change.returned"],
  ]);
  expect([...(await node.store.changes.wavesBegun("c3")).keys()]).toEqual([1, 2]);
});
