/** Contract of `pacing`: a job held for a time or for its bulk is released as soon as allowed, and no sooner. */
import { expect, test } from "vitest";
import type { HoldReason } from "../../../src/api/jobs/job.ts";
import type { NewBulk, NewJob, Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, operator, useStore } from "./fixture.ts";

const submitter = { kind: "key", name: "ops" } as const;
const plain = { caller: "k1", driver: "netmiko", operation: "query", submitter } as const;
const hosts = ["r1", "r2", "r3", "r4", "r5"];

/** A bulk with a job per host. */
async function insertBulk(
  store: Store,
  bulk: Partial<NewBulk> & { id: string },
  more: Partial<NewJob> = {},
): Promise<string[]> {
  const paced = bulk.concurrency !== undefined || bulk.maxFailures !== undefined;
  const jobs = hosts.map((host) => newJob(store, { host, bulkId: bulk.id, paced, ...more }));
  await store.jobs.insert(jobs, { bulk: { ...plain, ...bulk } });
  return jobs.map(({ id }) => id);
}

async function statuses(store: Store, ids: readonly string[]): Promise<string> {
  const found = await store.jobs.statusesOf(ids);
  return ids.map((id) => found.get(id)).join(" ");
}

/** A moment ahead, because a server has its own clock. */
const soon = () => Date.now() + 30;
const later = () => Date.now() + 3_600_000;

async function untilDue(store: Store): Promise<void> {
  await expect.poll(() => store.pacing.nextInMs(), { timeout: 60_000 }).toBeLessThanOrEqual(0);
}

export function pacingContract(makePlace: MakeStorePlace): void {
  concurrencyContract(makePlace);
  failuresContract(makePlace);
  timesContract(makePlace);
  releaseContract(makePlace);
}

function concurrencyContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a bulk releases jobs up to its concurrency, in order, even if two nodes ask at once", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1", concurrency: 2 });
    expect(await statuses(store, ids)).toBe("held held held held held");
    expect(await store.pacing.waiting()).toEqual(["b1"]);
    const [first, second] = await Promise.all([store.pacing.fill(["b1"]), store.pacing.fill(["b1"])]);
    expect([...first.queued, ...second.queued]).toMatchObject([
      { id: ids[0], lane: "pinned_r1", strategy: "pinned", bulkId: "b1", share: "k1", status: "queued" },
      { id: ids[1], lane: "pinned_r2" },
    ]);
    const node = await fixture.node();
    const { fence } = await fixture.claimOne(node, "pinned_r1");
    expect((await store.pacing.fill(["b1"])).queued).toEqual([]);
    await store.settlements.end(endOf(fence.id), { fence });
    expect((await store.pacing.fill(["b1"])).queued).toMatchObject([{ id: ids[2] }]);
    expect(await statuses(store, ids)).toBe("finished queued queued held held");
  });

  test("a bulk without limits is not paced; its jobs are queued at once", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1" });
    expect(await statuses(store, ids)).toBe("queued queued queued queued queued");
    expect(await store.pacing.isPaced("b1")).toBe(false);
    expect(await store.pacing.waiting()).toEqual([]);
    expect(await store.pacing.nextInMs()).toBeUndefined();
  });

  test("a cancelled job is no longer held, and held jobs count as queued", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1", concurrency: 1 });
    expect(await store.jobs.queuedByShare()).toEqual(new Map([["k1", 5]]));
    const heads = await store.jobs.heads({ ids }, 10);
    expect(await store.settlements.cancelQueued(heads, "{}", operator)).toHaveLength(5);
    expect((await store.pacing.fill(["b1"])).queued).toEqual([]);
    expect(await store.pacing.waiting()).toEqual([]);
    expect(await store.pacing.isPaced("b1")).toBe(true);
  });
}

function failuresContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a bulk stops at its max_failures, and none of its jobs is claimed afterwards", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1", concurrency: 3, maxFailures: 2 });
    await store.pacing.fill(["b1"]);
    const node = await fixture.node();
    const first = await fixture.claimOne(node, "pinned_r1");
    await store.settlements.end(endOf(first.fence.id, "failed"), { fence: first.fence });
    expect((await store.bulks.find("b1"))?.stoppedBecause).toBeNull();
    const second = await fixture.claimOne(node, "pinned_r2");
    const third = await fixture.claimOne(node, "pinned_r3");
    await store.pacing.fill(["b1"]);
    await store.settlements.end(endOf(second.fence.id, "failed"), { fence: second.fence });
    expect(await store.bulks.find("b1")).toMatchObject({
      stoppedBecause: "max_failures: 2 of its jobs have failed",
      stoppedAt: expect.any(Number),
    });
    expect(await statuses(store, ids)).toBe("failed failed running held held");
    expect(await fixture.claim(node, "pinned_r4")).toEqual([]);
    await store.settlements.requeue({ fence: third.fence, lostAttempts: 0 });
    expect(await statuses(store, ids)).toBe("failed failed held held held");
    expect(await store.pacing.fill(["b1"])).toEqual({
      queued: [],
      stopped: [{ id: "b1", because: "max_failures: 2 of its jobs have failed" }],
    });
  });

  test("jobs that are invalid at submission count as failures", async () => {
    const { store } = fixture;
    const failure = '{"type":"failed","retval":null,"error":{"type":"Validation","message":"x"}}';
    const jobs = hosts.map((host, at) =>
      newJob(store, { host, bulkId: "b1", paced: true, ...(at === 4 ? { failure } : {}) }),
    );
    await store.jobs.insert(jobs, { bulk: { ...plain, id: "b1", maxFailures: 1 } });
    const { queued, stopped } = await store.pacing.fill(["b1"]);
    expect([queued, stopped.map(({ id }) => id)]).toEqual([[], ["b1"]]);
  });

  test("failures of other bulks and of single jobs do not count", async () => {
    const { store } = fixture;
    await insertBulk(store, { id: "b1", maxFailures: 1 });
    await insertBulk(store, { id: "b2" });
    const node = await fixture.node();
    const { fence } = await fixture.claimOne(node, "pinned_r1");
    await store.settlements.end(endOf(fence.id, "failed"), { fence });
    const { queued, stopped } = await store.pacing.fill(["b1", "b2"]);
    expect([queued.length, stopped]).toEqual([5, []]);
  });
}

function timesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a job is held until its not_before, when its ttl starts", async () => {
    const { store } = fixture;
    const job = newJob(store, { notBefore: later() });
    await store.jobs.insert([job, newJob(store, { host: "r2", notBefore: soon() })]);
    await untilDue(store);
    const { queued, bulks } = await store.pacing.due();
    expect(queued).toMatchObject([{ lane: "pinned_r2", status: "queued" }]);
    expect(bulks).toEqual([]);
    expect(await store.pacing.due()).toEqual({ queued: [], bulks: [] });
    expect(await store.pacing.nextInMs()).toBeGreaterThan(3_000_000);
    expect(await statuses(store, [job.id])).toBe("held");
    expect((await store.jobs.find(job.id))?.notBefore).toBe(job.notBefore);
  });

  test("a job whose ttl ends right at its not_before expires without running", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1", concurrency: 1 }, { notBefore: soon(), ttlMs: 1 });
    await untilDue(store);
    await expect.poll(() => store.pacing.nextInMs(), { timeout: 60_000 }).toBeLessThan(-10);
    expect((await store.pacing.due()).bulks).toEqual([]);
    expect((await store.recovery.expired(10)).map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test("a bulk keeps its concurrency after its not_before", async () => {
    const { store } = fixture;
    const ids = await insertBulk(store, { id: "b1", concurrency: 2 }, { notBefore: soon() });
    expect((await store.pacing.fill(["b1"])).queued).toEqual([]);
    await untilDue(store);
    expect(await store.pacing.due()).toEqual({ queued: [], bulks: ["b1"] });
    expect((await store.pacing.fill(["b1"])).queued.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });
}

function releaseContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("held jobs are filtered by the reason of the hold", async () => {
    const { store } = fixture;
    const [notBefore, windowEnd] = [later(), later() + 3_600_000];
    const timed = newJob(store, { host: "r7", notBefore });
    const windowed = newJob(store, { host: "r8", notBefore, windowEnd });
    const queued = newJob(store, { host: "r9" });
    await store.jobs.insert([timed, windowed, queued]);
    const paced = await insertBulk(store, { id: "b1", concurrency: 1 });
    const heldFor = async (reason: HoldReason, status?: "held") =>
      (await store.jobs.heads({ heldFor: reason, status }, 10)).map(({ id }) => id);
    for (const status of [undefined, "held"] as const) {
      expect(await heldFor("not_before", status)).toEqual([timed.id]);
      expect(await heldFor("window", status)).toEqual([windowed.id]);
      expect(await heldFor("concurrency", status)).toEqual([...paced].reverse());
      expect(await heldFor("held", status)).toEqual([]);
    }
  });

  test("a release ends a not_before at once, but does not exceed the concurrency of a bulk", async () => {
    const { store } = fixture;
    const single = newJob(store, { host: "r9", notBefore: later() });
    await store.jobs.insert([single]);
    const ids = await insertBulk(store, { id: "b1", concurrency: 1 }, { notBefore: later() });
    const released = await store.held.release([single.id, ...ids.slice(0, 2)], operator);
    expect(released.map(({ status }) => status)).toEqual(["queued", "held", "held"]);
    expect(await store.held.release(ids.slice(0, 2), operator)).toEqual([]);
    expect((await store.pacing.fill(["b1"])).queued.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(await statuses(store, [single.id, ...ids])).toBe("queued queued held held held held");
  });
}
