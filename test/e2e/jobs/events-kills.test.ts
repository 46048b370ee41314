/** The short form of `bun run chaos:events`: three nodes on libSQL server, killed under their listeners. */
import { expect, test } from "vitest";
import { runEvents } from "../../../scripts/chaos/events.ts";
import { isExhaustive } from "../../support/sampled.ts";

const [jobs, kills] = isExhaustive() ? [120, 3] : [60, 2];

test("listeners of killed nodes miss, repeat and reorder no change", async () => {
  const report = await runEvents({ jobs, listeners: 9, kills });
  expect(report.breaches).toEqual([]);
  // Each job is queued, runs and ends; interrupted ones once more.
  expect(report.changes).toBeGreaterThanOrEqual(3 * jobs);
  expect(report).toMatchObject({ killed: kills });
  expect(report.resumed).toBeGreaterThan(0);
  // Starts of the program take their time on a busy machine.
}, 900_000);
