/**
 * Runs all tests; installs what they need first (with root), and says what is skipped without it.
 * In CI files that failed are run once more, alone: what passes then is named as flaky, never hidden.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { prepareTestbed } from "./testbed/install.ts";

const reportSchema = v.object({ testResults: v.array(v.object({ name: v.string(), status: v.string() })) });
/** More than this is no race, and is not run again. */
const maxRetried = 5;
const inCi = process.env.CI === "true";

const missing = await prepareTestbed();
for (const one of missing) console.log(`skipped: ${one.tests} (${one.reason})`);
if (missing.length > 0 && inCi) {
  console.error("In CI nothing may be skipped.");
  process.exit(1);
}

// Short: a unix socket's path below it must fit into 107 bytes.
const folder = mkdtempSync(join(tmpdir(), "pb-"));
const report = join(folder, "report.json");
const temporary = temporaryFolder();
const first = await vitest([
  ...process.argv.slice(2),
  ...(inCi ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : []),
]);
const failed = first === 0 || !inCi ? [] : failedFiles();
if (failed.length === 0 || failed.length > maxRetried) end(first);
console.log(`\nOnce more, alone: ${failed.join(", ")}`);
const second = await vitest(["--maxWorkers=1", ...failed]);
console.log(`${second === 0 ? "FLAKY, red and then green" : "RED twice"}: ${failed.join(", ")}`);
end(second);

async function vitest(args: readonly string[]): Promise<number> {
  const command = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", ...args];
  const run = Bun.spawn([process.execPath, "--bun", ...command], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, TMPDIR: temporary },
  });
  return run.exited;
}

/** Where tests and what they start put their folders: one place of the run, open to each user of this machine as /tmp is. */
function temporaryFolder(): string {
  const path = join(folder, "t");
  mkdirSync(path);
  chmodSync(folder, 0o755);
  chmodSync(path, 0o1777);
  return path;
}

/** Ends with this code and takes the run's folder away; says what would not go, as a mount left by a test. */
function end(code: number): never {
  try {
    rmSync(folder, { recursive: true });
  } catch (error) {
    console.warn(`${folder} stays: ${String(error)}`);
  }
  process.exit(code);
}

/** Files with a failed test, as paths from here; none when the run ended before it wrote its report. */
function failedFiles(): string[] {
  if (!existsSync(report)) return [];
  const { testResults } = v.parse(reportSchema, JSON.parse(readFileSync(report, "utf8")));
  return testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(".", name));
}
