/** Cancelling thousands of queued jobs: each once, with its audit entry and webhook, without affecting others. */

import { afterEach, describe, expect, test } from "vitest";
import type { JobFilter } from "../../src/api/filters.ts";
import type { JobRecord } from "../../src/api/jobs/job.ts";

import type { Caller } from "../../src/auth/port.ts";
import { jsonWithRaw } from "../../src/base/json/json-pieces.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import { createCancel } from "../../src/jobs/cancel.ts";
import { createAdmission } from "../../src/limits/admission.ts";
import { makePlace, nodeAt, type StoreKind, storeKinds } from "../store/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { patiently } from "../support/patiently.ts";
import { admin, bodyOf, query } from "../support/requests.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function idleNode(kind: StoreKind): Promise<Node> {
  const place = await makePlace(kind);
  const node = await startNode({ ...nodeAt(place), slots: 0 });
  closing.push(async () => {
    await node.kill();
    await place.remove();
  });
  return node;
}

/**
 * Inserts in batches that a server can handle in time; on a busy machine it may not, so a caller with a key
 * retries.
 * @returns whether no retry was needed; otherwise some jobs are only counted in the next round, seconds
 * later.
 */
async function fill(node: Node, count: number, host: string, more: object = {}): Promise<boolean> {
  let calls = 0;
  for (let left = count; left > 0; left -= 250) {
    const devices = Array.from({ length: Math.min(left, 250) }, () => ({ host }));
    const body = bodyOf(query("x", "show version", { devices, ...more }));
    await patiently(() => {
      calls++;
      return node.jobs.bulk(body, admin, `${host}-${left}`);
    }, true);
  }
  return calls === Math.ceil(count / 250);
}

/** If the response to a call is late, the jobs it cancelled are in no response. */
async function cancelAll(node: Node, filter: JobFilter) {
  const done: string[] = [];
  let calls = 0;
  await patiently(async () => {
    calls++;
    done.push(...(await node.jobs.cancel(filter, false, admin)));
  }, true);
  return { done, isWhole: calls === 1 };
}

async function firstCell(node: Node, sql: string): Promise<unknown> {
  const { rows } = await patiently(() => node.store.raw(sql), true);
  return rows[0]?.[0];
}
const count = async (node: Node, sql: string) => Number(await firstCell(node, sql));

function recordOf(node: Node, id: string): Promise<JobRecord> {
  return patiently(async () => {
    for await (const [job] of node.jobs.list({ id }, admin, {})) return JSON.parse(jsonWithRaw(job ?? {}));
    throw new Error(`no job ${id}`);
  }, true);
}

const queued = (node: Node) => count(node, "select count(*) from jobs where status = 'queued'");

describe.each(storeKinds)("a cancel by filter, store: %s", (kind) => {
  test("cancels all matching jobs, in several transactions, and no others", async () => {
    const node = await idleNode(kind);
    const filled = [await fill(node, 2_500, "192.0.2.1"), await fill(node, 10, "192.0.2.2")];
    const { done, isWhole } = await cancelAll(node, { host: "192.0.2.1" });
    expect(new Set(done).size).toBe(isWhole ? 2_500 : done.length);
    expect(await queued(node)).toBe(10);
    if (isWhole && !filled.includes(false)) expect(node.backlog.total()).toBe(10);
    const entries = "select count(*), count(distinct job_id) from audit where action = 'job.cancel'";
    expect(await count(node, entries)).toBe(2_500);
    expect(await count(node, "select count(*) from audit where outcome = 'accepted'")).toBe(10);
    expect(
      await count(node, "select count(*) from jobs where status = 'cancelled' and payload is null"),
    ).toBe(2_500);
    expect((await cancelAll(node, { host: "192.0.2.1" })).done).toEqual([]);
    const id = String(await firstCell(node, "select id from jobs where status = 'cancelled' limit 1"));
    expect(await recordOf(node, id)).toMatchObject({
      status: "cancelled",
      result: { error: { type: "Cancelled" } },
    });
  });

  test("makes the webhook of each job due, in order", async () => {
    const node = await idleNode(kind);
    const webhook = { name: "basic", url: "http://192.0.2.9/hook" };
    await fill(node, 20, "192.0.2.1", { options: { webhook } });
    await cancelAll(node, { queue: "pinned_192.0.2.1" });
    const due =
      "select count(distinct ended_n) from deliveries where event = 'job.cancelled' and ended_n is not null";
    expect(await count(node, due)).toBe(20);
  });
});

test("two concurrent cancels cancel each job once", async () => {
  const node = await idleNode("file");
  await fill(node, 3_000, "192.0.2.1");
  const both = await Promise.all([
    node.jobs.cancel({ host: "192.0.2.1" }, false, admin),
    node.jobs.cancel({ host: "192.0.2.1" }, false, { ...admin, keyId: "k2" }),
  ]);
  expect(both.flat()).toHaveLength(3_000);
  expect(new Set(both.flat()).size).toBe(3_000);
  expect(node.backlog.total()).toBe(0);
});

test("a cancel that its caller abandons stops between transactions; the rest stays queued", async () => {
  const node = await idleNode("file");
  const isCounted = await fill(node, 4_000, "192.0.2.1");
  const leaving = new AbortController();
  const cancelling = node.jobs.cancel({ host: "192.0.2.1" }, false, admin, leaving.signal);
  while ((await queued(node)) === 4_000) await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  await expect(cancelling).rejects.toMatchObject({ kind: "Cancelled" });
  const left = await queued(node);
  expect(left).toBeGreaterThan(0);
  expect(left % 1_000).toBe(0);
  if (isCounted) expect(node.backlog.total()).toBe(left);
  expect(await count(node, "select count(*) from audit where action = 'job.cancel'")).toBe(4_000 - left);
});

test("a key cancels only jobs that it may see", async () => {
  const node = await idleNode("file");
  await fill(node, 5, "192.0.2.1");
  const limited: Caller = { ...admin, keyId: "k3", scope: "operate", hosts: ["198.51.100.0/24"] };
  expect(await node.jobs.cancel({ queue: "pinned_192.0.2.1" }, false, limited)).toEqual([]);
  expect(await queued(node)).toBe(5);
});

test("a cancel stops running and queued jobs even if the audit trail cannot be written", async () => {
  const place = await makePlace("file");
  const node = await startNode({ ...nodeAt(place), slots: 1 });
  const broken = { ...node.store.audit, add: () => Promise.reject(new Error("no audit trail")) };
  const stopped: string[] = [];
  const { cancel } = createCancel({
    store: { ...node.store, audit: broken },
    inventory: node.inventory,
    backlog: node.backlog,
    jobEvents: createJobEvents(),
    admission: createAdmission(),
    findBulk: () => Promise.reject(new Error("no bulk is cancelled")),
    onStop(ids) {
      stopped.push(...ids);
      node.scheduler.onStop(ids);
    },
    onEnded() {},
  });
  const submit = (command: string) =>
    patiently(() => node.submit(query("r1", command), admin, command), true);
  const running = await submit("hang");
  await expect.poll(() => node.pool.running()).toBe(1);
  const waiting = await submit("show a");
  expect(await cancel({ id: waiting }, false, admin)).toEqual([waiting]);
  await expect(cancel({ id: running }, true, admin)).rejects.toThrow("no audit trail");
  expect(stopped).toEqual([running]);
  expect(await node.ended(running)).toMatchObject({ status: "failed" });
  const entries = await node.store.audit.page({}, 100);
  expect(entries.filter(({ action, jobId }) => action === "job.cancel" && jobId === waiting)).toHaveLength(1);
  await node.stop();
  await place.remove();
});
