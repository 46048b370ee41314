/**
 * `bun run bench:compare <baseline.json> [row…]`: compares the quick rows with a baseline, as ratios to the
 * floor measured in the same run, so that the machine's speed does not matter. `--write` writes the baseline.
 * Exits with 1 if a row became slower by more than `--tolerance` (default 0.3 of its previous ratio).
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
