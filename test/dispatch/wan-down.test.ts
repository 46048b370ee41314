/**
 * A day without the webhook receiver: jobs and other receivers are not affected, nothing is lost, and
 * attempts are bounded.
 */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const hourMs = 3_600_000;
const waiting = 30;
/** 35 hours in total: the last interval applies to all further retries. */
const plan = { max_retries: 20, retry_intervals: [600, 1800, 3600, 7200] };
const far = { options: { webhook: { url: "http://far.example/x", ...plan } } };
const near = { options: { webhook: { url: "http://near.example/x" } } };

/** Receivers: the near one accepts everything, the far one only after the line is back. */
function receivers() {
  const inner = fakePool();
  const line = { isDown: true };
  const attempts = { far: [] as string[], near: [] as string[], counts: [] as number[] };
  const run = async <T extends Task>(task: T, options: RunOptions) => {
    if (task.kind !== "deliver") return inner.run(task, options);
    const where = String(task.options.url).includes("far") ? "far" : "near";
    const { id, delivery }: { id: string; delivery: { attempt: number } } = JSON.parse(task.payload);
    attempts[where].push(id);
    if (where === "far" && line.isDown) throw new ServiceError("HostUnreachable", "no route to host");
    if (where === "far") attempts.counts.push(delivery.attempt);
    return { ok: true, status: 204 } as never;
  };
  return { pool: { ...inner, run }, line, attempts };
}

test("a day without webhook receiver loses no delivery and delays no job, with few attempts", async () => {
  const folder = temporary();
  let passed = 0;
  const clock = { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const { pool, line, attempts } = receivers();
  const node = await startNode({
    directory: folder.path,
    pool,
    store: { clock },
    // Renewed in real time, while a day passes in a moment.
    scheduler: { times: { leaseMs: 1000 * hourMs, validMs: 1000 * hourMs, renewMs: hourMs } },
  });
  const ids: string[] = [];
  for (let n = 0; n < waiting; n++) ids.push(await node.submit(query("r1", `show ${n}`, far)));
  await node.ended(ids.at(-1) ?? "");
  const stillWaiting = async () => (await node.store.deliveries.waiting(10_000)).count;
  const dueMs = async () => (await node.store.deliveries.nextDueMs()) ?? Number.POSITIVE_INFINITY;

  let rounds = 0;
  for (; passed < 24 * hourMs; rounds++) {
    // All of them were attempted and wait for their next retry.
    await expect.poll(() => attempts.far.length).toBe(waiting * (rounds + 1));
    await expect.poll(dueMs).toBeGreaterThan(0);
    const local = await node.submit(query("r2", `show local ${rounds}`, near));
    expect((await node.ended(local)).status).toBe("finished");
    await expect.poll(() => attempts.near).toContain(local);
    await node.scheduler.sweep();
    await expect.poll(stillWaiting).toBe(waiting);
    // As long as the last of them waits.
    const intervals = plan.retry_intervals;
    passed += 1000 * ((intervals[Math.min(rounds, intervals.length - 1)] ?? 0) + 30);
    await node.submit(query("r2", "wakes", near));
  }
  expect(rounds).toBe(15);
  await expect.poll(() => attempts.far.length).toBe(waiting * (rounds + 1));
  await expect.poll(dueMs).toBeGreaterThan(0);

  // They have expired but are kept for the waiting deliveries.
  await node.store.retention.jobs();
  expect((await node.store.jobs.page({ ids }, waiting)).length).toBe(waiting);

  line.isDown = false;
  attempts.far.length = 0;
  passed += 7_230_000;
  await node.submit(query("r2", "wakes", near));
  await expect.poll(stillWaiting).toBe(0);
  expect(attempts.far).toEqual(ids);
  expect(new Set(attempts.counts)).toEqual(new Set([rounds + 2]));
  await node.stop();
  folder.remove();
});
