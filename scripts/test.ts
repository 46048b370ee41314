/**
 * Runs all tests. With root it first installs what they need; without root it lists what is skipped, and without
 * the recorded material the tests that need it. In CI, failed files are retried once, alone: those that pass then are reported as flaky.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { environmentOf, makeRunFolder, removeRunFolder } from "../test/support/run-folder.ts";
import { prepareTestbed } from "./testbed/install.ts";
import { corpusTests, hasShared, leftOut } from "./testbed/shared.ts";

const reportSchema = v.object({ testResults: v.array(v.object({ name: v.string(), status: v.string() })) });
/** More failures than this are not caused by a race, and are not retried. */
const maxRetried = 5;
const inCi = process.env.CI === "true";

const missing = await prepareTestbed();
for (const one of missing) console.log(`skipped: ${one.tests} (${one.reason})`);
if (missing.length > 0 && inCi) {
  console.error("In CI, no tests may be skipped.");
  process.exit(1);
}

if (!hasShared) console.log(leftOut([...new Bun.Glob(corpusTests).scanSync()].sort()));

const places = makeRunFolder();
const report = join(places.folder, "report.json");
const first = await vitest([
  ...process.argv.slice(2),
  ...(inCi ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : []),
]);
const failed = first === 0 || !inCi ? [] : failedFiles();
if (failed.length === 0 || failed.length > maxRetried) end(first);
console.log(`\nRetrying alone: ${failed.join(", ")}`);
const second = await vitest(["--maxWorkers=1", ...failed]);
console.log(`${second === 0 ? "FLAKY, passed on retry" : "FAILED twice"}: ${failed.join(", ")}`);
end(second);

async function vitest(args: readonly string[]): Promise<number> {
  const command = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", ...args];
  const run = Bun.spawn([process.execPath, "--bun", ...command], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environmentOf(places) },
  });
  return run.exited;
}

function end(code: number): never {
  removeRunFolder(places.folder);
  process.exit(code);
}

/** Files with a failed test, relative to the current folder; none if the run ended before writing its report. */
function failedFiles(): string[] {
  if (!existsSync(report)) return [];
  const { testResults } = v.parse(reportSchema, JSON.parse(readFileSync(report, "utf8")));
  return testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(".", name));
}
