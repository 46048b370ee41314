/** `options.priority` orders the jobs of one key in the fifo queue, and nothing else. */
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type Priority, priorities, type QueueStrategy } from "../../src/api/jobs/job.ts";
import { createLanes, type LaneJobs } from "../../src/dispatch/lanes.ts";
import { claimOrder } from "../../src/store/port.ts";
import { type Node, signal, startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";
import { runs } from "../support/runs.ts";
import { temporary } from "../support/temporary.ts";

interface Work {
  readonly share: string;
  readonly priority: Priority;
  readonly bulkId?: string | null;
  readonly count?: number;
}

function waiting({ share, priority, bulkId = null, count = 1 }: Work): LaneJobs {
  const strategy: QueueStrategy = "fifo";
  const lane = claimOrder.laneOf({ strategy, queue: "fifo", share, bulkId, priority });
  return { lane, strategy, share, bulkId, count };
}

/** A slot that becomes free repeatedly. @returns the lanes it served, in order. */
function turns(work: readonly Work[], most = Number.POSITIVE_INFINITY): string[] {
  const lanes = createLanes();
  for (const jobs of work) lanes.add(waiting(jobs));
  const order: string[] = [];
  while (order.length < most) {
    const [next] = lanes.pick(1).fifo;
    if (!next) break;
    lanes.recordClaim(next.lane, 1, 1);
    order.push(next.lane);
  }
  return order;
}

const callers = ["a", "b", "c"] as const;
const callerOf = (lane: string) => callers.find((caller) => caller === lane.split("/")[1]) ?? "a";
const priorityOf = (lane: string) => priorities.find((word) => word === lane.split("/")[3]) ?? "normal";
const works = fc.array(
  fc.record({
    share: fc.constantFrom(...callers),
    priority: fc.constantFrom(...priorities),
    bulkId: fc.constantFrom(null, "b1", "b2"),
    count: fc.integer({ min: 1, max: 30 }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe("priorities in the fifo queue", () => {
  test("do not change any caller's share at any time by more than one turn", () => {
    fc.assert(
      fc.property(works, (all) => {
        const plain = turns(all.map((jobs) => ({ ...jobs, priority: "normal" }))).map(callerOf);
        const ahead = { a: 0, b: 0, c: 0 };
        for (const [at, lane] of turns(all).entries()) {
          ahead[callerOf(lane)]++;
          ahead[plain[at] ?? "a"]--;
          // Among equals, the order of arrival decides.
          for (const turns of Object.values(ahead)) expect(Math.abs(turns)).toBeLessThanOrEqual(1);
        }
        expect(ahead).toEqual({ a: 0, b: 0, c: 0 });
      }),
    );
  });

  test("put high before normal and normal before low, whenever a job arrives", () => {
    const few: Work[] = [...priorities].reverse().map((priority) => ({ share: "a", priority, count: 5 }));
    expect(turns(few).map(priorityOf)).toEqual(priorities.flatMap((priority) => Array(5).fill(priority)));
    const lanes = createLanes();
    lanes.add(waiting({ share: "a", priority: "low", count: 1_000, bulkId: "b1" }));
    for (let turn = 0; turn < 500; turn++) {
      for (const { lane } of lanes.pick(1).fifo) lanes.recordClaim(lane, 1, 1);
    }
    for (const priority of ["normal", "high"] as const) {
      lanes.add(waiting({ share: "a", priority }));
      const [next] = lanes.pick(1).fifo;
      expect(priorityOf(next?.lane ?? "")).toBe(priority);
      lanes.recordClaim(next?.lane ?? "", 1, 1);
    }
  });

  test("let one lower-priority job run per ten higher ones, so that none starves", () => {
    const counts = fc.tuple(...priorities.map(() => fc.integer({ min: 0, max: 400 })));
    fc.assert(
      fc.property(counts, (all) => {
        const order = turns(
          priorities.map((priority, at) => ({ share: "a", priority, count: all[at] ?? 0 })),
        );
        const gone = { high: 0, normal: 0, low: 0 };
        for (const lane of order) {
          gone[priorityOf(lane)]++;
          for (const [at, upper, lower] of [
            [0, "high", "normal"],
            [1, "normal", "low"],
          ] as const)
            if (gone[upper] < (all[at] ?? 0)) expect(gone[lower]).toBeLessThanOrEqual(gone[upper] / 10 + 1);
        }
        expect(order).toHaveLength(all.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: runs(50) },
    );
    const endless = priorities.map((priority): Work => ({ share: "a", priority, count: 10_000 }));
    const low = turns(endless, 2_000).filter((lane) => priorityOf(lane) === "low");
    expect(low.length).toBeGreaterThanOrEqual(15);
  });
});

test("priorities do not reorder the jobs of a pinned host", () => {
  const lane = (priority: Priority) =>
    claimOrder.laneOf({ strategy: "pinned", queue: "pinned_r1", share: "a", bulkId: null, priority });
  expect(new Set(priorities.map(lane))).toEqual(new Set(["pinned_r1"]));
});

describe("on a node with one slot", () => {
  const opened: { node: Node; remove(): void }[] = [];
  afterEach(async () => {
    for (const { node, remove } of opened.splice(0)) {
      await node.stop();
      remove();
    }
  });

  /** All of it waits for one job to end. */
  async function order(strategy: QueueStrategy, submitted: readonly Priority[]): Promise<string[]> {
    const folder = temporary();
    const node = await startNode({ directory: folder.path, slots: 1 });
    opened.push({ node, remove: folder.remove });
    const submit = (command: string, priority: Priority) =>
      node.submit(query("r1", command, { options: { queue_strategy: strategy, priority } }));
    const ids = [await submit("hold", "normal")];
    while (node.pool.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const [at, priority] of submitted.entries()) ids.push(await submit(`${at} ${priority}`, priority));
    node.pool.release();
    for (const id of ids) await node.ended(id);
    return node.pool.log.slice(1).map(({ command }) => command);
  }

  const mixed = ["low", "normal", "high", "low", "high", "normal"] as const;

  test("fifo jobs run by priority, and in submission order within one", async () => {
    const run = await order("fifo", mixed);
    expect(run).toEqual(["2 high", "4 high", "1 normal", "5 normal", "0 low", "3 low"]);
  });

  test("bulks run by priority, also after a restart", async () => {
    const folder = temporary();
    const stopped = await startNode({ directory: folder.path, slots: 0 });
    const bulkIds: string[] = [];
    for (const priority of ["low", "high", "normal"] as const) {
      const devices = [{ host: `${priority}-1` }, { host: `${priority}-2` }];
      const options = { queue_strategy: "fifo", priority };
      bulkIds.push((await stopped.bulk(query("x", "show a", { devices, options }))).bulk_id);
    }
    await stopped.kill();
    const node = await startNode({ directory: folder.path, slots: 1 });
    opened.push({ node, remove: folder.remove });
    for (const id of bulkIds) await node.jobs.waitForBulk(id, 60_000, signal);
    const order = ["high-1", "high-2", "normal-1", "normal-2", "low-1", "low-2"];
    expect(node.pool.log.map(({ host }) => host)).toEqual(order);
  });

  test("jobs of one host run in submission order despite priorities", async () => {
    const run = await order("pinned", mixed);
    expect(run).toEqual(mixed.map((priority, at) => `${at} ${priority}`));
  });

  test("a record shows its priority if set; where it has no effect, there is a warning", async () => {
    const folder = temporary();
    const node = await startNode({ directory: folder.path });
    opened.push({ node, remove: folder.remove });
    const ended = async (more: object) => node.ended(await node.submit(query("r1", "show a", more)));
    const fifo = await ended({ options: { queue_strategy: "fifo", priority: "low" } });
    expect([fifo.priority, fifo.warnings]).toEqual(["low", undefined]);
    const pinned = await ended({ priority: "high" });
    expect([pinned.priority, pinned.warnings]).toEqual([
      "high",
      [expect.stringContaining("fifo queue only")],
    ]);
    expect(await ended({ priority: "normal" })).not.toHaveProperty("warnings");
    expect(await ended({})).not.toHaveProperty("priority");
    const wrong = node.submit(query("r1", "x", { options: { priority: "urgent" } }), admin);
    await expect(wrong).rejects.toMatchObject({ detail: { issues: [{ path: "options.priority" }] } });
  });
});
