/** Jumps of the wall clock: nothing expires early or lives longer, and no duration is negative. */
import { expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { createClock } from "../../src/store/clock.ts";
import { createIds } from "../../src/store/id.ts";
import { startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const hour = 3_600_000;

test.each([hour, -hour, 240 * hour, -240 * hour])(
  "a jump of the wall clock by %i ms expires nothing early and makes no duration negative",
  async (jump) => {
    const folder = temporary();
    let offset = 0;
    const clock = { wall: () => Date.now() + offset, monotonic: () => performance.now() };
    let node = await startNode({ directory: folder.path, store: { clock } });
    const running = await node.submit(query("r1", "wait 300"));
    const waiting = await node.submit(query("r1", "show a", { options: { ttl: 60 } }));
    const expiring = await node.submit(query("r1", "show b", { options: { ttl: 1 } }));
    const blocker = await node.submit(query("r1", "wait 1200"));
    void blocker;
    while (node.pool.log.length === 0) await pause(5);
    offset = jump;
    await node.store.nodes.retireExpired(0);
    expect(await node.store.recovery.orphans(10)).toEqual([]);
    const records = [await node.ended(running), await node.ended(waiting)];
    for (const record of records) {
      expect(record.status).toBe("finished");
      expect(record.duration).toBeGreaterThanOrEqual(0);
      expect(record.duration).toBeLessThan(1_800);
      expect(record.queue_time).toBeGreaterThanOrEqual(0);
      expect(record.queue_time).toBeLessThan(1_800);
      expect(Date.parse(record.ended_at ?? "")).toBeGreaterThanOrEqual(Date.parse(record.started_at ?? ""));
    }
    expect(["finished", "failed"]).toContain((await node.ended(expiring)).status);
    await node.scheduler.sweep();
    expect(await node.store.jobs.page({}, 10)).toHaveLength(4);
    await node.kill();
    // A start after the jump: waiting jobs neither expire early nor come back.
    node = await startNode({ directory: folder.path, store: { clock } });
    expect(await node.store.jobs.page({}, 10)).toHaveLength(4);
    const after = await node.submit(query("r1", "show after"));
    expect((await node.ended(after)).status).toBe("finished");
    const order: string[] = [];
    for (const job of await node.store.jobs.page({}, 10)) order.push(job.id);
    expect(order[0]).toBe(after);
    await node.stop();
    folder.remove();
  },
);

test("steady time continues from the stored value and never goes back", () => {
  let wall = 1_000;
  let monotonic = 0;
  const clock = createClock({ wall: () => wall, monotonic: () => monotonic }, 5_000);
  expect(clock.steady()).toBe(5_000);
  wall = 0;
  monotonic = 10;
  expect(clock.steady()).toBe(5_010);
  expect(clock.wall()).toBe(0);
});

test("ids stay in order if the clock is set back or many are made in one millisecond", () => {
  let now = 1_000;
  const makeId = createIds(() => now);
  const ids = Array.from({ length: 20_000 }, (_, at) => {
    if (at === 5_000) now = 500;
    if (at === 15_000) now = 2_000;
    return makeId();
  });
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids.slice(0, 100))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
