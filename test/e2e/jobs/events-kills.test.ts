/** The short form of `bun run chaos:events`: three nodes on libSQL server, killed under their listeners. */
import { expect, test } from "vitest";
import { runEvents } from "../../../scripts/chaos/events.ts";

test("listeners of killed nodes miss, repeat and reorder no change", async () => {
  const report = await runEvents({ jobs: 120, listeners: 9, kills: 3 });
  expect(report.breaches).toEqual([]);
  // Each job is queued, runs and ends; interrupted ones once more.
  expect(report.changes).toBeGreaterThanOrEqual(360);
  expect(report).toMatchObject({ killed: 3 });
  expect(report.resumed).toBeGreaterThan(0);
  // Six starts of the program, which take their time on a busy machine.
}, 900_000);
