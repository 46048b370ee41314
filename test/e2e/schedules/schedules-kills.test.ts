/** The short form of `bun run chaos:schedules`: three nodes on a libSQL server, killed while schedules fire. */
import { expect, test } from "vitest";
import { runFirings } from "../../../scripts/chaos/firings.ts";

test("each time of each schedule fires exactly once, whichever node is killed", async () => {
  const report = await runFirings({ firings: 120, kills: 4 });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ fired: 120, killed: 4 });
  // Starts of the program take their time on a busy machine.
}, 900_000);
