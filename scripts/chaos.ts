/**
 * `bun run chaos`: kills and freezes whole nodes and cuts them off from their store under load; exits with 1
 * if a promise was broken. `--store=postgres`: on PostgreSQL instead of a file and a libSQL server.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type Report, runScenario, scenarios } from "./chaos/scenario.ts";
import { serverKindOf } from "./chaos/server.ts";
import { table } from "./chaos/table.ts";
import { needs } from "./testbed/catalogue.ts";
import { sqldProgram } from "./testbed/sqld.ts";

const { values: flags } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    kills: { type: "string" },
    jobs: { type: "string", default: "1000" },
    seed: { type: "string" },
    binary: { type: "string" },
    only: { type: "string" },
    store: { type: "string", default: "sqld" },
    json: { type: "boolean", default: false },
  },
});
const number = (text: string, flag: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`${flag} must be a positive integer.`);
  process.exit(2);
};
const seed = number(flags.seed ?? String(1 + Math.floor(Math.random() * 1_000_000)), "--seed");
const jobs = number(flags.jobs, "--jobs");
const troubles: Record<(typeof scenarios)[number], number> = {
  file: number(flags.kills ?? (flags.long ? "200" : "50"), "--kills"),
  sqld: number(flags.kills ?? (flags.long ? "200" : "50"), "--kills"),
  postgres: number(flags.kills ?? (flags.long ? "200" : "50"), "--kills"),
  freeze: flags.long ? 8 : 3,
  outage: flags.long ? 6 : 2,
};
const store = serverKindOf(flags.store);
const usual: readonly (typeof scenarios)[number][] =
  store === "sqld" ? ["file", "sqld", "freeze", "outage"] : ["postgres", "freeze", "outage"];
const wanted = scenarios.filter((name) =>
  flags.only === undefined ? usual.includes(name) : name === flags.only,
);
if (wanted.length === 0) {
  console.error(`--only is one of ${scenarios.join(", ")}.`);
  process.exit(2);
}

const say = (text: string) => (flags.json ? console.error(text) : console.log(text));
const reports: Report[] = [];
for (const scenario of wanted) {
  const needed = scenario === "postgres" || scenario === "sqld" ? scenario : store;
  if (scenario !== "file" && (needed === "sqld" ? !sqldProgram() : needs("postgres"))) {
    say(`${scenario}: skipped, ${needed} is not available for this machine`);
    continue;
  }
  say(`${scenario}: ${jobs} jobs, ${troubles[scenario]} troubles, --seed ${seed}`);
  reports.push(
    await runScenario(scenario, { jobs, troubles: troubles[scenario], seed, binary: flags.binary, store }),
  );
}
console.log(flags.json ? JSON.stringify({ chaos: reports, seed, jobs }, null, 2) : table(reports));
process.exit(reports.some(({ breaches }) => breaches.length > 0) ? 1 : 0);
