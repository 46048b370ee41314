/** Contract of `claims`: one node at a time owns a job, and only while its lease is valid. */
import { expect, test } from "vitest";
import { claimRequest, newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

const fifo = (count: number) => [{ lane: "fifo/k1/", count }];

export function claimsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a pinned queue yields one job at a time, in order, to one node", async () => {
    const { store, node, claim } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    const jobs = [newJob(store), newJob(store), newJob(store)];
    await store.jobs.insert(jobs);
    const first = await store.claims.claim(n1, claimRequest(["pinned_r1"]));
    expect(first.taken).toEqual(["pinned_r1"]);
    expect(first.jobs.map((job) => job.fence.id)).toEqual([jobs[0]?.id]);
    expect(first.jobs[0]).toMatchObject({
      fence: { name: "n1", generation: 1, attempt: 1 },
      worker: "n1.pinned_r1",
      payload: expect.stringContaining("canary"),
    });
    expect(await claim(n1, "pinned_r1")).toEqual([]);
    expect((await store.claims.claim(n2, claimRequest(["pinned_r1"]))).taken).toEqual([]);
    const fence = first.jobs[0]?.fence ?? { id: "", name: "", generation: 0, attempt: 0 };
    expect(await store.settlements.end(endOf(fence.id), { fence })).toBe(true);
    expect(await claim(n2, "pinned_r1")).toEqual([]);
    expect((await claim(n1, "pinned_r1")).map((job) => job.fence.id)).toEqual([jobs[1]?.id]);
  });

  test("fifo lanes yield as many jobs as requested, oldest first, spread over the workers", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    const jobs = Array.from({ length: 10 }, (_, at) => newJob(store, { strategy: "fifo", host: `h${at}` }));
    await store.jobs.insert(jobs);
    const claimed = await store.claims.claim(n1, claimRequest([], fifo(4)));
    expect(claimed.jobs.map((job) => job.fence.id)).toEqual(jobs.slice(0, 4).map((job) => job.id));
    expect(new Set(claimed.jobs.map((job) => job.worker))).toEqual(new Set(["n1.fifo.0", "n1.fifo.1"]));
    expect((await store.claims.claim(n1, claimRequest([], fifo(100)))).jobs).toHaveLength(6);
  });

  test("nodes that claim from one lane concurrently get different jobs", async () => {
    const { store, node } = fixture;
    const nodes = [await node("n1"), await node("n2"), await node("n3")];
    await store.jobs.insert(Array.from({ length: 9 }, () => newJob(store, { strategy: "fifo" })));
    const claimed = await Promise.all(nodes.map((n) => store.claims.claim(n, claimRequest([], fifo(4)))));
    const ids = claimed.flatMap(({ jobs }) => jobs.map((job) => job.fence.id));
    expect(ids).toHaveLength(9);
    expect(new Set(ids).size).toBe(9);
  });

  test("a node whose lease has expired claims nothing", async () => {
    const { store, node } = fixture;
    const n1 = await node("n1");
    await store.jobs.insert([newJob(store), newJob(store, { strategy: "fifo", host: "r2" })]);
    const both = claimRequest(["pinned_r1"], fifo(1));
    const first = await store.claims.claim(n1, { ...both, fifo: [] });
    for (const { fence } of first.jobs) await store.settlements.requeue({ fence, lostAttempts: 0 });
    await store.nodes.renew(n1, -1_000, 2_000);
    expect((await store.claims.claim(n1, { ...both, unheld: [] })).jobs).toEqual([]);
    await store.nodes.renew(n1, 30_000, 2_000);
    expect((await store.claims.claim(n1, { ...both, unheld: [] })).jobs).toHaveLength(2);
  });

  test("a pinned queue with a running job yields no second job to any node", async () => {
    const { store, node, claim } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    await store.jobs.insert([newJob(store), newJob(store)]);
    const first = await claim(n1, "pinned_r1");
    expect(first).toHaveLength(1);
    // The owner claims again; then its lease expires, and another node claims while the job is still running.
    expect((await store.claims.claim(n1, { ...claimRequest(["pinned_r1"]), unheld: [] })).jobs).toEqual([]);
    await store.nodes.renew(n1, -1_000, 2_000);
    expect(await store.claims.claim(n2, claimRequest(["pinned_r1"]))).toEqual({
      jobs: [],
      damaged: [],
      taken: [],
    });
    for (const { fence } of first) await store.settlements.end(endOf(fence.id), { fence });
    expect(await claim(n2, "pinned_r1")).toHaveLength(1);
  });

  test("an expired job is not claimed, and is found as expired", async () => {
    const { store, node, claim } = fixture;
    const [late, good] = [newJob(store, { ttlMs: -1 }), newJob(store)];
    await store.jobs.insert([late, good]);
    expect((await store.recovery.expired(10)).map((job) => job.id)).toEqual([late.id]);
    expect((await claim(await node(), "pinned_r1")).map((job) => job.fence.id)).toEqual([good.id]);
  });

  test("a stop request reaches the node that runs the job, with the first reason", async () => {
    const { store, node, claimOne } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    const waiting = newJob(store, { host: "r2" });
    await store.jobs.insert([newJob(store), waiting]);
    const { fence } = await claimOne(n1, "pinned_r1");
    await store.claims.requestStop([fence.id, waiting.id], "worker");
    await store.claims.requestStop([fence.id], "cancel");
    expect(await store.claims.stopRequests(n1)).toEqual([{ id: fence.id, why: "worker" }]);
    expect(await store.claims.stopRequests(n2)).toEqual([]);
  });
}
