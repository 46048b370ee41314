/** The short form of `bun run chaos:takes`: a node is killed while it reads configurations that change. */
import { describe, expect, test } from "vitest";
import { runTakes } from "../../../scripts/chaos/takes.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { isExhaustive } from "../../support/sampled.ts";

const kills = isExhaustive() ? 4 : 2;

describe.skipIf(needs("git"))("takes", () => {
  test("each version is there exactly once after kills, and Git has the same ids again", async () => {
    const report = await runTakes({ devices: 12, kills, seed: 7 });
    expect(report.breaches).toEqual([]);
    expect(report).toMatchObject({ killed: kills, jobs: 12 * kills });
    expect(report.versions).toBeGreaterThan(12);
    // Starts of the program take their time on a busy machine.
  }, 900_000);
});
