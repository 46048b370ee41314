/** Claims, fences and ends on both stores: what a stale node writes changes nothing. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LibsqlStore } from "../../src/store/libsql/store.ts";
import type { NodeFence, Store } from "../../src/store/port.ts";
import {
  closeStore,
  facts,
  makePlace,
  newJob,
  openStore,
  storeKinds,
  type TestPlace,
  wanted,
} from "./support.ts";

describe.each(storeKinds)("on %s", (kind) => {
  let place: TestPlace;
  let store: LibsqlStore;
  let n1: NodeFence;
  let n2: NodeFence;
  beforeEach(async () => {
    place = await makePlace(kind);
    store = await openStore(place);
    n1 = await begin("n1");
    n2 = await begin("n2");
  });
  afterEach(async () => {
    await closeStore(store);
    await place.remove();
  });

  async function begin(name: string): Promise<NodeFence> {
    const life = await store.nodes.acquire({ ...facts, name, home: name });
    if (!life) throw new Error("no life");
    return life;
  }
  const end = (id: string, status: "finished" | "failed" = "finished") => ({
    id,
    status,
    result: '{"type":"success","retval":{"a":1.0},"error":null}',
    durationMs: 5,
    hasWebhook: false,
    hasIntents: false,
  });
  const statusOf = async (id: string) => (await store.jobs.statusesOf([id])).get(id);

  test("a pinned queue gives one job at a time, in order, to one node", async () => {
    const jobs = [newJob(store), newJob(store), newJob(store)];
    await store.jobs.insert(jobs);
    const first = await store.claims.claim(n1, wanted(["pinned_r1"]));
    expect(first.taken).toEqual(["pinned_r1"]);
    expect(first.jobs.map((job) => job.fence.id)).toEqual([jobs[0]?.id]);
    expect(first.jobs[0]).toMatchObject({
      worker: "n1.pinned_r1",
      payload: expect.stringContaining("canary"),
    });
    expect((await store.claims.claim(n1, wanted(["pinned_r1"]))).jobs).toEqual([]);
    expect((await store.claims.claim(n2, wanted(["pinned_r1"]))).taken).toEqual([]);
    const fence = first.jobs[0]?.fence;
    if (!fence) throw new Error("no claim");
    expect(await store.settlements.end(end(fence.id), { fence })).toBe(true);
    expect((await store.claims.claim(n2, wanted(["pinned_r1"]))).jobs).toEqual([]);
    const second = await store.claims.claim(n1, wanted(["pinned_r1"]));
    expect(second.jobs.map((job) => job.fence.id)).toEqual([jobs[1]?.id]);
  });

  test("fifo lanes give as many as asked, oldest first", async () => {
    const jobs = Array.from({ length: 10 }, (_, at) => newJob(store, { strategy: "fifo", host: `h${at}` }));
    await store.jobs.insert(jobs);
    const claimed = await store.claims.claim(n1, wanted([], [{ lane: "fifo/k1/", count: 4 }]));
    expect(claimed.jobs.map((job) => job.fence.id)).toEqual(jobs.slice(0, 4).map((job) => job.id));
    expect(new Set(claimed.jobs.map((job) => job.worker))).toEqual(new Set(["n1.fifo.0", "n1.fifo.1"]));
  });

  test("nothing leaves a final state, and only the holder of the claim writes", async () => {
    const job = newJob(store);
    await store.jobs.insert([job]);
    const [claim] = (await store.claims.claim(n1, wanted(["pinned_r1"]))).jobs;
    if (!claim) throw new Error("no claim");
    const { fence } = claim;
    for (const stale of [
      { ...fence, generation: fence.generation + 1 },
      { ...fence, name: "n2" },
      { ...fence, attempt: fence.attempt + 1 },
    ]) {
      expect(await store.settlements.end(end(job.id), { fence: stale })).toBe(false);
      expect(await store.settlements.requeue({ fence: stale, lostAttempts: 0 })).toBe(false);
      expect(await store.claims.recordIntent(stale, ["x"], 0)).toBe("lost");
    }
    expect(await store.settlements.end(end(job.id), { queued: true })).toBe(false);
    expect(await statusOf(job.id)).toBe("running");
    expect(await store.claims.recordIntent(fence, ["x"], 0)).toBe("recorded");
    expect(await store.settlements.end(end(job.id, "failed"), { fence })).toBe(true);
    expect(await store.settlements.end(end(job.id), { fence })).toBe(false);
    expect(await store.settlements.requeue({ fence, lostAttempts: 0 })).toBe(false);
    const [row] = await store.jobs.page({ ids: [job.id] }, 1);
    expect(row).toMatchObject({ status: "failed", result: expect.stringContaining('"a":1.0') });
  });

  test("what a lost attempt may have sent is known to the next one", async () => {
    await store.jobs.insert([newJob(store, { retries: 1 })]);
    const claim = async () => {
      const [job] = (await store.claims.claim(n1, wanted(["pinned_r1"]))).jobs;
      if (!job) throw new Error("no claim");
      return job;
    };
    const first = await claim();
    expect(first.sentBefore).toEqual([]);
    await store.claims.recordIntent(first.fence, ["show a"], 0);
    await store.settlements.requeue({ fence: first.fence, lostAttempts: 1 });
    const second = await claim();
    expect(second).toMatchObject({ lostAttempts: 1, sentBefore: ["show a"] });
    await store.nodes.setState(n1, "dead");
    expect(await store.recovery.orphans(10)).toMatchObject([
      { sending: false, lostAttempts: 1, sent: ["show a"] },
    ]);
  });

  test("a node whose life is over claims nothing and sends nothing; its jobs and queues are found", async () => {
    const [sent, unsent] = [newJob(store), newJob(store, { host: "r2" })];
    await store.jobs.insert([sent, unsent, newJob(store)]);
    const { jobs } = await store.claims.claim(n1, wanted(["pinned_r1", "pinned_r2"]));
    const fence = jobs.find((job) => job.fence.id === sent.id)?.fence;
    const other = jobs.find((job) => job.fence.id === unsent.id)?.fence;
    if (!fence || !other) throw new Error("no claim");
    expect(await store.claims.recordIntent(fence, ["show a"], 0)).toBe("recorded");
    expect(await store.claims.recordIntent(fence, ["show b"], 1)).toBe("recorded");
    expect(await store.recovery.orphans(10)).toEqual([]);
    await store.nodes.setState(n1, "dead");
    expect(await store.nodes.renew(n1, 30_000, 2_000)).toBe(false);
    expect(await store.claims.recordIntent(other, ["late"], 0)).toBe("lost");
    expect((await store.claims.claim(n1, wanted(["pinned_r1"]))).jobs).toEqual([]);
    // The queue moves only when the job of the dead node is settled.
    expect((await store.claims.claim(n2, wanted(["pinned_r1"]))).taken).toEqual([]);
    const orphans = await store.recovery.orphans(10);
    expect(orphans.map(({ sending, sent: lines }) => ({ sending, lines }))).toEqual([
      { sending: true, lines: ["show a", "show b"] },
      { sending: false, lines: [] },
    ]);
    for (const orphan of orphans)
      await store.settlements.end(end(orphan.fence.id, "failed"), { fence: orphan.fence });
    expect((await store.claims.claim(n2, wanted(["pinned_r1"]))).jobs).toHaveLength(1);
  });

  test.each([0, 1])("sending %i needs the very claim, unasked to stop, and a lease that lasts", async (n) => {
    await store.jobs.insert([newJob(store), newJob(store, { host: "r2" })]);
    const { jobs } = await store.claims.claim(n1, wanted(["pinned_r1", "pinned_r2"]));
    const [fence, stopped] = jobs.map((job) => job.fence);
    if (!fence || !stopped) throw new Error("no claim");
    const sending = (more: Partial<typeof fence>) =>
      store.claims.recordIntent({ ...fence, ...more }, ["x"], n);
    expect(await sending({})).toBe("recorded");
    expect(await sending({ attempt: fence.attempt + 1 })).toBe("lost");
    expect(await sending({ generation: fence.generation + 1 })).toBe("lost");
    expect(await sending({ name: "n2" })).toBe("lost");
    await store.claims.requestStop([stopped.id], "cancel");
    expect(await store.claims.recordIntent(stopped, ["x"], n)).toBe("cancel");
    // The lease is over, though nobody has buried the node yet.
    await store.nodes.renew(n1, -1_000, 2_000);
    expect(await sending({})).toBe("lost");
    expect((await store.claims.claim(n1, wanted([], [{ lane: "fifo/k1/", count: 1 }]))).jobs).toEqual([]);
    await store.nodes.renew(n1, 30_000, 2_000);
    expect(await sending({})).toBe("recorded");
    await store.settlements.end(end(fence.id), { fence });
    expect(await sending({})).toBe("lost");
  });

  test("a node whose lease is over claims nothing, fifo or pinned, held or not", async () => {
    await store.jobs.insert([newJob(store), newJob(store, { strategy: "fifo", host: "r2" })]);
    const both = wanted(["pinned_r1"], [{ lane: "fifo/k1/", count: 1 }]);
    const first = await store.claims.claim(n1, { ...both, fifo: [] });
    for (const { fence } of first.jobs) await store.settlements.requeue({ fence, lostAttempts: 0 });
    await store.nodes.renew(n1, -1_000, 2_000);
    expect((await store.claims.claim(n1, { ...both, unheld: [] })).jobs).toEqual([]);
    await store.nodes.renew(n1, 30_000, 2_000);
    expect((await store.claims.claim(n1, { ...both, unheld: [] })).jobs).toHaveLength(2);
  });

  test("a claim that was applied though its answer was lost takes no more when it is sent again", async () => {
    let lose = true;
    const second = await openStore(place, {
      own: false,
      wrap: (link) => ({
        ...link,
        async batch(statements) {
          const rows = await link.batch(statements);
          if (!statements.some(({ sql }) => sql.startsWith("update jobs set status = 'running'")))
            return rows;
          if (lose) {
            lose = false;
            throw new DOMException("The operation timed out.", "TimeoutError");
          }
          return rows;
        },
      }),
    });
    const jobs = Array.from({ length: 5 }, () => newJob(store, { strategy: "fifo" }));
    await store.jobs.insert([...jobs, newJob(store), newJob(store)]);
    const asked = wanted(["pinned_r1"], [{ lane: "fifo/k1/", count: 2 }]);
    const claimed = await second.claims.claim(n1, asked);
    expect(lose).toBe(false);
    expect(claimed.jobs).toHaveLength(3);
    const rows = await store.raw("select count(*) from jobs where status = 'running'");
    expect(rows.rows[0]?.[0]).toBe(3);
    await second.close();
  });

  test("a pinned queue with a running job gives no second one, whoever holds it", async () => {
    await store.jobs.insert([newJob(store), newJob(store)]);
    const first = await store.claims.claim(n1, wanted(["pinned_r1"]));
    expect(first.jobs).toHaveLength(1);
    // The holder asks again; then its lease ends, and another node asks while its job still stands as running.
    expect((await store.claims.claim(n1, { ...wanted(["pinned_r1"]), unheld: [] })).jobs).toEqual([]);
    await store.nodes.renew(n1, -1_000, 2_000);
    expect(await store.claims.claim(n2, wanted(["pinned_r1"]))).toEqual({ jobs: [], taken: [] });
    for (const { fence } of first.jobs) await store.settlements.end(end(fence.id), { fence });
    expect((await store.claims.claim(n2, wanted(["pinned_r1"]))).jobs).toHaveLength(1);
  });

  test("a new life of the same node has a higher generation and finds what the former left", async () => {
    await store.jobs.insert([newJob(store)]);
    const { jobs } = await store.claims.claim(n1, wanted(["pinned_r1"]));
    const again = await begin("n1");
    expect(again.generation).toBe(n1.generation + 1);
    expect((await store.recovery.orphans(10)).map((one) => one.fence)).toEqual(jobs.map((job) => job.fence));
    expect(await store.nodes.renew(n1, 30_000, 2_000)).toBe(false);
  });

  test("a living node's name is not taken by another data directory", async () => {
    const other = await store.nodes.acquire({ ...facts, name: "n1", home: "elsewhere" });
    if (kind === "file") expect(other?.generation).toBe(2);
    else expect(other).toBeUndefined();
  });

  test("an expired job is not claimed, and is found as expired", async () => {
    const [late, good] = [newJob(store, { ttlMs: -1 }), newJob(store)];
    await store.jobs.insert([late, good]);
    expect((await store.recovery.expired(10)).map((one) => one.id)).toEqual([late.id]);
    const { jobs } = await store.claims.claim(n1, wanted(["pinned_r1"]));
    expect(jobs.map((job) => job.fence.id)).toEqual([good.id]);
  });

  test("the same submission twice, however it is sent, makes one job", async () => {
    const job = newJob(store);
    await store.jobs.insert([job]);
    await store.jobs.insert([job]);
    expect(await store.jobs.page({}, 10)).toHaveLength(1);
    expect(await store.audit.page({}, 10)).toHaveLength(1);
    const once = (token: string) => ({ caller: "k1", key: "key", body: "b", token, answer: `"${token}"` });
    const [a, b] = [newJob(store, { host: "x" }), newJob(store, { host: "x" })];
    const answers = await Promise.all([
      store.jobs.insert([a], once("t1")),
      store.jobs.insert([b], once("t2")),
    ]);
    expect(answers).toEqual([undefined, { body: "b", token: "t1", answer: '"t1"' }]);
    expect((await store.jobs.page({ hostKey: "x" }, 10)).map((row) => row.id)).toEqual([a.id]);
    expect(await store.jobs.insert([a], once("t1"))).toBeUndefined();
    expect(await store.idempotency.findAnswer("k1", "key")).toMatchObject({ answer: '"t1"' });
    expect(await store.idempotency.findAnswer("k2", "key")).toBeUndefined();
  });

  test("pages are filtered by every column, newest first", async () => {
    const jobs = Array.from({ length: 5 }, (_, at) =>
      newJob(store, {
        host: `h${at}`,
        bulkId: at < 2 ? "b1" : null,
        driver: at === 4 ? "paramiko" : "netmiko",
      }),
    );
    await store.jobs.insert(jobs);
    const ids = async (conditions: Parameters<Store["jobs"]["page"]>[0]) =>
      (await store.jobs.page(conditions, 10)).map((row) => jobs.findIndex((job) => job.id === row.id));
    expect(await ids({})).toEqual([4, 3, 2, 1, 0]);
    expect(await ids({ bulkId: "b1" })).toEqual([1, 0]);
    expect(await ids({ driver: "paramiko" })).toEqual([4]);
    expect(await ids({ hostKey: "h2" })).toEqual([2]);
    expect(await ids({ queue: "pinned_h3" })).toEqual([3]);
    expect(await ids({ status: "running" })).toEqual([]);
    expect(await ids({ createdSince: Date.now() + 60_000 })).toEqual([]);
    expect(await ids({ createdSince: Date.now() - 60_000, beforeSeq: 3 })).toEqual([1, 0]);
  });
});
