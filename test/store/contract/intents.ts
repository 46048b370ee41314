/** Contract of `claims.recordIntent`: nothing is sent without a record, and only the owner may send. */
import { expect, test } from "vitest";
import type { ClaimFence } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

export function intentsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test.each([0, 1])("intent %i requires the current claim, no stop request, and a valid lease", async (n) => {
    const { store, node, claim } = fixture;
    const n1 = await node("n1");
    await store.jobs.insert([newJob(store), newJob(store, { host: "r2" })]);
    const [fence, stopped] = (await claim(n1, "pinned_r1", "pinned_r2")).map((job) => job.fence);
    if (!fence || !stopped) throw new Error("no claim");
    const record = (more: Partial<ClaimFence>) => store.claims.recordIntent({ ...fence, ...more }, ["x"], n);
    expect(await record({})).toBe("recorded");
    expect(await record({ attempt: fence.attempt + 1 })).toBe("lost");
    expect(await record({ generation: fence.generation + 1 })).toBe("lost");
    expect(await record({ name: "n2" })).toBe("lost");
    await store.claims.requestStop([stopped.id], "cancel");
    expect(await store.claims.recordIntent(stopped, ["x"], n)).toBe("cancel");
    // The lease has expired, though no node has declared it dead yet.
    await store.nodes.renew(n1, -1_000, 2_000);
    expect(await record({})).toBe("lost");
    await store.nodes.renew(n1, 30_000, 2_000);
    expect(await record({})).toBe("recorded");
    await store.settlements.end(endOf(fence.id), { fence });
    expect(await record({})).toBe("lost");
  });

  test("the next attempt knows what a lost attempt may have sent", async () => {
    const { store, node, claimOne } = fixture;
    const n1 = await node("n1");
    await store.jobs.insert([newJob(store, { retries: 1 })]);
    const first = await claimOne(n1, "pinned_r1");
    expect(first.sentBefore).toEqual([]);
    await store.claims.recordIntent(first.fence, ["show a"], 0);
    await store.settlements.requeue({ fence: first.fence, lostAttempts: 1 });
    const second = await claimOne(n1, "pinned_r1");
    expect(second).toMatchObject({ lostAttempts: 1, sentBefore: ["show a"] });
    await store.nodes.setState(n1, "dead");
    const orphans = await store.recovery.orphans(10);
    expect(orphans).toMatchObject([{ sending: false, lostAttempts: 1, sent: ["show a"] }]);
  });

  test("an attempt requeued without loss leaves no record of sent commands", async () => {
    const { store, node, claimOne } = fixture;
    const n1 = await node("n1");
    await store.jobs.insert([newJob(store)]);
    const first = await claimOne(n1, "pinned_r1");
    await store.claims.recordIntent(first.fence, ["show a"], 0);
    await store.claims.recordIntent(first.fence, ["show b"], 1);
    await store.settlements.requeue({ fence: first.fence, lostAttempts: 0 });
    expect(await claimOne(n1, "pinned_r1")).toMatchObject({ lostAttempts: 0, sentBefore: [] });
    expect(await store.recovery.runningOf(n1)).toMatchObject([{ sending: false, sent: [] }]);
  });
}
