/**
 * `bun run chaos:failover`: a PostgreSQL primary with a synchronous standby is killed and the standby promoted while
 * two nodes push to simulated devices; exits with 1 if an acknowledged job was lost, a push was sent twice, or the
 * service was not back within 15 s of the promotion.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { isPairScenario, pairScenarios } from "./chaos/pair.ts";
import { type Report, recoveryLimitMs, runScenario } from "./chaos/scenario.ts";
import { table } from "./chaos/table.ts";
import { needs } from "./testbed/catalogue.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    jobs: { type: "string", default: "1000" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    binary: { type: "string" },
    /** One of the scenarios, or `others`: each but `failover` once. */
    only: { type: "string", default: "failover" },
    json: { type: "boolean", default: false },
  },
});
const [rounds, jobs, seed] = [flags.rounds, flags.jobs, flags.seed].map(Number);
const { only } = flags;
const wanted = isPairScenario(only)
  ? Array.from({ length: rounds ?? 0 }, () => only)
  : pairScenarios.filter((name) => only === "others" && name !== "failover");
const isNumber = (value: number | undefined): value is number => Number.isInteger(value) && Number(value) > 0;
if (wanted.length === 0 || !isNumber(jobs) || !isNumber(seed)) {
  console.error(`--only is one of ${pairScenarios.join(", ")} or others; the rest are positive integers.`);
  process.exit(2);
}
if (needs("postgres")) {
  console.error("PostgreSQL is not installed.");
  process.exit(2);
}

const reports: Report[] = [];
for (const [at, scenario] of wanted.entries()) {
  const report = await runScenario(scenario, { jobs, troubles: 1, seed: seed + at, binary: flags.binary });
  reports.push(report);
  const { breaches, figures, unknown, seconds } = report;
  const back = figures.slowest_recovery_ms;
  console.error(
    `${scenario} --seed ${seed + at}: ${breaches.length} breaches, ${unknown} unknown, back after ${back} ms, ${Math.round(seconds)} s`,
  );
}
console.log(flags.json ? JSON.stringify({ failover: reports, seed, jobs }, null, 2) : table(reports));
const isBack = ({ figures }: Report) => (figures.slowest_recovery_ms ?? 0) <= recoveryLimitMs;
process.exit(reports.every((report) => report.breaches.length === 0 && isBack(report)) ? 0 : 1);
