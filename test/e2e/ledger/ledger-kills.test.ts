/** The short form of `bun run chaos:ledger`: a node is killed while it pushes. */
import { expect, test } from "vitest";
import { runLedger } from "../../../scripts/chaos/ledger.ts";
import { isExhaustive } from "../../support/sampled.ts";

const kills = isExhaustive() ? 4 : 2;

test("each push that was sent has one entry after kills, and the chain is whole", async () => {
  const report = await runLedger({ devices: 8, kills, seed: 7 });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ killed: kills, jobs: 8 * kills });
  // Starts of the program take their time on a busy machine.
}, 900_000);
