/** Contract of `settlements`: a job ends once, by its owner, with its audit entry and webhook. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, operator, useStore, webhook } from "./fixture.ts";

export function settlementsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a final state never changes, and only the holder of the claim can end a job", async () => {
    const { store, node, claimOne } = fixture;
    const job = newJob(store);
    await store.jobs.insert([job]);
    const { fence } = await claimOne(await node("n1"), "pinned_r1");
    for (const stale of [
      { ...fence, generation: fence.generation + 1 },
      { ...fence, name: "n2" },
      { ...fence, attempt: fence.attempt + 1 },
    ]) {
      expect(await store.settlements.end(endOf(job.id), { fence: stale })).toBe(false);
      expect(await store.settlements.requeue({ fence: stale, lostAttempts: 0 })).toBe(false);
    }
    expect(await store.settlements.end(endOf(job.id), { queued: true })).toBe(false);
    expect((await store.jobs.find(job.id))?.status).toBe("running");
    expect(await store.settlements.end(endOf(job.id, "failed"), { fence })).toBe(true);
    expect(await store.settlements.end(endOf(job.id), { fence })).toBe(false);
    expect(await store.settlements.requeue({ fence, lostAttempts: 0 })).toBe(false);
    const row = await store.jobs.find(job.id);
    expect(row).toMatchObject({ status: "failed", result: expect.stringContaining('"a":1.0') });
  });

  test("many concurrent ends each get their own result", async () => {
    const { store, node, claim } = fixture;
    const hosts = Array.from({ length: 60 }, (_, at) => `r${at}`);
    await store.jobs.insert(hosts.map((host) => newJob(store, { host })));
    const claimed = await claim(await node(), ...hosts.map((host) => `pinned_${host}`));
    expect(claimed).toHaveLength(60);
    const ended = await Promise.all(
      claimed.map(({ fence }, at) => {
        const holder = { fence: at % 2 === 0 ? fence : { ...fence, attempt: 9 } };
        return store.settlements.end(endOf(fence.id, at % 4 === 0 ? "failed" : "finished"), holder);
      }),
    );
    expect(ended).toEqual(claimed.map((_, at) => at % 2 === 0));
    expect(await store.jobs.page({ status: "failed" }, 100)).toHaveLength(15);
    const outcomes = (await store.audit.page({}, 100)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(30);
    expect(outcomes.filter((outcome) => outcome === "failed")).toHaveLength(15);
  });

  test("the end of a job makes its webhook due, keeps its warnings and deletes its payload", async () => {
    const { store, node, claimOne } = fixture;
    await store.jobs.insert([newJob(store, { webhook, warnings: ["first"] })]);
    const { fence } = await claimOne(await node(), "pinned_r1");
    expect((await store.deliveries.statesOf([fence.id])).get(fence.id)?.state).toBe("waiting");
    const end = { ...endOf(fence.id), hasWebhook: true, warnings: ["second"] };
    await store.settlements.end(end, { fence });
    expect((await store.deliveries.statesOf([fence.id])).get(fence.id)?.state).toBe("pending");
    expect((await store.jobs.find(fence.id))?.warnings).toBe('["first","second"]');
  });

  test("a requeued job keeps its position, and a job with a stop request is not requeued", async () => {
    const { store, node, claimOne } = fixture;
    const n1 = await node("n1");
    const jobs = [newJob(store), newJob(store)];
    await store.jobs.insert(jobs);
    const { fence } = await claimOne(n1, "pinned_r1");
    expect(await store.settlements.requeue({ fence, lostAttempts: 0 })).toBe(true);
    const again = await claimOne(n1, "pinned_r1");
    expect(again.fence).toEqual({ ...fence, attempt: 2 });
    await store.claims.requestStop([fence.id], "cancel");
    expect(await store.settlements.requeue({ fence: again.fence, lostAttempts: 0 })).toBe(false);
  });

  test("only unclaimed jobs are cancelled, once, with audit entries and webhooks", async () => {
    const { store, node, claimOne } = fixture;
    const [queued, notified, running] = [
      newJob(store),
      newJob(store, { webhook, host: "r2" }),
      newJob(store, { host: "r3" }),
    ];
    await store.jobs.insert([queued, notified, running]);
    await claimOne(await node(), "pinned_r3");
    const all = [queued, notified, running].map(({ id }) => ({ id, hasWebhook: id === notified.id }));
    const cancelled = await store.settlements.cancelQueued(all, '{"type":"failed"}', operator);
    expect(cancelled.map(({ id }) => id).sort()).toEqual([queued.id, notified.id].sort());
    expect(await store.settlements.cancelQueued(all, "{}", operator)).toEqual([]);
    expect(await store.settlements.cancelQueued([], "{}", operator)).toEqual([]);
    const row = await store.jobs.find(queued.id);
    expect(row).toMatchObject({ status: "cancelled", result: '{"type":"failed"}', durationMs: 0 });
    expect((await store.deliveries.statesOf([notified.id])).get(notified.id)?.state).toBe("pending");
    const entries = await store.audit.page({}, 100);
    expect(entries.filter(({ action }) => action === "job.cancel")).toHaveLength(2);
    expect(entries.filter(({ outcome }) => outcome === "accepted").map(({ jobId }) => jobId)).toEqual([
      running.id,
    ]);
  });
}
