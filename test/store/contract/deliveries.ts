/** Contract of `deliveries`: a webhook is due when its job ends, in that order, and one node serves a receiver. */
import { expect, test } from "vitest";
import { receiverOf } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { failure, type MakeStorePlace, type StoreFixture, useStore, webhook } from "./fixture.ts";

async function insertDue({ store }: StoreFixture, ...receivers: string[]): Promise<string[]> {
  const jobs = receivers.map((receiver) => newJob(store, { failure, webhook: { ...webhook, receiver } }));
  await store.jobs.insert(jobs);
  return jobs.map(({ id }) => id);
}

export function deliveriesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("due deliveries are claimed in the order of the ends, except for busy receivers", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    expect(await store.deliveries.waiting(10)).toEqual({ count: 0, since: undefined });
    expect(await store.jobs.oldestQueuedAt()).toBeUndefined();
    const ids = await insertDue(fixture, "a", "b", "a", "c");
    const first = await store.jobs.find(ids[0] ?? "");
    expect(await store.deliveries.waiting(3)).toEqual({ count: 3, since: first?.endedAt });
    const due = await store.deliveries.claim(n1, ["b"], 10);
    expect(due.map(({ jobId }) => jobId)).toEqual([ids[0], ids[2], ids[3]]);
    expect(due[0]).toMatchObject({
      receiver: "a",
      event: "job.failed",
      tries: 0,
      attempts: [],
      content: webhook.content,
    });
    expect(await store.deliveries.claim(n1, ["b"], 2)).toHaveLength(2);
  });

  test("receivers of an owner at its limit are skipped", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    const [one, same] = [receiverOf("aaaaaaaa", "1".repeat(64)), receiverOf("aaaaaaaa", "2".repeat(64))];
    const other = receiverOf("bbbbbbbb", "1".repeat(64));
    const ids = await insertDue(fixture, one, same, other);
    const due = await store.deliveries.claim(n1, [], 10, ["aaaaaaaa"]);
    expect(due.map(({ jobId }) => jobId)).toEqual([ids[2]]);
    expect(await store.deliveries.claim(n1, [other], 10)).toHaveLength(2);
  });

  test("a receiver is served by one node until that node is dead", async () => {
    const { store, node } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    await insertDue(fixture, "a", "b");
    expect(await store.deliveries.claim(n1, ["b"], 10)).toHaveLength(1);
    await insertDue(fixture, "a");
    expect((await store.deliveries.claim(n2, [], 10)).map(({ receiver }) => receiver)).toEqual(["b"]);
    await store.nodes.setState(n1, "dead");
    const rest = await store.deliveries.claim(n2, ["b"], 10);
    expect(rest.map(({ receiver }) => receiver)).toEqual(["a", "a"]);
  });

  test("an attempt is recorded by the node that holds the delivery, and due again after its interval", async () => {
    const { store, node } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    const [id = ""] = await insertDue(fixture, "a");
    expect(await store.deliveries.nextDueMs()).toBe(0);
    const [due] = await store.deliveries.claim(n1, [], 10);
    if (!due) throw new Error("nothing is due");
    const attempt = { at: 1, status: 503, error: "away" };
    await store.deliveries.record(n2, due, attempt, "failed");
    expect((await store.deliveries.statesOf([id])).get(id)?.state).toBe("pending");
    await store.deliveries.record(n1, due, attempt, 60_000);
    const state = (await store.deliveries.statesOf([id])).get(id);
    expect(state).toMatchObject({ state: "pending", attempts: [attempt] });
    expect(state?.nextInMs).toBeGreaterThan(50_000);
    expect(await store.deliveries.nextDueMs()).toBeGreaterThan(50_000);
    expect(await store.deliveries.claim(n1, [], 10)).toEqual([]);
  });

  test("a delivered or failed delivery is not due again", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    const ids = await insertDue(fixture, "a", "b");
    const [first, second] = await store.deliveries.claim(n1, [], 10);
    if (!first || !second) throw new Error("nothing is due");
    await store.deliveries.record(n1, first, { at: 1, status: 200 }, "delivered");
    await store.deliveries.record(n1, second, { at: 1, status: null, error: "refused" }, "failed");
    const states = await store.deliveries.statesOf(ids);
    expect([...states.values()].map(({ state, nextInMs }) => [state, nextInMs])).toEqual([
      ["delivered", null],
      ["failed", null],
    ]);
    expect(await store.deliveries.nextDueMs()).toBeUndefined();
    expect(await store.deliveries.statesOf([])).toEqual(new Map());
  });
}
