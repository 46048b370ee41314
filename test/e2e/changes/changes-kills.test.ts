/** The short form of `bun run chaos:changes`: a node is killed while changes are rolled out and returned. */
import { expect, test } from "vitest";
import { runChanges } from "../../../scripts/chaos/changes.ts";
import { isExhaustive } from "../../support/sampled.ts";

const kills = isExhaustive() ? 6 : 3;

test("changes under kills: no line twice, no wave after a stop, and the record is what devices have", async () => {
  const report = await runChanges({ devices: 9, kills, seed: 7, store: "file" });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ sentTwice: 0, wavesAfterStop: 0, withoutVotes: 0 });
  expect(report.killed).toBeGreaterThanOrEqual(kills);
  // Starts of the program take their time on a busy machine.
}, 900_000);
