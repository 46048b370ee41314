/**
 * `bun run bench:compare <baseline.json> [row…]`: the rows in their quick form, as ratios to the floor that was measured
 * in the same run, beside those of a baseline; so a machine that is slower today moves nothing. `--write` makes the
 * baseline. Exits with 1 where a row became dearer by more than `--tolerance` (default 0.3, of its former ratio).
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { compare } from "./rows/moved.ts";
import { speedRun } from "./rows/row.ts";
import { chosenRows, runRows } from "./rows/runner.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    tolerance: { type: "string", default: "0.3" },
  },
});
const [file, ...names] = positionals;
if (file === undefined) throw new Error("usage: bun run bench:compare <baseline.json> [row…] [--write]");
const baseline = flags.write ? undefined : v.parse(speedRun, JSON.parse(readFileSync(file, "utf8")));

const run = await runRows(chosenRows(names), true, ({ name, failed }) => {
  if (failed !== undefined) console.error(`${name}: failed: ${failed}`);
});
if (flags.write) writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
const moved = compare(run, baseline, Number(flags.tolerance));
console.log(JSON.stringify({ bench: "compare", machine: run.machine, rows: moved }, null, 2));
const bad = moved.some(({ verdict }) => verdict === "dearer" || verdict === "failed");
process.exit(bad ? 1 : 0);
