/** The short form of `bun run chaos:failover`: a primary is lost while two nodes push to simulated devices, in a plain run in one of the ways. */
import { describe, expect, test } from "vitest";
import { runScenario } from "../../../scripts/chaos/scenario.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { isExhaustive, sampled } from "../../support/sampled.ts";

const jobs = isExhaustive() ? 80 : 50;

describe.skipIf(needs("postgres"))("a fail-over while devices are pushed to", () => {
  const scenarios = [
    { scenario: "failover" },
    // The former primary comes back, as a second one.
    { scenario: "return" },
    { scenario: "immediate" },
    { scenario: "cuts" },
  ] as const;
  test.each(sampled(scenarios, 1, () => "a way"))(
    "loses no job and sends nothing twice: $scenario",
    async ({ scenario }) => {
      const seed = 1 + Math.floor(Math.random() * 1_000_000);
      const report = await runScenario(scenario, { jobs, troubles: 1, seed });
      const again = `bun run chaos:failover --only ${scenario} --rounds 1 --jobs ${jobs} --seed ${seed}`;
      expect(report.breaches, again).toEqual([]);
      expect(report).toMatchObject({ jobs, troubles: 1 });
      expect(report.finished + report.unknown, again).toBe(jobs);
    },
  );

  test("to an asynchronous standby loses jobs, and the service had said so", async () => {
    const { breaches, figures } = await runScenario("asynchronous", { jobs, troubles: 1, seed: 1 });
    expect(breaches).toEqual([]);
    expect(figures).toMatchObject({ told_by_readyz: 1, told_by_log: 1 });
    expect(figures.loss_lost).toBeGreaterThan(0);
  });
});
