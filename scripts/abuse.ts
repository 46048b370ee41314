/**
 * `bun run abuse`: one key attacks the real service while another key works; exits with 1 if a promise was
 * broken. `--store=sqld` or `postgres`: not on a file.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type AttackReport, play } from "./abuse/attack.ts";
import { attacks } from "./abuse/attacks.ts";
import { abusedStores } from "./abuse/service.ts";
import { summary, table } from "./abuse/table.ts";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    binary: { type: "string" },
    stored: { type: "string" },
    store: { type: "string", default: "file" },
    json: { type: "boolean", default: false },
  },
});
const wanted = attacks.filter(({ name }) => flags.only === undefined || flags.only.split(",").includes(name));
if (wanted.length === 0) {
  console.error(`--only takes names from: ${attacks.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const stored = flags.stored === undefined ? undefined : Number(flags.stored);
if (stored !== undefined && !(Number.isInteger(stored) && stored >= 0)) {
  console.error("--stored takes a number of jobs, such as 500000.");
  process.exit(2);
}
const store = abusedStores.find((known) => known === flags.store);
if (store === undefined) {
  console.error(`--store is one of ${abusedStores.join(", ")}.`);
  process.exit(2);
}
const say = (text: string) => (flags.json ? console.error(text) : console.log(text));
const reports: AttackReport[] = [];
for (const attack of wanted) {
  say(`${attack.name}: ${attack.about}`);
  const report = await play(attack, {
    binary: flags.binary,
    size: flags.quick ? 0.1 : 1,
    timed: true,
    stored,
    store,
  });
  reports.push(report);
  say(`  ${summary(report)}`);
}
console.log(flags.json ? JSON.stringify({ abuse: reports, quick: flags.quick }, null, 2) : table(reports));
process.exit(reports.some(({ breaches }) => breaches.length > 0) ? 1 : 0);
