/** Contract of `jobs`: inserted jobs exist once, in order, and every filter finds them. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { JobConditions, JobParts } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, failure, type MakeStorePlace, useStore, webhook } from "./fixture.ts";

const anna = { issuer: "https://id.example.net", subject: "s-1", name: "anna", email: null, groups: [] };

export function jobsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("jobs are stored in submission order, and once if sent twice", async () => {
    const { store } = fixture;
    const jobs = Array.from({ length: 120 }, (_, at) => newJob(store, { host: `h${at}` }));
    await store.jobs.insert(jobs);
    await store.jobs.insert(jobs);
    const rows = await store.jobs.page({}, 1_000);
    expect(rows.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id).reverse());
    expect(rows.every(({ seq }, at) => at === 0 || seq < (rows[at - 1]?.seq ?? 0))).toBe(true);
    expect(await store.audit.page({}, 1_000)).toHaveLength(120);
    expect(await store.jobs.lastSeq()).toBe(rows[0]?.seq);
  });

  test("a caller is notified when its jobs are handed to the writer", async () => {
    const { store } = fixture;
    const notified: string[] = [];
    await Promise.all([
      store.jobs.insert([newJob(store)], { onHandedOver: () => notified.push("single") }),
      store.jobs.insert([newJob(store), newJob(store)], { onHandedOver: () => notified.push("many") }),
    ]);
    expect(notified.sort()).toEqual(["many", "single"]);
  });

  test("a job that is invalid at submission is stored as failed, and its webhook is due", async () => {
    const { store } = fixture;
    const job = newJob(store, { failure, webhook });
    const unwanted = newJob(store, { failure, webhook: { ...webhook, events: ["job.finished"] } });
    await store.jobs.insert([job, unwanted]);
    expect(await store.jobs.find(job.id)).toMatchObject({ status: "failed", result: failure, durationMs: 0 });
    const states = await store.deliveries.statesOf([job.id, unwanted.id, "unknown"]);
    expect([...states].map(([id, { state }]) => [id, state])).toEqual([
      [job.id, "pending"],
      [unwanted.id, "skipped"],
    ]);
    expect(await store.jobs.lanesAfter(0)).toEqual([]);
  });

  test("pages of jobs are filtered by each condition, newest first", async () => {
    const { store } = fixture;
    const jobs = Array.from({ length: 5 }, (_, at) =>
      newJob(store, {
        host: `h${at}`,
        bulkId: at < 2 ? "b1" : null,
        driver: at === 4 ? "paramiko" : "netmiko",
        ...(at === 3 ? { failure } : {}),
      }),
    );
    await store.jobs.insert(jobs);
    const found = async (conditions: JobConditions) =>
      (await store.jobs.page(conditions, 10)).map((row) => jobs.findIndex((job) => job.id === row.id));
    expect(await found({})).toEqual([4, 3, 2, 1, 0]);
    expect(await found({ ids: [jobs[1]?.id ?? "", jobs[4]?.id ?? "", "unknown"] })).toEqual([4, 1]);
    expect(await found({ bulkId: "b1" })).toEqual([1, 0]);
    expect(await found({ driver: "paramiko" })).toEqual([4]);
    expect(await found({ hostKey: "h2" })).toEqual([2]);
    expect(await found({ queue: "pinned_h3" })).toEqual([3]);
    expect(await found({ status: "running" })).toEqual([]);
    expect(await found({ status: ["failed", "queued"], hostKey: "h3" })).toEqual([3]);
    expect(await found({ createdSince: Date.now() + 60_000 })).toEqual([]);
    expect(await found({ createdSince: Date.now() - 60_000, beforeSeq: 3 })).toEqual([1, 0]);
  });

  test("pages of jobs are filtered by label, tag, error type and time", async () => {
    const { store } = fixture;
    const jobs = [
      newJob(store, { label: "night", ticket: "CHG-7", tags: ["core", "dc1"] }),
      newJob(store, { label: "night", operation: "config", failure, errorType: "ReadTimeout" }),
      newJob(store, { tags: ["dc1"], bulkId: "b1", failure, errorType: "Validation" }),
      newJob(store, { bulkId: "b1", host: "h9" }),
    ];
    await store.jobs.insert(jobs);
    const found = async (conditions: JobConditions) =>
      (await store.jobs.page(conditions, 10)).map((row) => jobs.findIndex((job) => job.id === row.id));
    expect(await found({ label: "night" })).toEqual([1, 0]);
    expect(await found({ label: "nigh" })).toEqual([]);
    expect(await found({ ticket: "CHG-7" })).toEqual([0]);
    expect(await found({ tag: "dc1" })).toEqual([2, 0]);
    expect(await found({ tag: "core", label: "night", operation: "query" })).toEqual([0]);
    expect(await found({ tag: "dc" })).toEqual([]);
    expect(await found({ operation: "config" })).toEqual([1]);
    expect(await found({ errorType: "ReadTimeout" })).toEqual([1]);
    expect(await found({ errorType: "Validation", bulkId: "b1", status: "failed" })).toEqual([2]);
    expect(await found({ errorType: "Validation", status: ["queued", "held"] })).toEqual([]);
    expect(await found({ bulkId: "b1", status: ["queued", "held"], hostKey: "h9" })).toEqual([3]);
    expect(await found({ createdUntil: Date.now() + 60_000 })).toEqual([3, 2, 1, 0]);
    expect(await found({ createdUntil: Date.now() - 60_000 })).toEqual([]);
    const window = { createdSince: Date.now() - 60_000, createdUntil: Date.now() + 60_000 };
    expect(await found({ ...window, operation: "query", beforeSeq: 4 })).toEqual([2, 0]);
  });

  test("only the requested parts of a job are read", async () => {
    const { store } = fixture;
    const asked = { asked: '["show a"]', request: '["show a","show b"]', audit: "{}" };
    await store.jobs.insert([newJob(store, { asked, failure, label: "night" })]);
    const read = async (parts: JobParts) => (await store.jobs.load([1], parts))[0]?.open();
    const bare = await read({ result: false, asked: false });
    expect(bare).toMatchObject({ status: "failed", label: "night", result: null, asked: null, whole: false });
    expect(await read({ result: false })).toMatchObject({ result: null, asked: asked.asked });
    expect(await read({ asked: false })).toMatchObject({ result: failure, asked: null });
    expect(await read({ request: true })).toMatchObject({ request: asked.request, whole: true });
  });

  test("a queued job has a position in its lane", async () => {
    const { store, node, claimOne } = fixture;
    const [first, second, third, other, fifo] = [
      ...[newJob(store), newJob(store), newJob(store), newJob(store, { host: "r2" })],
      newJob(store, { strategy: "fifo" }),
    ] as const;
    await store.jobs.insert([first, second, third, other, fifo]);
    expect(await store.jobs.placeOf(third.id)).toEqual({ before: 2, queueRuns: false });
    await claimOne(await node(), "pinned_r1");
    expect(await store.jobs.placeOf(first.id)).toBeUndefined();
    expect(await store.jobs.placeOf(third.id)).toEqual({ before: 1, queueRuns: true });
    expect(await store.jobs.placeOf(other.id)).toEqual({ before: 0, queueRuns: false });
    expect(await store.jobs.placeOf(fifo.id)).toEqual({ before: 0, queueRuns: false });
    expect(await store.jobs.placeOf("unknown")).toBeUndefined();
  });

  test("results are decrypted on demand and up to a size; the whole request only for a single job", async () => {
    const { store } = fixture;
    const asked = { asked: '["show a"]', request: '["show a","show b"]', audit: "{}" };
    const job = newJob(store, { asked, failure });
    await store.jobs.insert([job, newJob(store)]);
    const [, head] = await store.jobs.heads({}, 10);
    expect(head).toMatchObject({ id: job.id, host: "r1", caller: "k1", bulkId: null, hasWebhook: false });
    expect(head?.bytes).toBeGreaterThan(0);
    const [unopened] = await store.jobs.load([head?.seq ?? 0, 999]);
    expect(unopened?.openUpTo(10)).toBeUndefined();
    expect(unopened?.openUpTo(10_000)).toMatchObject({ result: failure });
    expect(unopened?.open()).toMatchObject({ asked: asked.asked, request: null, whole: false });
    expect(await store.jobs.find(job.id)).toMatchObject({ request: asked.request, whole: true });
    expect(await store.jobs.find("unknown")).toBeUndefined();
  });

  test("a list has the small parts of each job, and the size of large ones", async () => {
    const { store } = fixture;
    const asked = { asked: '["show ü"]', request: '["show a","show b"]', audit: "{}" };
    const hex = randomBytes(20_000).toString("hex");
    const large = newJob(store, { failure: JSON.stringify({ type: "failed", retval: hex, error: null }) });
    const small = newJob(store, { asked, failure, tags: ['a"b'], warnings: ["ä"], webhook });
    await store.jobs.insert([large, small, newJob(store)]);
    const rows = await store.jobs.listed({}, 10);
    expect(rows.map(({ head }) => head.seq)).toEqual([3, 2, 1]);
    const [waiting, first, second] = rows.map(({ job }) => job);
    expect(waiting?.open()).toMatchObject((await store.jobs.load([3]))[0]?.open() ?? {});
    expect(first?.open()).toMatchObject({
      ...{ tags: '["a\\"b"]', warnings: '["ä"]', hasWebhook: true },
      ...{ asked: asked.asked, result: failure, request: null, whole: false, attempt: 0, startedAt: null },
    });
    expect(second).toBeUndefined();
    expect(rows[2]?.head.bytes).toBeGreaterThan(20_000);
    const read = async (parts: JobParts, ids = [small.id]) => (await store.jobs.listed({ ids }, 1, parts))[0];
    expect((await read({ request: true }))?.job?.open()).toMatchObject({
      request: asked.request,
      whole: true,
    });
    expect((await read({ result: false, asked: false }))?.job?.open()).toMatchObject({
      result: null,
      asked: null,
    });
    // Without its result it is small.
    expect((await read({ result: false }, [large.id]))?.job?.open()).toMatchObject({
      id: large.id,
      result: null,
    });
  });

  test("jobs of all keys of a person have one share, wherever the queue is read", async () => {
    const { store, claimOne, node } = fixture;
    const person = await store.persons.signIn(anna, "192.0.2.1");
    if (person === undefined) throw new Error("no room for a person");
    const by = { keyId: person.id, name: "anna", from: null };
    const limits = { scope: "operate", hosts: [], credentials: null, rights: null, expiresAt: null } as const;
    const own = { name: `${person.id}/laptop`, key: "pb_laptop", personId: person.id, ...limits };
    const laptop = { ...by, keyId: (await store.keys.add(own, by)) ?? "" };
    const jobs = [
      newJob(store, { caller: by, host: "r1" }),
      newJob(store, { caller: laptop, host: "r2" }),
      newJob(store, { caller: laptop, host: "r3" }),
      newJob(store, { host: "r4" }),
      newJob(store, { caller: laptop, host: "r5", notBefore: store.clock.wall() + 60_000 }),
    ];
    await store.jobs.insert(jobs);
    expect(await store.jobs.queuedByShare()).toEqual(
      new Map([
        [person.id, 4],
        ["k1", 1],
      ]),
    );
    expect((await store.jobs.lanesAfter(0)).map(({ lane, share }) => [lane, share]).sort()).toEqual([
      ["pinned_r1", person.id],
      ["pinned_r2", person.id],
      ["pinned_r3", person.id],
      ["pinned_r4", "k1"],
    ]);
    expect(await claimOne(await node(), "pinned_r2")).toMatchObject({ share: person.id });
    const [, , third, , held] = jobs.map(({ id }) => ({ id, hasWebhook: false }));
    expect(await store.held.release([held?.id ?? ""], by)).toMatchObject([{ share: person.id }]);
    expect(await store.settlements.cancelQueued(third ? [third] : [], "{}", by)).toEqual([
      { id: third?.id, share: person.id },
    ]);
  });

  test("queued jobs are counted by caller, lane and bulk", async () => {
    const { store, claimOne, node } = fixture;
    const other = { keyId: "k2", name: "other", from: null };
    const jobs = [
      newJob(store, { bulkId: "b1" }),
      newJob(store, { bulkId: "b1", host: "r2" }),
      newJob(store, { caller: other, host: "r2" }),
      newJob(store, { bulkId: "b1", failure }),
    ];
    await store.jobs.insert(jobs);
    expect(await store.jobs.queuedByShare()).toEqual(new Map(Object.entries({ k1: 2, k2: 1 })));
    expect(await store.jobs.oldestQueuedAt()).toBe((await store.jobs.find(jobs[0]?.id ?? ""))?.createdAt);
    const lanes = await store.jobs.lanesAfter(0);
    expect(lanes.map(({ lane, strategy, count }) => [lane, strategy, count]).sort()).toEqual([
      ["pinned_r1", "pinned", 1],
      ["pinned_r2", "pinned", 2],
    ]);
    const [, second] = (await store.jobs.page({}, 4)).reverse();
    const helper = await node("helper");
    const isNews = async (seq: number, waitedMs: number) =>
      (await store.polls.news(helper, seq, waitedMs)).queued;
    expect(await isNews(second?.seq ?? 0, 0)).toBe(true);
    expect(await isNews(second?.seq ?? 0, 600_000)).toBe(false);
    expect(await isNews(Number.MAX_SAFE_INTEGER, 0)).toBe(false);
    expect(await store.jobs.lanesAfter(second?.seq ?? 0)).toMatchObject([{ lane: "pinned_r2", count: 2 }]);
    expect(await store.jobs.unfinishedOf("b1")).toBe(2);
    const { fence } = await claimOne(await node(), "pinned_r1");
    expect(await store.jobs.unfinishedOf("b1")).toBe(2);
    await store.settlements.end(endOf(fence.id), { fence });
    expect(await store.jobs.unfinishedOf("b1")).toBe(1);
    const statuses = await store.jobs.statusesOf([...jobs.map(({ id }) => id), "unknown"]);
    expect([...statuses.values()]).toHaveLength(4);
    expect(statuses.get(fence.id)).toBe("finished");
  });
}
