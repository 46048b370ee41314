/** The short form of `bun run chaos:failover`: a primary is lost while two nodes push to simulated devices. */
import { describe, expect, test } from "vitest";
import { runScenario } from "../../../scripts/chaos/scenario.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";

const jobs = 80;

describe.skipIf(needs("postgres"))("a fail-over while devices are pushed to", () => {
  test.each([
    "failover",
    // The former primary comes back, as a second one.
    "return",
    "immediate",
    "cuts",
  ] as const)("loses no job and sends nothing twice: %s", async (scenario) => {
    const seed = 1 + Math.floor(Math.random() * 1_000_000);
    const report = await runScenario(scenario, { jobs, troubles: 1, seed });
    const again = `bun run chaos:failover --only ${scenario} --rounds 1 --jobs ${jobs} --seed ${seed}`;
    expect(report.breaches, again).toEqual([]);
    expect(report).toMatchObject({ jobs, troubles: 1 });
    expect(report.finished + report.unknown, again).toBe(jobs);
  });

  test("to an asynchronous standby loses jobs, and the service had said so", async () => {
    const { breaches, figures } = await runScenario("asynchronous", { jobs, troubles: 1, seed: 1 });
    expect(breaches).toEqual([]);
    expect(figures).toMatchObject({ told_by_readyz: 1, told_by_log: 1 });
    expect(figures.loss_lost).toBeGreaterThan(0);
  });
});
