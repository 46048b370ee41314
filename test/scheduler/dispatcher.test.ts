/** The dispatcher asks for jobs only while it may act on them. */

import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { monotonicMs } from "../../src/base/monotonic.ts";
import { createBacklog } from "../../src/queue/backlog.ts";
import { createDispatcher } from "../../src/scheduler/dispatcher.ts";
import { createLanes } from "../../src/scheduler/lanes.ts";
import { createLeaseClock } from "../../src/scheduler/lease-clock.ts";
import type { ClaimResult, Store } from "../../src/store/port.ts";

test("nothing is claimed without trust, without a life, or while paused", async () => {
  let claims = 0;
  let alive = true;
  const asked = Promise.withResolvers<void>();
  const claim = async (): Promise<ClaimResult> => {
    claims++;
    asked.resolve();
    return { jobs: [], taken: [] };
  };
  const leaseClock = createLeaseClock(false);
  const dispatcher = createDispatcher({
    store: { claims: { claim } as unknown as Store["claims"] },
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
  dispatcher.queued([{ lane: "fifo/k1/", strategy: "fifo", caller: "k1", bulkId: null }]);
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
  await asked.promise;
  expect(claims).toBe(1);
});
