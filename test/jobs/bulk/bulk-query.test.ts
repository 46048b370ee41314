/** Bulks as their callers see them: counts from one moment, and for a limited key only what it may see. */
import { expect, test } from "vitest";
import type { BulkRecord } from "../../../src/api/jobs/bulk.ts";
import type { Caller } from "../../../src/auth/port.ts";
import { yieldToEventLoop } from "../../../src/base/time/yield.ts";
import { admin, query } from "../../support/requests.ts";
import { useNode } from "../support.ts";

const node = useNode({ slots: 20 });

const limited = (hosts: readonly string[]): Caller => ({
  ...{ keyId: `limited-${hosts.join()}`, name: "limited", scope: "operate", hosts, from: null },
});
const sum = ({ counts }: Pick<BulkRecord, "counts">) =>
  Object.values(counts).reduce((all, count) => all + count, 0);

/** Each device is named after its behaviour. */
async function submit(hosts: readonly string[], more: object = {}, caller = admin): Promise<string> {
  const devices = hosts.map((host) => ({ host, ...(workOf(host) ? { command: workOf(host) } : {}) }));
  return (await node().bulk(query("x", "show a", { devices, ...more }), caller)).bulk_id;
}

function workOf(host: string): string | undefined {
  return /^(fail|hold)/.exec(host)?.[0].replace("fail", "fail x");
}

async function ended(id: string, caller = admin): Promise<BulkRecord> {
  await node().jobs.waitForBulk(id, 120_000, new AbortController().signal);
  return node().jobs.bulkRecord(id, caller);
}

test("a bulk record shows job counts, the first failures and its options", async () => {
  const options = { label: "night", ticket: "CHG-7", note: "a note", tags: ["core"] };
  const id = await submit(["b1", "fail1", "hold1", "b2"], { options });
  await expect
    .poll(async () => (await node().jobs.bulkRecord(id, admin)).counts)
    .toMatchObject({ finished: 2, failed: 1, running: 1 });
  const running = await node().jobs.bulkRecord(id, admin);
  expect(running).toMatchObject({
    ...{ id, status: "running", driver: "netmiko", operation: "query", ended_at: null, ...options },
    ...{ total: 4, counts: { queued: 0, held: 0, running: 1, finished: 2, failed: 1, cancelled: 0 } },
    ...{ error_types: { CommandError: 1 }, with_warnings: 0, with_refusals: 0 },
    first_failures: [{ host: "fail1", error: { type: "CommandError", message: expect.any(String) } }],
    without_result: { count: 2, hosts: ["fail1", "hold1"] },
  });
  expect(running).not.toHaveProperty("stopped_because");
  node().pool.release();
  const done = await ended(id);
  expect(done).toMatchObject({ status: "ended", ended_at: expect.any(String), eta_seconds: null });
  expect(
    await node()
      .jobs.bulkRecord("unknown", admin)
      .catch((error) => error.kind),
  ).toBe("NotFound");
});

test("the counts of a bulk record always add up to all of its jobs", async () => {
  const hosts = Array.from({ length: 400 }, (_, at) => (at % 7 === 0 ? `fail${at}` : `moment${at}`));
  const submitted = submit(hosts);
  const id = await submitted;
  const partly = limited(["moment*"]);
  const part = hosts.filter((host) => host.startsWith("moment")).length;
  let last: BulkRecord;
  do {
    // With a file, the query answers before any other work runs.
    await yieldToEventLoop();
    last = await node().jobs.bulkRecord(id, admin);
    expect([last.total, sum(last)]).toEqual([400, 400]);
    const own = await node().jobs.bulkRecord(id, partly);
    expect([own.total, sum(own)]).toEqual([part, part]);
    // `ended_at` is set once the bulk has ended.
    expect(last.ended_at === null).toBe(last.counts.queued + last.counts.running > 0);
  } while (last.ended_at === null);
  expect(last.counts).toMatchObject({ finished: part, failed: 400 - part });
});

test("a limited key sees and counts only jobs of its own hosts in a bulk", async () => {
  const options = { label: "split" };
  const id = await submit(["east1", "east2", "faileast", "failwest", "west1"], { options });
  await submit(["west1"], { options });
  await ended(id);
  await node().store.bulks.stop(id, "failwest and 1 more failed");
  const east = limited(["*east*"]);
  const seen = await node().jobs.bulkRecord(id, east);
  expect(seen).toMatchObject({
    ...{ status: "stopped", total: 3, error_types: { CommandError: 1 }, stopped_because: "It was stopped." },
    counts: { queued: 0, held: 0, running: 0, finished: 2, failed: 1, cancelled: 0 },
    first_failures: [{ host: "faileast" }],
    without_result: { count: 1, hosts: ["faileast"] },
  });
  expect(JSON.stringify(seen)).not.toContain("west");
  expect((await node().jobs.bulkRecord(id, admin)).stopped_because).toContain("failwest");
  const list = await node().jobs.bulks({ label: "split" }, east, { limit: 10 });
  expect(list.bulks.map((bulk) => [bulk.id, bulk.total])).toEqual([[id, 3]]);
  const nothing = limited(["north*"]);
  expect(await node().jobs.bulks({}, nothing, { limit: 10 })).toEqual({ bulks: [], next: undefined });
  for (const refused of [
    node().jobs.bulkRecord(id, nothing),
    node().jobs.cancelBulk(id, true, nothing),
    node().jobs.cancelBulk(id, true, { ...admin, scope: "read" }),
  ])
    expect(await refused.catch((error) => error.kind)).toMatch(/NotFound|Forbidden/);
  const cursor = { limit: 10, cursor: id };
  expect(
    await node()
      .jobs.bulks({}, nothing, cursor)
      .catch((error) => error.kind),
  ).toBe("BadRequest");
});

test("bulks are listed page by page and filtered by the status that the caller sees", async () => {
  const options = { label: "pages" };
  const caller = limited(["*"]);
  const ids: string[] = [];
  for (const hosts of [["p1"], ["fail1"], ["p2", "p3"]])
    ids.unshift(await submit(hosts, { options }, caller));
  for (const id of ids) await ended(id, caller);
  await node().store.bulks.stop(ids[1] ?? "", "enough");
  const list = async (filter: object, page = { limit: 10 }, who = caller) => {
    const { bulks, next } = await node().jobs.bulks({ label: "pages", ...filter }, who, page);
    return [bulks.map(({ id }) => ids.indexOf(id)), next && ids.indexOf(next)];
  };
  for (const who of [admin, caller, limited(["p*", "fail*"])]) {
    expect(await list({}, { limit: 10 }, who)).toEqual([[0, 1, 2], undefined]);
    expect(await list({ status: "stopped" }, { limit: 10 }, who)).toEqual([[1], undefined]);
    expect(await list({ status: "ended" }, { limit: 1 }, who)).toEqual([[0], 0]);
    expect(await list({ status: "running" }, { limit: 10 }, who)).toEqual([[], undefined]);
  }
  const second = { limit: 2, cursor: ids[0] ?? "" };
  expect(await list({}, second)).toEqual([[1, 2], undefined]);
  expect(await list({ until: new Date(Date.now() + 60_000).toISOString() })).toEqual([[0, 1, 2], undefined]);
  expect(await list({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([[], undefined]);
});
