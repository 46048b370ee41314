/**
 * `bun run chaos:failover`: a PostgreSQL primary with a synchronous standby is killed and the standby promoted while
 * two nodes push to simulated devices; exits with 1 if an acknowledged job was lost, a push was sent twice, or the
 * service was not back within 15 s of the promotion.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import type { BreachKind } from "./chaos/judge.ts";
import { isPairScenario, pairScenarios } from "./chaos/pair.ts";
import { type Report, recoveryLimitMs, runScenario } from "./chaos/scenario.ts";
import { detailsOf, table } from "./chaos/table.ts";
import { needs } from "./testbed/catalogue.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    jobs: { type: "string", default: "1000" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    binary: { type: "string" },
    /** One of the scenarios, or `others`: each but `failover` once. */
    only: { type: "string", default: "failover" },
    /** After which no round is begun. */
    minutes: { type: "string", default: "600" },
    json: { type: "boolean", default: false },
  },
});
const [rounds, jobs, seed, minutes] = [flags.rounds, flags.jobs, flags.seed, flags.minutes].map(Number);
const { only } = flags;
const wanted = isPairScenario(only)
  ? Array.from({ length: rounds ?? 0 }, () => only)
  : pairScenarios.filter((name) => only === "others" && name !== "failover");
const isNumber = (value: number | undefined): value is number => Number.isInteger(value) && Number(value) > 0;
if (wanted.length === 0 || !isNumber(jobs) || !isNumber(seed) || !isNumber(minutes)) {
  console.error(`--only is one of ${pairScenarios.join(", ")} or others; the rest are positive integers.`);
  process.exit(2);
}
if (needs("postgres")) {
  console.error("PostgreSQL is not installed.");
  process.exit(2);
}

const reports: Report[] = [];
const until = performance.now() + minutes * 60_000;
for (const [at, scenario] of wanted.entries()) {
  if (performance.now() > until) break;
  const report = await runScenario(scenario, { jobs, troubles: 1, seed: seed + at, binary: flags.binary });
  reports.push(report);
  console.error(`${scenario} --seed ${seed + at}: ${summary([report])}, ${Math.round(report.seconds)} s`);
  if (report.breaches.length > 0) console.error(detailsOf(report).join("\n"));
}
console.log(flags.json ? JSON.stringify({ failover: reports, seed, jobs }, null, 2) : table(reports));
console.error(`${reports.length} of ${wanted.length} rounds: ${summary(reports)}`);
const isWhole = reports.length === wanted.length && reports.every(({ breaches }) => breaches.length === 0);
process.exit(isWhole && slowest(reports) <= recoveryLimitMs ? 0 : 1);

function summary(of: readonly Report[]): string {
  const breaches = of.flatMap((report) => report.breaches);
  const count = (wantedKind: BreachKind) => breaches.filter(({ kind }) => kind === wantedKind).length;
  const sum = (what: (report: Report) => number | undefined) =>
    of.reduce((all, report) => all + (what(report) ?? 0), 0);
  return [
    `${sum((report) => report.jobs)} accepted`,
    `${count("lost")} lost`,
    `${count("twice")} sent twice`,
    `${breaches.length - count("lost") - count("twice")} other breaches`,
    `${sum(({ unknown }) => unknown)} unknown`,
    ...(of.some(({ figures }) => figures.loss_lost !== undefined)
      ? [`${sum(({ figures }) => figures.loss_lost)} lost as told before`]
      : []),
    `back after ${slowest(of)} ms`,
  ].join(", ");
}

function slowest(of: readonly Report[]): number {
  return Math.max(0, ...of.map(({ figures }) => figures.slowest_recovery_ms ?? Number.POSITIVE_INFINITY));
}
