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

  test("what a change that goes on has to read is kept: the bulk of its phase, and what was before its waves", async () => {
    const { store } = fixture;
    const by = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
    const drafted = { id: "c1", name: "c1", ticket: null, needed: 0, request: "{}", ...by };
    await store.changes.add(drafted, operator);
    const start = { state: "running", wave: 1, phase: "pushing" } as const;
    await store.changes.move({ id: "c1", step: 1 }, start, { what: "started", by: operator });
    const parts = ["wave.0.judging", "wave.1.reading", "wave.1.pushing"];
    for (const part of parts) {
      const bulk = { id: part, caller: "k1", driver: "netmiko", operation: "config" as const };
      await store.jobs.insert([newJob(store, { bulkId: part, failure, resultTtlMs: -1 })], {
        bulk: { ...bulk, submitter: { kind: "key", name: "ops" }, changeId: "c1", changePart: part },
        changeStep: 2,
      });
    }
    expect(await store.retention.jobs()).toBe(1);
    expect([...(await store.changes.partsOf("c1"))]).toEqual(["wave.0.judging", "wave.1.pushing"]);
    const end = { state: "stopped", endedAt: 1 } as const;
    await store.changes.move({ id: "c1", step: 2 }, end, { what: "stopped", by: null });
    expect(await store.retention.jobs()).toBe(2);
    expect(await store.retention.jobs()).toBe(0);
  });

  test("audit entries and idempotency keys are kept for their retention time", async () => {
    const { store } = fixture;
    const once = { caller: "k1", key: "key", body: "b", token: "t", answer: "{}" };
    await store.jobs.insert([newJob(store)], { once });
    await store.audit.add({ caller: operator, action: "job.stop", outcome: "done" });
    expect(await store.retention.audit(60_000)).toBe(0);
    expect(await store.retention.idempotency()).toBe(0);
    expect(await store.idempotency.findAnswer("k1", "key")).toBeDefined();
    expect(await store.retention.audit(-60_000)).toBe(2);
    expect(await store.audit.page({}, 10)).toEqual([]);
  });
}
