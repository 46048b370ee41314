/** Contract of `bulks`, listing and counting: a bulk's counts match its jobs. */
import { expect, test } from "vitest";
import type { BulkConditions, NewJob, Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, failure, type MakeStorePlace, operator, type StoreFixture, useStore } from "./fixture.ts";

const submitter = { kind: "key", name: "ops" } as const;
const common = { caller: "k1", driver: "netmiko", operation: "query", submitter } as const;

async function insertBulk(store: Store, id: string, jobs: readonly NewJob[], more: object = {}) {
  await store.jobs.insert(
    jobs.map((job) => ({ ...job, bulkId: id })),
    { bulk: { ...common, ...more, id } },
  );
}

/** Ten jobs, one of each kind, and another failed one; h0 to h4 wait. */
async function mixedBulk({ store, node, claim }: StoreFixture): Promise<readonly NewJob[]> {
  const hosts = ["h0", "h1", "h2", "h3", "h4", "run", "done", "warned", "failed", "late"];
  const jobs = hosts.map((host) => newJob(store, { host, ...(host === "h4" ? invalid : {}) }));
  await insertBulk(store, "b1", jobs);
  await insertBulk(store, "b2", [newJob(store, { host: "other", ...invalid, warnings: ["w"] })]);
  const claimed = await claim(await node(), ...hosts.slice(5).map((host) => `pinned_${host}`));
  const fenceOf = new Map(claimed.map((job) => [job.host, job.fence]));
  for (const host of ["failed", "late", "done", "warned"]) {
    const fence = fenceOf.get(host);
    if (!fence) throw new Error(`${host} was not claimed`);
    const failed = host === "failed" || host === "late";
    const end = endOf(fence.id, failed ? "failed" : "finished");
    const warnings = host === "warned" ? ['the device refused "x": % Invalid'] : [];
    await store.settlements.end({ ...end, errorType: "ReadTimeout", warnings }, { fence });
  }
  const cancelled = jobs.slice(0, 1).map(({ id }) => ({ id, hasWebhook: false }));
  await store.settlements.cancelQueued(cancelled, failure, operator);
  return jobs;
}
const invalid = { failure, errorType: "Validation" };

export function bulkCountsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("the jobs of a bulk are counted by status and error type, and recent ends separately", async () => {
    const { store } = fixture;
    await mixedBulk(fixture);
    const tallies = await store.bulks.tallies(["b1", "b2", "unknown"], 0);
    expect([...tallies.keys()].sort()).toEqual(["b1", "b2"]);
    const b1 = tallies.get("b1");
    const counts = b1?.counts.map(({ status, errorType, count, recent }) => [
      ...[status, errorType, count, recent],
    ]);
    expect(counts?.sort()).toEqual([
      ["cancelled", null, 1, 1],
      ["failed", "ReadTimeout", 2, 2],
      ["failed", "Validation", 1, 1],
      ["finished", null, 2, 2],
      ["queued", null, 3, 0],
      ["running", null, 1, 0],
    ]);
    expect(b1?.withWarnings).toBe(1);
    expect(tallies.get("b2")?.withWarnings).toBe(1);
    expect([b1?.withRefusals, tallies.get("b2")?.withRefusals]).toEqual([1, 0]);
    const ended = b1?.counts.find(({ status }) => status === "finished")?.lastEndedAt ?? 0;
    const later = await store.bulks.tallies(["b1"], ended + 60_000);
    expect(later.get("b1")?.counts.every(({ recent }) => recent === 0)).toBe(true);
  });

  test("jobs of a bulk are counted for some of its hosts only", async () => {
    const { store } = fixture;
    await mixedBulk(fixture);
    const hosts = await store.bulks.hostsOf("b1");
    expect(hosts.sort()).toEqual([
      ...["done", "failed", "h0", "h1", "h2", "h3", "h4", "late", "run", "warned"],
    ]);
    const scope = { id: "b1", hosts: ["h1", "failed", "other", "warned"] };
    const { counts, withWarnings } = await store.bulks.tally(scope, 0);
    expect(counts.map(({ status, count }) => [status, count]).sort()).toEqual([
      ["failed", 1],
      ["finished", 1],
      ["queued", 1],
    ]);
    expect(withWarnings).toBe(1);
    expect(await store.bulks.tally({ id: "b1", hosts: ["other"] }, 0)).toEqual({
      counts: [],
      withWarnings: 0,
      withRefusals: 0,
    });
    expect(await store.bulks.hostsWithoutResult(scope, 10)).toEqual(["h1", "failed"]);
  });

  test("the first failures and hosts without a result are listed in order", async () => {
    const { store } = fixture;
    const jobs = await mixedBulk(fixture);
    const load = async (seqs: readonly number[]) => {
      const found = new Map((await store.jobs.load(seqs)).map((job) => [job.bare().seq, job.bare()]));
      return seqs.map((seq) => found.get(seq)?.host);
    };
    const failures = await load(await store.bulks.firstFailures({ id: "b1" }, 10));
    expect(failures[0]).toBe("h4");
    expect(failures.slice(1).sort()).toEqual(["failed", "late"]);
    expect(await store.bulks.firstFailures({ id: "b1" }, 2)).toHaveLength(2);
    expect(await store.bulks.firstFailures({ id: "b1", hosts: ["h1"] }, 2)).toEqual([]);
    const without = jobs.map(({ host }) => host).filter((host) => host !== "done" && host !== "warned");
    expect(await store.bulks.hostsWithoutResult({ id: "b1" }, 100)).toEqual(without);
    expect(await store.bulks.hostsWithoutResult({ id: "b1" }, 3)).toEqual(without.slice(0, 3));
  });

  test("bulks are listed newest first, filtered by name and state", async () => {
    const { store } = fixture;
    const job = (more: Partial<NewJob> = {}) => newJob(store, more);
    await insertBulk(store, "b1", [job(), job(invalid)], { label: "night", tags: ["core", "dc1"] });
    await insertBulk(store, "b2", [job(invalid)], { label: "night", ticket: "CHG-7", driver: "paramiko" });
    await insertBulk(store, "b3", [job()], { tags: ["dc1"] });
    await insertBulk(store, "b4", [job(invalid)]);
    expect(await store.bulks.stop("b4", "enough")).toBe(true);
    expect(await store.bulks.stop("b4", "again")).toBe(false);
    expect(await store.bulks.find("b4")).toMatchObject({
      stoppedBecause: "enough",
      stoppedAt: expect.any(Number),
    });
    const found = async (conditions: BulkConditions, limit = 10) =>
      (await store.bulks.page(conditions, limit)).map(({ id }) => id);
    expect(await found({})).toEqual(["b4", "b3", "b2", "b1"]);
    expect(await found({}, 2)).toEqual(["b4", "b3"]);
    expect(await found({ beforeSeq: 3 })).toEqual(["b2", "b1"]);
    expect(await found({ state: "running" })).toEqual(["b3", "b1"]);
    expect(await found({ state: "ended" })).toEqual(["b2"]);
    expect(await found({ state: "stopped" })).toEqual(["b4"]);
    expect(await found({ label: "night" })).toEqual(["b2", "b1"]);
    expect(await found({ ticket: "CHG-7", driver: "paramiko" })).toEqual(["b2"]);
    expect(await found({ tag: "dc1", state: "running" })).toEqual(["b3", "b1"]);
    expect(await found({ tag: "dc" })).toEqual([]);
    expect(await found({ createdSince: Date.now() + 60_000 })).toEqual([]);
    expect(await found({ createdUntil: Date.now() + 60_000 })).toHaveLength(4);
  });
}
