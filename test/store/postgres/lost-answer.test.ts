/** An answer to a commit that is lost on the way is looked up: what was done is done once, and its result is known. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { temporary } from "../../support/temporary.ts";
import { endOf } from "../contract/fixture.ts";
import { claimRequest, endStore, facts, newJob } from "../support.ts";
import { type Line, startLine } from "./line.ts";
import { openPostgres, useDatabases, useServer } from "./place.ts";

describe.skipIf(needs("postgres"))("the answer to a commit is lost", () => {
  const makeDatabase = useDatabases(useServer());
  const folder = temporary();
  let line: Line;
  let store: PostgresStore;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    const database = await makeDatabase();
    remove = database.remove;
    const url = new URL(database.url);
    line = await startLine(Number(url.port));
    url.port = String(line.port);
    // So that each commit is seen on the line.
    url.searchParams.set("prepare", "off");
    store = await openPostgres(url.href, folder.path);
  });
  afterEach(async () => {
    await endStore(store);
    await line.stop();
    await remove();
  });

  test.each(["before", "after"] as const)("%s the server has committed", async (how) => {
    line.cutNext(how);
    // Each lease has another generation: done twice, it would be the second.
    expect(await store.nodes.acquire({ ...facts, name: "n1", home: "h1" })).toEqual({
      name: "n1",
      generation: 1,
    });
    expect(line.cuts()).toBe(1);
    line.cutNext(how);
    await store.jobs.insert([newJob(store)]);
    expect(line.cuts()).toBe(2);
    expect(await store.jobs.page({}, 10)).toHaveLength(1);
  });

  // Those that are sent together with their commit lose all their answers: they are sent again, and answer the same.
  test.each(["before", "after"] as const)("of a claim and of an end, %s it is committed", async (how) => {
    const node = await store.nodes.acquire({ ...facts, name: "n1", home: "h1" });
    if (node === undefined) throw new Error("no lease");
    await store.jobs.insert([newJob(store), newJob(store)]);
    line.cutNext(how);
    const { jobs, taken } = await store.claims.claim(node, claimRequest(["pinned_r1"]));
    expect(taken).toEqual(["pinned_r1"]);
    expect(jobs.map(({ fence }) => fence.attempt)).toEqual([1]);
    const [{ fence } = { fence: { ...node, id: "", attempt: 0 } }] = jobs;
    line.cutNext(how);
    expect(await store.claims.recordIntent(fence, ["show a"], 0)).toBe("recorded");
    line.cutNext(how);
    expect(await store.settlements.end(endOf(fence.id), { fence })).toBe(true);
    expect(line.cuts()).toBe(3);
    expect(await store.settlements.end(endOf(fence.id), { fence })).toBe(false);
    const outcomes = (await store.audit.page({}, 10)).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(["accepted", "finished"]);
  });

  test("writes that wait meanwhile are done in their order", async () => {
    line.cutNext("after");
    const jobs = Array.from({ length: 20 }, () => newJob(store));
    const inserted = jobs.map((job) => store.jobs.insert([job]));
    await Promise.all(inserted);
    const stored = await store.jobs.page({}, 100);
    expect(stored.map(({ id }) => id).reverse()).toEqual(jobs.map(({ id }) => id));
  });
});
