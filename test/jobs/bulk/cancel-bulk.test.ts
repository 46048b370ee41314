/** Cancelling a bulk in one call: waiting jobs, with force running ones, and nothing else. */
import { afterEach, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(slots: number): Promise<Node> {
  const folder = temporary();
  const node = await startNode({ directory: folder.path, slots });
  closing.push(async () => {
    await node.stop();
    folder.remove();
  });
  return node;
}

async function submit(node: Node, hosts: readonly string[], more: object = {}): Promise<string> {
  const devices = hosts.map((host) => ({ host }));
  return (await node.bulk(query("x", "hang", { devices, ...more }))).bulk_id;
}

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

test("one call cancels thousands of queued jobs of a bulk, and no job of another bulk", async () => {
  const node = await start(0);
  const id = await submit(node, names(2_300, "a"));
  const other = await submit(node, names(3, "a"));
  expect(await node.jobs.cancelBulk(id, false, admin)).toEqual({ cancelled: 2_300, stopping: 0 });
  const record = await node.jobs.bulkRecord(id, admin);
  expect(record).toMatchObject({
    ...{ status: "stopped", stopped_because: "cancelled by the API key admin" },
    counts: { queued: 0, held: 0, running: 0, finished: 0, failed: 0, cancelled: 2_300 },
    without_result: { count: 2_300, hosts: names(100, "a") },
  });
  expect(record.ended_at).not.toBeNull();
  expect((await node.jobs.bulkRecord(other, admin)).counts.queued).toBe(3);
  expect(node.backlog.total()).toBe(3);
  expect(await node.jobs.cancelBulk(id, true, admin)).toEqual({ cancelled: 0, stopping: 0 });
  const { entries } = await node.admin.audit({ limit: 5 }, admin);
  const summary = `${id}: 2300 cancelled, 0 asked to stop`;
  expect(entries.filter(({ action }) => action === "bulk.cancel")).toMatchObject([{ detail: summary }]);
});

test("cancelling a bulk leaves running jobs alone, unless forced", async () => {
  const node = await start(2);
  const id = await submit(node, names(5, "h"));
  await expect.poll(async () => (await node.jobs.bulkRecord(id, admin)).counts.running).toBe(2);
  expect(await node.jobs.cancelBulk(id, false, admin)).toEqual({ cancelled: 3, stopping: 0 });
  expect(await node.jobs.bulkRecord(id, admin)).toMatchObject({ status: "stopped", ended_at: null });
  expect(await node.jobs.cancelBulk(id, true, admin)).toEqual({ cancelled: 0, stopping: 2 });
  await node.jobs.waitForBulk(id, 120_000, new AbortController().signal);
  expect(await node.jobs.bulkRecord(id, admin)).toMatchObject({
    counts: { running: 0, failed: 2, cancelled: 3 },
    error_types: { Cancelled: 2 },
  });
});

test("cancelling a bulk also cancels its held jobs", async () => {
  const node = await start(0);
  const id = await submit(node, names(4, "h"));
  await node.store.raw("update jobs set status = 'held' where host <> 'h0'");
  expect(await node.jobs.cancelBulk(id, false, admin)).toEqual({ cancelled: 4, stopping: 0 });
});

test("a limited key cancels only jobs of its own hosts and does not stop the bulk", async () => {
  const node = await start(0);
  const id = await submit(node, ["east1", "east2", "west1"]);
  const east: Caller = { keyId: "k9", name: "east", scope: "operate", hosts: ["east*"], from: null };
  expect(await node.jobs.cancelBulk(id, true, east)).toEqual({ cancelled: 2, stopping: 0 });
  expect(await node.jobs.bulkRecord(id, east)).toMatchObject({ status: "ended", counts: { cancelled: 2 } });
  const whole = await node.jobs.bulkRecord(id, admin);
  expect(whole).toMatchObject({ status: "running", counts: { cancelled: 2, queued: 1 } });
  expect(whole).not.toHaveProperty("stopped_because");
});
