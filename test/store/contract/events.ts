/** Contract of `events`: each status change once, in commit order, without gaps; the oldest are deleted. */
import { expect, test } from "vitest";
import type { JobChange, Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, failure, type MakeStorePlace, operator, useStore } from "./fixture.ts";

const brief = ({ n, status, attempt }: JobChange) => `${n} ${status} ${attempt}`;

export function eventsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  const all = (store: Store) => store.events.after(0, 1_000);

  test("each status change of a job is an event with the details of that time", async () => {
    const { store, node, claimOne } = fixture;
    expect(await store.events.last()).toEqual({ n: 0, jobId: "" });
    const job = newJob(store, { bulkId: "b1", device: "ber-1" });
    await store.jobs.insert([job]);
    const n1 = await node("n1");
    const { fence } = await claimOne(n1, "pinned_r1");
    await store.settlements.requeue({ fence, lostAttempts: 0 });
    const again = await claimOne(n1, "pinned_r1");
    await store.settlements.end({ ...endOf(job.id, "failed"), errorType: "ReadTimeout" }, again);
    const changes = await all(store);
    expect(changes.map(brief)).toEqual([
      "1 queued 0",
      "2 running 1",
      "3 queued 1",
      "4 running 2",
      "5 failed 2",
    ]);
    expect(changes.map(({ node: runsOn }) => runsOn)).toEqual([null, "n1", null, "n1", "n1"]);
    const row = await store.jobs.find(job.id);
    expect(changes.at(-1)).toEqual({
      ...{ n: 5, jobId: job.id, bulkId: "b1", host: "r1", caller: "k1", status: "failed" },
      ...{
        errorType: "ReadTimeout",
        attempt: 2,
        node: "n1",
        dryRun: null,
        device: "ber-1",
        submitterKind: row?.submitterKind,
        submitter: row?.submitter,
        at: row?.endedAt,
      },
    });
    expect(changes[0]?.at).toBe(row?.createdAt);
    expect(row?.submitter).toMatch(/./);
    expect(await store.events.last()).toEqual({ n: 5, jobId: job.id });
    const { n: _n, ...now } = changes.at(-1) ?? {};
    expect(await store.events.ofJob(job.id)).toEqual({ job: now, last: { n: 5, jobId: job.id } });
    expect(await store.events.ofJob("none")).toBeUndefined();
  });

  test("jobs that end without running have events; calls that change nothing have none", async () => {
    const { store, node, claimOne } = fixture;
    const [failed, cancelled, expired, running] = [
      newJob(store, { failure }),
      newJob(store, { host: "r2" }),
      newJob(store, { host: "r3" }),
      newJob(store, { host: "r4" }),
    ] as const;
    await store.jobs.insert([failed, cancelled, expired, running]);
    await store.jobs.insert([failed, cancelled]);
    await store.settlements.cancelQueued([{ id: cancelled.id, hasWebhook: false }], "{}", operator);
    await store.settlements.end(endOf(expired.id, "failed"), { queued: true });
    const { fence } = await claimOne(await node("n1"), "pinned_r4");
    await store.claims.requestStop([running.id], "cancel");
    await store.settlements.end(endOf(running.id), { fence: { ...fence, attempt: 9 } });
    expect((await all(store)).map(({ jobId, status }) => [jobId, status])).toEqual([
      [failed.id, "failed"],
      [cancelled.id, "queued"],
      [expired.id, "queued"],
      [running.id, "queued"],
      [cancelled.id, "cancelled"],
      [expired.id, "failed"],
      [running.id, "running"],
    ]);
  });

  test("events after a position are read in pages", async () => {
    const { store } = fixture;
    await store.jobs.insert(Array.from({ length: 120 }, () => newJob(store)));
    const seen: number[] = [];
    for (let n = 0; ; ) {
      const piece = await store.events.after(n, 50);
      seen.push(...piece.map((change) => change.n));
      n = piece.at(-1)?.n ?? n;
      if (piece.length < 50) break;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
  });

  test("a listener is notified of written events until it unsubscribes", async () => {
    const { store } = fixture;
    let calls = 0;
    const stop = store.events.onWritten(() => calls++);
    await store.jobs.insert([newJob(store)]);
    expect(calls).toBeGreaterThan(0);
    stop();
    calls = 0;
    await store.jobs.insert([newJob(store)]);
    expect(calls).toBe(0);
  });

  test("the oldest events are deleted by number and age; the newest stays and numbers continue", async () => {
    const { store } = fixture;
    await store.jobs.insert(Array.from({ length: 50 }, () => newJob(store)));
    const numbers = async () => (await all(store)).map(({ n }) => n);
    expect(await store.events.trim(60_000, 60)).toBe(false);
    expect(await numbers()).toHaveLength(50);
    expect(await store.events.trim(60_000, 20)).toBe(false);
    expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, at) => at + 31));
    await store.events.trim(-60_000, 1_000);
    expect(await numbers()).toEqual([50]);
    await store.jobs.insert([newJob(store)]);
    expect(await numbers()).toEqual([50, 51]);
  });

  test("ends of jobs are read backwards, with times of jobs that still exist", async () => {
    const { store, node, claimOne } = fixture;
    const job = newJob(store);
    await store.jobs.insert([newJob(store, { failure, errorType: "Early" }), job]);
    const claimed = await claimOne(await node("n1"), "pinned_r1");
    await store.settlements.end({ ...endOf(job.id, "failed"), errorType: "ReadTimeout" }, claimed);
    const { ends, oldestAt } = await store.events.ends(0, 10);
    expect(ends.map(({ status, errorType, host }) => [status, errorType, host])).toEqual([
      ["failed", "ReadTimeout", "r1"],
      ["failed", "Early", "r1"],
    ]);
    expect(ends.map(({ durationMs }) => durationMs === null)).toEqual([false, true]);
    expect(oldestAt).toBe((await all(store))[0]?.at);
    expect((await store.events.ends(1, 10)).ends).toHaveLength(1);
    expect(await store.events.ends(10, 20)).toEqual({ ends: [], oldestAt: undefined });
  });

  test("the newest event outlives its job", async () => {
    const { store } = fixture;
    await store.jobs.insert([newJob(store, { failure, resultTtlMs: -1 })]);
    expect(await store.retention.jobs()).toBe(1);
    expect(await store.events.last()).toMatchObject({ n: 1 });
    expect(await all(store)).toHaveLength(1);
  });
}
