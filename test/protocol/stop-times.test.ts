/** The order in which a stopped task is ended: each step has room for the one before it. */
import { expect, test } from "vitest";
import { stopTimes } from "../../src/base/time/stop-times.ts";
import { cleanupMs } from "../../src/plugin/cleanup-context.ts";
import type { ConfigureTask } from "../../src/protocol/task.ts";
import { abandonAfterMs } from "../../src/protocol/task.ts";

const task: ConfigureTask = {
  kind: "configure",
  driver: "netmiko",
  connection: {},
  args: {},
  reach: [],
  keep: false,
  lines: ["a"],
};

test("a driver's cleanup ends before the driver is abandoned, and that before a thread is given up", () => {
  expect(stopTimes.closeMs).toBeLessThan(stopTimes.cleanupMs);
  expect(cleanupMs).toBe(stopTimes.cleanupMs);
  expect(stopTimes.cleanupMs).toBeLessThan(stopTimes.abandonMs);
  expect(stopTimes.abandonMs).toBeLessThan(stopTimes.turnMs);
  expect(abandonAfterMs(task)).toBe(stopTimes.abandonMs);
});

test("a task with checks has the time of its rollback on top", () => {
  const checks = {
    before: [],
    after: [],
    settleMs: 0,
    onFailure: "undo",
  } as unknown as ConfigureTask["checks"];
  expect(checks === undefined ? 0 : abandonAfterMs({ ...task, checks })).toBe(
    stopTimes.undoMs + stopTimes.abandonMs,
  );
});
