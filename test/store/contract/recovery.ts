/** Contract of `recovery`: the jobs of a dead node are found, with everything they may have sent. */
import { expect, test } from "vitest";
import { claimRequest, newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

export function recoveryContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a dead node claims and sends nothing; its jobs and queues are found", async () => {
    const { store, node, claim } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    const [sent, unsent] = [newJob(store), newJob(store, { host: "r2" })];
    await store.jobs.insert([sent, unsent, newJob(store)]);
    const [first, second] = (await claim(n1, "pinned_r1", "pinned_r2")).map(({ fence }) => fence);
    if (!first || !second) throw new Error("no claim");
    expect(await store.claims.recordIntent(first, ["show a"], 0)).toBe("recorded");
    expect(await store.claims.recordIntent(first, ["show b"], 1, "so far")).toBe("recorded");
    expect(await store.claims.recordIntent(first, [], 2, "further")).toBe("recorded");
    expect(await store.recovery.orphans(10)).toEqual([]);
    await store.nodes.setState(n1, "dead");
    expect(await store.claims.recordIntent(second, ["late"], 0)).toBe("lost");
    expect(await claim(n1, "pinned_r1")).toEqual([]);
    // The queue advances only when the dead node's job is settled.
    expect((await store.claims.claim(n2, claimRequest(["pinned_r1"]))).taken).toEqual([]);
    const orphans = await store.recovery.orphans(10);
    expect(orphans.map(({ sending, sent: lines, note }) => ({ sending, lines, note }))).toEqual([
      { sending: true, lines: ["show a", "show b"], note: "further" },
      { sending: false, lines: [], note: undefined },
    ]);
    for (const { fence } of orphans) await store.settlements.end(endOf(fence.id, "failed"), { fence });
    expect(await claim(n2, "pinned_r1")).toHaveLength(1);
  });

  test("orphaned jobs are read in pages, oldest first, with their stop requests", async () => {
    const { store, node, claim } = fixture;
    const n1 = await node("n1");
    const jobs = ["r1", "r2", "r3"].map((host) => newJob(store, { host }));
    await store.jobs.insert(jobs);
    await claim(n1, "pinned_r1", "pinned_r2", "pinned_r3");
    await store.claims.requestStop([jobs[0]?.id ?? ""], "worker");
    expect(await store.recovery.runningOf(n1)).toHaveLength(3);
    await store.nodes.setState(n1, "dead");
    const page = await store.recovery.orphans(2);
    expect(page.map(({ fence }) => fence.id)).toEqual(jobs.slice(0, 2).map(({ id }) => id));
    expect(page.map(({ stop }) => stop)).toEqual(["worker", null]);
  });

  test("queues and workers of dead nodes are deleted, except queues with a running job", async () => {
    const { store, node, claim, claimOne } = fixture;
    const [n1, n2] = [await node("n1"), await node("n2")];
    await store.jobs.insert([newJob(store), newJob(store, { host: "r2" })]);
    const { fence } = await claimOne(n1, "pinned_r1");
    await store.workers.report(n1, { hostname: "h", pid: 1 }, []);
    await store.nodes.setState(n1, "dead");
    await store.recovery.clearDeadNodes();
    expect(await claim(n2, "pinned_r1")).toEqual([]);
    await store.settlements.requeue({ fence, lostAttempts: 0 });
    await store.recovery.clearDeadNodes();
    expect((await claim(n2, "pinned_r1")).map((job) => job.fence.attempt)).toEqual([2]);
  });
}
