/** Contract of `webhooks`: what has happened is noted with its cause, and told once. */
import { expect, test } from "vitest";
import { webhookLimits } from "../../../src/api/webhooks/webhook.ts";
import type { NewDelivery, NodeFence, WebhookValues } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const by = { keyId: "k1", name: "admin", from: null };
const hook = (name = "noc"): WebhookValues => ({
  ...{ name, spec: "{}", content: '{"secret":"canary"}', receiver: "a".repeat(32), owner: "k1" },
  limited: false,
});
const message = (id: string, webhook = "noc"): NewDelivery => ({
  ...{ id, webhook, receiver: "a".repeat(32), event: "bulk.ended", content: '{"x":"canary"}' },
});

export function webhooksContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);
  const kinds = async () => (await fixture.store.webhooks.notices(10)).map(({ kind }) => kind);

  async function bulkOf(id: string, count: number) {
    const { store } = fixture;
    const jobs = Array.from({ length: count }, () => newJob(store, { bulkId: id }));
    const bulk = { id, caller: "k1", driver: "netmiko", operation: "query" } as const;
    await store.jobs.insert(jobs, { bulk: { ...bulk, submitter: { kind: "key", name: "admin" } } });
    return jobs;
  }

  async function end(node: NodeFence, queue: string) {
    const { fence } = await fixture.claimOne(node, queue);
    await fixture.store.settlements.end(endOf(fence.id), { fence });
  }

  test("a webhook is added once under its name, changed and removed, with entries in the trail", async () => {
    const { webhooks, audit } = fixture.store;
    expect(await webhooks.put(hook(), true, by)).toBe("added");
    expect(await webhooks.put(hook(), true, by)).toBe("taken");
    expect(await webhooks.put({ ...hook(), spec: '{"a":1}' }, false, by)).toBe("changed");
    expect(await webhooks.put(hook("other"), false, by)).toBe("gone");
    expect(await webhooks.find("noc")).toMatchObject({ spec: '{"a":1}', content: '{"secret":"canary"}' });
    expect([await webhooks.remove("noc", by), await webhooks.remove("noc", by)]).toEqual([true, false]);
    const entries = await audit.page({}, 9);
    expect(entries.map(({ action }) => action)).toEqual(["webhook.remove", "webhook.change", "webhook.add"]);
    for (let n = 0; n < webhookLimits.most; n++) await webhooks.put(hook(`w${n}`), true, by);
    expect(await webhooks.put(hook("more"), true, by)).toBe("full");
  });

  test("the end of a bulk is noted with its last job, once, and only while there is a webhook", async () => {
    const node = await fixture.node("n1");
    const { webhooks } = fixture.store;
    const [first] = await bulkOf("b0", 1);
    await end(node, first?.queue ?? "");
    expect(await kinds()).toEqual([]);
    await webhooks.put(hook(), true, by);
    const [job] = await bulkOf("b1", 2);
    await end(node, job?.queue ?? "");
    expect(await kinds()).toEqual([]);
    await end(node, job?.queue ?? "");
    expect(await webhooks.notices(10)).toMatchObject([{ kind: "bulk.ended", subject: "b1" }]);
  });

  test("a bulk that was cancelled, or refused as a whole, has ended, too", async () => {
    const { store } = fixture;
    await store.webhooks.put(hook(), true, by);
    const jobs = await bulkOf("b1", 2);
    await store.settlements.cancelQueued(
      jobs.map(({ id }) => ({ id, hasWebhook: false })),
      "{}",
      by,
    );
    const failed = { failure: "{}", errorType: "Validation" };
    await store.jobs.insert([newJob(store, { bulkId: "b2", ...failed })], {
      bulk: {
        ...{ id: "b2", caller: "k1", driver: "netmiko", operation: "query" },
        submitter: { kind: "key", name: "admin" },
      },
    });
    expect((await store.webhooks.notices(10)).map(({ subject }) => subject)).toEqual(["b1", "b2"]);
  });

  test("a notice becomes messages once, whichever node tells it, and a removed webhook gets none", async () => {
    const node = await fixture.node("n1");
    const { webhooks, deliveries } = fixture.store;
    await webhooks.put(hook(), true, by);
    const notice = await webhooks.test("noc", by);
    await webhooks.tell(notice, [message("m1"), message("m2", "gone")]);
    await webhooks.tell(notice, [message("m1"), message("m3")], {
      notices: [await webhooks.test("noc", by)],
    });
    expect(await kinds()).toEqual(["webhook.test"]);
    for (const { id } of await webhooks.notices(9)) await webhooks.tell(id, []);
    expect(await kinds()).toEqual([]);
    const due = await deliveries.claim(node, [], 10);
    expect(due).toMatchObject([{ jobId: "m1", event: "bulk.ended", content: '{"x":"canary"}' }]);
    const attempt = { at: 1, status: 500, error: "answered 500" };
    for (const delivery of due) await deliveries.record(node, delivery, attempt, "failed");
    const told = await webhooks.deliveriesOf(["noc"], 5);
    expect(told.get("noc")).toMatchObject([{ id: "m1", state: "failed", attempts: [attempt] }]);
    await webhooks.remove("noc", by);
    expect((await webhooks.deliveriesOf(["noc"], 5)).get("noc")).toEqual([]);
  });

  test("a webhook has a bounded number of messages", async () => {
    const node = await fixture.node("n1");
    const { webhooks, deliveries } = fixture.store;
    await webhooks.put(hook(), true, by);
    const { waiting, kept } = webhookLimits;
    const many = Array.from({ length: waiting + 5 }, (_, n) => message(`m${n}`));
    await webhooks.tell(await webhooks.test("noc", by), many);
    expect((await webhooks.deliveriesOf(["noc"], 2 * waiting)).get("noc")).toHaveLength(waiting);
    for (const delivery of await deliveries.claim(node, [], kept + 10))
      await deliveries.record(node, delivery, { at: 1, status: 200 }, "delivered");
    await webhooks.tell(await webhooks.test("noc", by), [message("last")]);
    const left = (await webhooks.deliveriesOf(["noc"], 2 * waiting)).get("noc") ?? [];
    expect(left.filter(({ state }) => state === "delivered")).toHaveLength(kept);
  });

  test("a condition is noted when it begins, and not again after a restart", async () => {
    const { webhooks } = fixture.store;
    expect(await webhooks.observe("disk.low", "n1", "full")).toBe(false);
    await webhooks.put(hook(), true, by);
    expect(await webhooks.observe("disk.low", "n1", "full")).toBe(true);
    expect(await webhooks.observe("disk.low", "n1", "fuller")).toBe(true);
    expect(await webhooks.notices(9)).toMatchObject([{ kind: "disk.low", subject: "n1", detail: "full" }]);
    expect(await webhooks.observe("disk.low", "n1", undefined)).toBe(false);
    await webhooks.observe("disk.low", "n1", "again");
    expect(await kinds()).toEqual(["disk.low", "disk.low"]);
  });

  test("its secrets are sealed, and re-sealed with a new master key", async () => {
    const old = await fixture.reopen({ masterKey: oldKey });
    await old.webhooks.put(hook(), true, by);
    const rotating = await fixture.reopen({ masterKey: newKey, formerKeys: [oldKey] });
    await rotating.rotation.reseal();
    const store = await fixture.reopen({ masterKey: newKey });
    expect((await store.webhooks.find("noc"))?.content).toBe('{"secret":"canary"}');
  });
}
