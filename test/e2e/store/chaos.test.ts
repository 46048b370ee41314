/** The short form of `bun run chaos`: kills whole nodes under load, on the file and on libSQL server. */
import { expect, test } from "vitest";
import { runScenario } from "../../../scripts/chaos/scenario.ts";
import { isExhaustive } from "../../support/sampled.ts";

test.each([
  { scenario: "file", ...(isExhaustive() ? { jobs: 60, troubles: 4 } : { jobs: 40, troubles: 2 }) },
  { scenario: "sqld", jobs: 30, troubles: 2 },
] as const)(
  "loses no job, runs none twice and keeps the order: $scenario",
  async ({ scenario, jobs, troubles }) => {
    const seed = 1 + Math.floor(Math.random() * 1_000_000);
    const report = await runScenario(scenario, { jobs, troubles, seed });
    expect(
      report.breaches,
      `bun run chaos --only ${scenario} --jobs ${jobs} --kills ${troubles} --seed ${seed}`,
    ).toEqual([]);
    expect(report).toMatchObject({ jobs, troubles });
    expect(report.figures.stranger_finished, "jobs of a driver from a plugin folder").toBeGreaterThan(0);
    expect(report.finished + report.failed).toBe(jobs);
    // On a busy machine, each kill hits many jobs in progress.
    expect(report.finished).toBeGreaterThan(jobs / 5);
  },
);
