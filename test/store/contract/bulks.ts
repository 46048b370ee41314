/** Contract of `bulks`: a bulk is inserted with its jobs, once, and deleted with the last of them. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { endOf, failure, type MakeStorePlace, useStore } from "./fixture.ts";

const submitter = { kind: "schedule", name: "nightly" } as const;
const bulk = { id: "b1", caller: "k1", driver: "netmiko", operation: "query", submitter } as const;
const purpose = { label: "night", ticket: "CHG-7", tags: ["core", "o'brien"] } as const;

export function bulksContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a bulk is stored completely with its jobs, and once however often it is sent", async () => {
    const { store } = fixture;
    const jobs = Array.from({ length: 60 }, (_, at) => newJob(store, { bulkId: "b1", host: `h${at}` }));
    const more = {
      note: "a note",
      concurrency: 5,
      maxFailures: 2,
      order: "random",
      retryOf: "b0",
      selector: "all",
      revision: 3,
    };
    const insertion = { bulk: { ...bulk, ...purpose, ...more } };
    await store.jobs.insert(jobs, insertion);
    await store.jobs.insert(jobs, insertion);
    expect(await store.bulks.find("b1")).toEqual({
      ...{ dryRun: null, submitterKind: "schedule" },
      ...{
        ...bulk,
        submitter: "nightly",
        ...purpose,
        ...more,
        seq: 1,
        total: 60,
        createdAt: expect.any(Number),
      },
      ...{ stoppedBecause: null, stoppedAt: null, changeId: null, changePart: null },
    });
    await store.jobs.insert([newJob(store, { bulkId: "b2" })], { bulk: { ...bulk, id: "b2", tags: [] } });
    expect(await store.bulks.find("b2")).toMatchObject({ seq: 2, total: 1, tags: null, note: null });
    expect(await store.bulks.find("unknown")).toBeUndefined();
  });

  test("a bulk with a used Idempotency-Key is not stored", async () => {
    const { store } = fixture;
    const once = { caller: "k1", key: "key", body: "b", token: "t1", answer: "{}" };
    await store.jobs.insert([newJob(store, { bulkId: "b1" })], { once, bulk });
    const again = { once: { ...once, token: "t2" }, bulk: { ...bulk, id: "b2" } };
    await store.jobs.insert([newJob(store, { bulkId: "b2" })], again);
    expect(await store.bulks.find("b1")).toBeDefined();
    expect(await store.bulks.find("b2")).toBeUndefined();
    expect(await store.jobs.page({}, 10)).toHaveLength(1);
  });

  test("a job keeps its label, the job it retries, and its error type", async () => {
    const { store, node, claimOne } = fixture;
    const failed = newJob(store, { failure, errorType: "Validation" });
    const named = newJob(store, { ...purpose, retryOf: "j0" });
    const plain = newJob(store, { host: "r2" });
    await store.jobs.insert([failed, named, plain]);
    const found = async (id: string) => {
      const job = await store.jobs.find(id);
      return [job?.label, job?.ticket, job?.tags, job?.retryOf, job?.errorType];
    };
    expect(await found(failed.id)).toEqual([null, null, null, null, "Validation"]);
    expect(await found(named.id)).toEqual(["night", "CHG-7", '["core","o\'brien"]', "j0", null]);
    const n1 = await node();
    for (const [queue, status] of [["pinned_r1", "failed"] as const, ["pinned_r2", "finished"] as const]) {
      const { fence } = await claimOne(n1, queue);
      await store.settlements.end({ ...endOf(fence.id, status), errorType: "ReadTimeout" }, { fence });
    }
    expect((await found(named.id)).at(-1)).toBe("ReadTimeout");
    expect((await found(plain.id)).at(-1)).toBeNull();
  });

  test("a bulk is deleted with its last job", async () => {
    const { store } = fixture;
    const ended = { bulkId: "b1", failure };
    await store.jobs.insert([newJob(store, { ...ended, resultTtlMs: -1 }), newJob(store, ended)], { bulk });
    const expired = { ...ended, bulkId: "b2", resultTtlMs: -1 };
    await store.jobs.insert([newJob(store, expired), newJob(store, expired)], {
      bulk: { ...bulk, id: "b2" },
    });
    expect(await store.retention.jobs()).toBe(3);
    expect(await store.bulks.find("b1")).toBeDefined();
    expect(await store.bulks.find("b2")).toBeUndefined();
  });
}
