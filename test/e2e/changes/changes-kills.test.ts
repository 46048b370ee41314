/** The short form of `bun run chaos:changes`: a node is killed while changes are rolled out and returned. */
import { expect, test } from "vitest";
import { runChanges } from "../../../scripts/chaos/changes.ts";

test("changes under kills: no line twice, no wave after a stop, and the record is what devices have", async () => {
  const report = await runChanges({ devices: 9, kills: 6, seed: 7, store: "file" });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ sentTwice: 0, wavesAfterStop: 0, withoutVotes: 0 });
  expect(report.killed).toBeGreaterThanOrEqual(6);
  // Starts of the program take their time on a busy machine.
}, 900_000);
