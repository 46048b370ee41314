/** The short form of `bun run chaos:schedules`: three nodes on a libSQL server, killed while schedules fire. */
import { expect, test } from "vitest";
import { runFirings } from "../../../scripts/chaos/firings.ts";
import { isExhaustive } from "../../support/sampled.ts";

const [firings, kills] = isExhaustive() ? [120, 4] : [60, 2];

test("each time of each schedule fires exactly once, whichever node is killed", async () => {
  const report = await runFirings({ firings, kills });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ fired: firings, killed: kills });
  // Starts of the program take their time on a busy machine.
}, 900_000);
