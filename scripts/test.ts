/**
 * Runs the tests: all, those of `--quick` (no root, no real server), or with `--file` those named. Some files look at
 * a sample of a long enumeration, chosen by `--seed=` (a number; today's, if none is given); with `--exhaustive` at
 * all of it. For all, with root it first installs what they need; without root it lists what is skipped, and without
 * the recorded material the tests that need it. In CI, files that failed or did not end are retried once, alone: those that
 * pass then are reported as flaky. `--times` also prints what the slowest files took. All tests together run the compiled program
 * wherever the source is not what they test: it starts in a third of the CPU time.
 */
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { nativeVariable } from "../src/testkit/native-part.ts";
import { engineVariable } from "../src/testkit/service.ts";
import { alone, mocking, quick, quickVariable, sampling, sharing, waiting } from "../test/support/kinds.ts";
import { badFiles } from "../test/support/outcome.ts";
import { endLeftOver, environmentOf, makeRunFolder, removeRunFolder } from "../test/support/run-folder.ts";
import { exhaustiveVariable, sampleSeed, seedVariable } from "../test/support/sampled.ts";
import { timesTable, timesVariable } from "../test/support/times.ts";
import { prepareTestbed } from "./testbed/install.ts";
import { corpusTests, hasShared, leftOut } from "./testbed/shared.ts";

/** More failures than this are not caused by a race, and are not retried. */
const maxRetried = 5;
const inCi = process.env.CI === "true";
/**
 * What tests start lives for a few seconds: what the JIT compiles is seldom used. Code that is hot still reaches its
 * tiers. Four, twenty and fifteen times the thresholds of Bun, which the processes of the tests themselves keep.
 */
const compileLess = {
  BUN_JSC_thresholdForJITAfterWarmUp: "2000",
  BUN_JSC_thresholdForJITSoon: "400",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeSoon: "20000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
};
/** Of the files that `--times` prints. */
const slowest = 40;

const given = process.argv.slice(2);
const withTimes = given.includes("--times");
const withAll = given.includes("--exhaustive");
const seed = seedOf(given.find((argument) => argument.startsWith("--seed=")));
const { kind, rest } = kindOf(given.filter((argument) => !/^--(?:times|exhaustive|seed=.*)$/.test(argument)));
const missing = kind === "all" ? await prepareTestbed() : [];
for (const one of missing) console.log(`skipped: ${one.tests} (${one.reason})`);
if (missing.length > 0 && inCi) {
  console.error("In CI, no tests may be skipped.");
  process.exit(1);
}

if (kind === "all" && !hasShared) console.log(leftOut([...new Bun.Glob(corpusTests).scanSync()].sort()));

const sampled = withAll ? [] : sampling.filter(isRun);
if (sampled.length > 0)
  console.log(
    `looking at samples, of seed ${seed} (at all with --exhaustive): ${sampled.length} files: ${sampled.join(", ")}`,
  );

const places = makeRunFolder();
const report = join(places.folder, "report.json");
const times = join(places.folder, "times.jsonl");
const program = kind === "all" && rest.every((argument) => argument.startsWith("-")) ? await compiled() : {};
const first = await vitest([
  ...rest,
  ...(inCi ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : []),
]);
const failed = first === 0 || !inCi ? [] : badOnes();
if (failed.length === 0 || failed.length > maxRetried) end(first);
console.log(`\nRetrying alone: ${failed.join(", ")}`);
const second = await vitest(["--no-file-parallelism", ...failed]);
console.log(`${second === 0 ? "FLAKY, passed on retry" : "FAILED twice"}: ${failed.join(", ")}`);
end(second);

function kindOf(args: readonly string[]): { kind: "all" | "quick" | "file"; rest: readonly string[] } {
  const [first, ...rest] = args;
  if (first === "--quick") return { kind: "quick", rest };
  if (first === "--file") return { kind: "file", rest };
  return { kind: "all", rest: args };
}

function seedOf(argument: string | undefined): number {
  if (argument === undefined) return sampleSeed();
  const text = argument.slice("--seed=".length);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error("--seed= takes a number, such as 20000.");
  process.exit(2);
}

function isRun(file: string): boolean {
  if (kind === "quick") return quick.includes(file);
  const named = rest.filter((argument) => !argument.startsWith("-"));
  return named.length === 0 || named.some((name) => file.includes(name.replace(/^\.\//, "")));
}

async function vitest(args: readonly string[]): Promise<number> {
  const command = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", ...args];
  const run = Bun.spawn([process.execPath, "--bun", ...command], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      [engineVariable]: Object.entries(compileLess)
        .map((option) => option.join("="))
        .join(" "),
      ...process.env,
      ...environmentOf(places),
      [nativeVariable]: join(places.folder, "native"),
      ...(kind === "quick" ? { [quickVariable]: "1" } : {}),
      ...(withAll ? { [exhaustiveVariable]: "1" } : {}),
      [seedVariable]: String(seed),
      ...(withTimes ? { [timesVariable]: times } : {}),
      ...program,
    },
  });
  const stop = (signal: NodeJS.Signals) => run.kill(signal);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
  return run.exited;
}

/** In a folder of its own, so that it finds no files beside it by accident. */
async function compiled(): Promise<{ TEST_PROGRAM: string }> {
  const path = join(places.folder, "program", "patchbay");
  const build = Bun.spawn([process.execPath, "scripts/build-binary.ts", `--outfile=${path}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await build.exited;
  if (code !== 0) end(code);
  return { TEST_PROGRAM: path };
}

function end(code: number): never {
  for (const command of endLeftOver(places.folder)) console.warn(`left running by a test, ended: ${command}`);
  if (withTimes) console.log(timesTable(times, slowest));
  if (code !== 0 && sampled.length > 0)
    console.log(`Samples of seed ${seed}: repeat them with --seed=${seed}.`);
  removeRunFolder(places.folder);
  process.exit(code);
}

/** Files that did not end well, relative to the current folder. */
function badOnes(): string[] {
  const wanted = kind === "quick" ? quick : [...sharing, ...waiting, ...alone, ...mocking].filter(isRun);
  return badFiles(
    report,
    wanted.map((file) => resolve(file)),
  ).map((file) => relative(".", file));
}
