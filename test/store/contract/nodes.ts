/** Contract of `nodes`: a lease has one holder, and each acquisition increments its generation. */
import { expect, test } from "vitest";
import { claimRequest, facts, newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

export function nodesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a newly acquired lease has a higher generation, and the former lease is lost", async () => {
    const { store, node, claim } = fixture;
    const n1 = await node("n1");
    await store.jobs.insert([newJob(store)]);
    const jobs = await claim(n1, "pinned_r1");
    const again = await node("n1");
    expect(again.generation).toBe(n1.generation + 1);
    expect((await store.recovery.orphans(10)).map(({ fence }) => fence)).toEqual(
      jobs.map(({ fence }) => fence),
    );
    expect(await store.nodes.renew(n1, 30_000, 2_000)).toBe(false);
    expect(await store.nodes.renew(again, 30_000, 2_000)).toBe(true);
    expect(await claim(n1, "pinned_r1")).toEqual([]);
  });

  test("on a shared store a live node's name cannot be taken from another data directory", async () => {
    const { store, node } = fixture;
    await node("n1");
    const elsewhere = { ...facts, name: "n1", home: "elsewhere" };
    const other = await store.nodes.acquire(elsewhere);
    if (!store.shared) expect(other?.generation).toBe(2);
    else expect(other).toBeUndefined();
    await store.nodes.retireExpired(-60_000);
    expect(await store.nodes.acquire(elsewhere)).toMatchObject({ name: "n1" });
  });

  test("a node is dead after its lease expired long ago, and stays dead", async () => {
    const { store, node } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    await store.nodes.renew(n1, -5_000, 2_000);
    await store.nodes.retireExpired(60_000);
    expect(await store.nodes.renew(n1, -5_000, 2_000)).toBe(true);
    expect((await store.nodes.live()).map(({ name }) => name)).toEqual(["n2"]);
    // Whoever asks lives.
    await store.nodes.retireExpired(1_000, n1);
    expect(await store.nodes.renew(n1, -5_000, 2_000)).toBe(true);
    expect(await store.polls.upkeep(n1, 1_000)).toMatchObject({ lapsed: false });
    expect(await store.polls.upkeep(n2, 1_000)).toMatchObject({ lapsed: true });
    await store.nodes.retireExpired(1_000);
    expect(await store.nodes.renew(n1, 30_000, 2_000)).toBe(false);
    expect(await store.nodes.live()).toEqual([
      { name: "n2", generation: 1, hostname: facts.hostname, pid: facts.pid },
    ]);
    await store.nodes.setState(n2, "draining");
    expect(await store.nodes.live()).toHaveLength(1);
    await node("n3");
    await store.nodes.retireOthers({ name: "n3", generation: 1 });
    expect((await store.nodes.live()).map(({ name }) => name)).toEqual(["n3"]);
  });

  test("a queue is released when none of its jobs is running", async () => {
    const { store, node, claim, claimOne } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    await store.jobs.insert([newJob(store), newJob(store)]);
    const { fence } = await claimOne(n1, "pinned_r1");
    await store.nodes.releaseQueues(n1);
    expect((await store.claims.claim(n2, claimRequest(["pinned_r1"]))).taken).toEqual([]);
    await store.settlements.end(endOf(fence.id), { fence });
    await store.nodes.releaseQueues(n1, ["pinned_other"]);
    expect(await claim(n2, "pinned_r1")).toEqual([]);
    await store.nodes.releaseQueues(n1, ["pinned_r1"]);
    expect(await claim(n2, "pinned_r1")).toHaveLength(1);
  });
}
