/** Contract of `retention`: expired rows are deleted in batches; due and running ones are kept. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { failure, type MakeStorePlace, operator, useStore, webhook } from "./fixture.ts";

export function retentionContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("expired jobs are deleted with all their data; due deliveries and running jobs stay", async () => {
    const { store, node, claimOne } = fixture;
    const n1 = await node("n1");
    const { batch } = store.retention;
    const old = Array.from({ length: 2 * batch + 50 }, () => newJob(store, { failure, resultTtlMs: -1 }));
    const due = newJob(store, { failure, resultTtlMs: -1, webhook });
    const kept = newJob(store, { failure });
    const queued = newJob(store, { resultTtlMs: -1 });
    await store.jobs.insert([...old, due, kept, queued]);
    const counts: number[] = [];
    for (let round = 0; round < 5; round++) counts.push(await store.retention.jobs());
    expect(counts).toEqual([batch, batch, 50, 0, 0]);
    expect((await store.jobs.page({}, 10)).map((job) => job.id)).toEqual([queued.id, kept.id, due.id]);
    // Once delivered, it is deleted too.
    const [delivery] = await store.deliveries.claim(n1, [], 10);
    if (!delivery) throw new Error("no delivery");
    await store.deliveries.record(n1, delivery, { at: 1, status: 200 }, "delivered");
    expect(await store.retention.jobs()).toBe(1);
    expect(await store.deliveries.statesOf([due.id])).toEqual(new Map());
    // A running job never expires.
    await claimOne(n1, queued.queue);
    expect(await store.retention.jobs()).toBe(0);
    await store.retention.shrink();
  });

  test("audit entries and idempotency keys are kept for their retention time", async () => {
    const { store } = fixture;
    const once = { caller: "k1", key: "key", body: "b", token: "t", answer: "{}" };
    await store.jobs.insert([newJob(store)], { once });
    await store.audit.add({ caller: operator, action: "x", outcome: "done" });
    expect(await store.retention.audit(60_000)).toBe(0);
    expect(await store.retention.idempotency()).toBe(0);
    expect(await store.idempotency.findAnswer("k1", "key")).toBeDefined();
    expect(await store.retention.audit(-60_000)).toBe(2);
    expect(await store.audit.page({}, 10)).toEqual([]);
  });
}
