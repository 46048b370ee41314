/** The dispatcher requests jobs only while it may run them. */

import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { monotonicMs } from "../../src/base/time/monotonic.ts";
import type { Attempt } from "../../src/dispatch/attempt.ts";
import { createDispatcher } from "../../src/dispatch/dispatcher.ts";
import { createLanes } from "../../src/dispatch/lanes.ts";
import { createLeaseClock } from "../../src/dispatch/node/lease-clock.ts";
import { createBacklog } from "../../src/limits/backlog.ts";
import type { ClaimedJob, ClaimResult, Store } from "../../src/store/port.ts";

test("the dispatcher claims nothing without a valid lease or while paused", async () => {
  let claims = 0;
  let alive = true;
  const firstClaim = Promise.withResolvers<void>();
  const claim = async (): Promise<ClaimResult> => {
    claims++;
    firstClaim.resolve();
    return { jobs: [], taken: [], damaged: [] };
  };
  const leaseClock = createLeaseClock(false);
  const dispatcher = createDispatcher({
    store: { claims: { claim } as unknown as Store["claims"], shared: true },
    lanes: createLanes(),
    backlog: createBacklog({ maxQueued: 10, maxQueuedPerKey: 10 }),
    leaseClock,
    log: silentLog,
    slots: 5,
    fifoWorkers: 1,
    lease: () => (alive ? { name: "n1", generation: 1 } : undefined),
    start: () => {
      throw new Error("nothing was claimed");
    },
    onEnd() {},
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
  dispatcher.queued([{ lane: "fifo/k1/", strategy: "fifo", share: "k1", bulkId: null }]);
  await turn();
  leaseClock.extend(monotonicMs(), 600_000);
  alive = false;
  dispatcher.wake();
  await turn();
  alive = true;
  dispatcher.pause();
  dispatcher.wake();
  await turn();
  expect(claims).toBe(0);
  dispatcher.resume();
  await firstClaim.promise;
  expect(claims).toBe(1);
});

test("a node claims its own jobs at once, and those of others in batches that double in size", async () => {
  const batches: number[] = [];
  let left = 200;
  const lanes = createLanes();
  const claim: Store["claims"]["claim"] = async (_, { fifo }) => {
    const count = fifo.reduce((sum, lane) => sum + lane.count, 0);
    batches.push(count);
    const jobs = Array.from({ length: Math.min(count, left) }, (_job, at) => claimed(left - at));
    left -= jobs.length;
    return { jobs, taken: [], damaged: [] };
  };
  const leaseClock = createLeaseClock(false);
  leaseClock.extend(monotonicMs(), 600_000);
  const dispatcher = createDispatcher({
    store: { claims: { claim } as unknown as Store["claims"], shared: true },
    lanes,
    backlog: createBacklog({ maxQueued: 1_000, maxQueuedPerKey: 1_000 }),
    leaseClock,
    log: silentLog,
    slots: 200,
    fifoWorkers: 1,
    lease: () => ({ name: "n1", generation: 1 }),
    start: (job) => ({ job, done: new Promise(() => {}) }) as unknown as Attempt,
    onEnd() {},
  });
  // Jobs of another node, found in the store.
  lanes.add({ ...inLane, count: 100 });
  dispatcher.queued(Array.from({ length: 30 }, () => inLane));
  await expect.poll(() => batches).toEqual([34, 8, 16, 32, 40]);
  left = 0;
  lanes.add({ ...inLane, count: 60 });
  dispatcher.wake();
  await expect.poll(() => batches.slice(5)).toEqual([60]);
  // They were gone, so the batch size starts over.
  lanes.add({ ...inLane, count: 60 });
  dispatcher.wake();
  await expect.poll(() => batches.slice(6)).toEqual([4]);
});

const inLane = { lane: "fifo/k1/", strategy: "fifo" as const, share: "k1", bulkId: null };

function claimed(number: number): ClaimedJob {
  const fence = { id: `j${number}`, name: "n1", generation: 1, attempt: 1 };
  return { fence, ...inLane } as unknown as ClaimedJob;
}
