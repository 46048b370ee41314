/** Concurrent bulks queue as many jobs as the limits allow, and no bulk exceeds its bound. */
import { afterEach, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, bodyOf, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const opened: { node: Node; remove(): void }[] = [];
afterEach(async () => {
  for (const { node, remove } of opened.splice(0)) {
    await node.kill();
    remove();
  }
});

/** Nothing runs, so queued jobs stay queued. */
async function idleNode(limits: { maxQueued: number; maxQueuedPerKey?: number }): Promise<Node> {
  const folder = temporary();
  const node = await startNode({ directory: folder.path, slots: 0, ...limits });
  opened.push({ node, remove: folder.remove });
  return node;
}

const devices = (count: number) => Array.from({ length: count }, (_, at) => ({ host: `r${at}` }));
const bulkOf = (count: number, more: object = {}) =>
  query("x", "show version", { devices: devices(count), ...more });
const other: Caller = { ...admin, keyId: "k2", name: "other" };

async function stored(node: Node): Promise<number> {
  const { rows } = await node.store.raw("select count(*) from jobs where status = 'queued'");
  return Number(rows[0]?.[0]);
}

function outcomes(all: PromiseSettledResult<unknown>[]) {
  const refused = all.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.kind] : []));
  return { taken: all.length - refused.length, refused };
}

test("concurrent bulks fill the limits of key and node exactly; the others are rejected", async () => {
  const node = await idleNode({ maxQueued: 300, maxQueuedPerKey: 200 });
  const outcome = outcomes(
    await Promise.allSettled(Array.from({ length: 20 }, () => node.bulk(bulkOf(150)))),
  );
  expect(outcome.taken).toBe(1);
  expect(new Set(outcome.refused)).toEqual(new Set(["TooManyRequests"]));
  const two = outcomes(
    await Promise.allSettled(Array.from({ length: 20 }, () => node.bulk(bulkOf(150), other))),
  );
  expect(two.taken).toBe(1);
  expect(await stored(node)).toBe(300);
  expect(node.backlog.total()).toBe(300);
});

test("concurrent bulks and jobs never exceed the queue limit; a rejected one frees its room", async () => {
  const node = await idleNode({ maxQueued: 100 });
  const bad = { devices: [...devices(30), ...Array.from({ length: 20 }, () => ({ host: "bad host" }))] };
  const all = await Promise.allSettled([
    ...Array.from({ length: 5 }, () => node.bulk(query("x", "show version", bad))),
    ...Array.from({ length: 20 }, () => node.bulk(bulkOf(7))),
    ...Array.from({ length: 50 }, (_, at) => node.submit(query(`s${at}`, "show version"))),
  ]);
  expect(new Set(outcomes(all).refused)).toEqual(new Set(["TooManyRequests"]));
  const queued = await stored(node);
  expect(queued).toBeGreaterThanOrEqual(30);
  expect(queued).toBeLessThanOrEqual(100);
  expect(node.backlog.total()).toBe(queued);
  for (let left = 100 - queued; left > 0; left--) await node.submit(query("last", "show version"));
  await expect(node.submit(query("last", "show version"))).rejects.toMatchObject({ kind: "TooManyRequests" });
});

test("the same bulk and Idempotency-Key 50 times at once is stored once, with equal responses", async () => {
  const node = await idleNode({ maxQueued: 10_000 });
  const body = bodyOf(bulkOf(300));
  const all = await Promise.all(
    Array.from({ length: 50 }, () => node.jobs.bulk(body, admin, "the same key")),
  );
  expect(new Set(all.map((answer) => answer.bulk_id)).size).toBe(1);
  expect(await stored(node)).toBe(300);
  expect(node.backlog.total()).toBe(300);
});

test("data that devices share counts once per device against the size limit of a bulk", async () => {
  const node = await idleNode({ maxQueued: 100_000 });
  const config = Array.from({ length: 3_000 }, (_, at) => `access-list 10 permit 192.0.2.${at % 250}`);
  const { command: _command, ...request } = bulkOf(10_000) as { command: string };
  await expect(node.bulk({ ...request, config })).rejects.toMatchObject({
    kind: "PayloadTooLarge",
    message: expect.stringMatching(/MiB in total/),
  });
  expect(node.backlog.total()).toBe(0);
});

test("of thousands of unknown fields, the warnings of each job list the first 20", async () => {
  const node = await idleNode({ maxQueued: 100 });
  const unknown = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`f${at}${"x".repeat(200)}`, 1]),
  );
  const { succeeded } = await node.bulk(bulkOf(3, { driver_args: unknown }));
  for (const { warnings = [] } of succeeded) {
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe("and 4980 more fields that were ignored");
    expect(warnings.join("").length).toBeLessThan(4_000);
  }
});

test("of many wrong lines, the response lists the first 100 and the number of the rest", async () => {
  const node = await idleNode({ maxQueued: 100 });
  const { command: _command, ...request } = query("r1", "x") as { command: string };
  const config = Array.from({ length: 50_000 }, () => "a\u0001");
  const refusal = await node.submit({ ...request, config }).catch((error) => error);
  expect(refusal.detail.issues).toHaveLength(101);
  const shared = await node.bulk({ ...request, config, devices: devices(3) }).catch((error) => error);
  expect(shared.detail.issues).toHaveLength(101);
  const own = devices(3).map((device) => ({ ...device, config }));
  const bulk = await node.bulk({ ...request, config: "a", devices: own });
  expect(bulk.failed_jobs).toHaveLength(3);
  for (const { reason } of bulk.failed_jobs) expect(reason.length).toBeLessThan(400);
});
