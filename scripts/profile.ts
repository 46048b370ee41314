/**
 * `bun run profile <row> [--quick] [--json]`: runs a row of `bench:all` with a CPU profiler in every process
 * and thread, and prints the time by part of a job's path and by function, and the allocated objects. The
 * profiles (for Chrome's developer tools) are kept in `profiles/<row>`.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { chosenRows, runRow } from "./bench/rows/runner.ts";
import { type ProcessTable, readProfiles } from "./profile/report.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
});
const [name] = positionals;
if (name === undefined) throw new Error("usage: bun run profile <row>; `bun run bench:all` names the rows");
chosenRows([name]);
const folder = join(resolve("profiles"), name);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const recorder = resolve(import.meta.dirname, "profile", "recorder.ts");
const result = await runRow(name, flags.quick, { PROFILE_DIR: folder, BUN_OPTIONS: `--preload ${recorder}` });
const tables = readProfiles(folder);
if (flags.json) console.log(JSON.stringify({ profile: name, result, tables }, null, 2));
else for (const one of tables) show(one);
if (result.failed !== undefined) console.error(`the row failed: ${result.failed}`);
process.exit(result.failed === undefined ? 0 : 1);

function show({ process: title, ms, parts, functions, objects }: ProcessTable): void {
  console.log(`\n${title}: ${ms} ms`);
  print("part", parts, ms);
  print("function", functions, ms);
  console.log(
    `  objects: ${Object.entries(objects)
      .slice(0, 12)
      .map(([type, count]) => `${type} ${count}`)
      .join(", ")}`,
  );
}

function print(title: string, counts: Readonly<Record<string, number>>, all: number): void {
  console.log(`  ${"ms".padStart(9)} ${"%".padStart(5)}  ${title}`);
  for (const [name, ms] of Object.entries(counts))
    console.log(
      `  ${ms.toFixed(1).padStart(9)} ${((100 * ms) / Math.max(1, all)).toFixed(1).padStart(5)}  ${name}`,
    );
}
