/** Which test files share a process, and which need neither root nor a real server: told by their text and imports. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { corpusTests, hasShared } from "../../scripts/testbed/shared.ts";

/** They start the program or a real server, or wait for a second process, and take a while. */
const whole = /^test\/(?:e2e|chaos|bench|testbed|examples|house)\//;
const startsPrograms = /\bneeds\(|\bstartService\(|"node:child_process"|\bBun\.spawn|\brun(?:Program)?\(\[/;
/** Modules that start a real server or the program; the others of the testbed only describe them. */
const startsServers = /^(?:scripts\/testbed\/(?:process|run)|test\/e2e\/(?:[\w-]+\/)?\w+)\.ts$/;
/** They change what all code of a process shares: its modules, clock, environment, threads and built-in objects. */
const changesProcess =
  /\bvi\.(?:mock|spyOn|stub\w+|useFakeTimers)\(|\bprocess\.(?:chdir\(|on\(|env\.\w+ = )|\bdelete process\.env|\bguardIntrinsics\(/;

/** They look at what their process holds, or start test runs of their own. */
const looksAtProcess = /\bmemoryUsage\(|\/proc\/self|\bBun\.gc\(|vitest\.mjs/;

/** Set by `bun run test --quick`. */
export const quickVariable = "TEST_QUICK";

const found = (pattern: string) => [...new Bun.Glob(pattern).scanSync()].sort();
const needsMaterial = new Set(hasShared ? [] : found(corpusTests));
const kept = found("{test,plugins}/**/*.test.ts").filter((file) => !needsMaterial.has(file));
const textOf = (file: string) => readFileSync(file, "utf8");
const light = kept.filter((file) => !whole.test(file) && !startsPrograms.test(textOf(file)));

/** Of `--quick`: they need no root, no real server and no running service. */
export const quick = light.filter((file) => ![...importsOf(file)].some((one) => startsServers.test(one)));

/** They look at a sample of an enumeration, unless all of it is asked for. What is made at random is no such sample. */
export const sampling = kept.filter(
  (file) =>
    file !== "test/support/sampled.test.ts" &&
    importsOf(file, new Set(["test/support/runs.ts"])).has("test/support/sampled.ts"),
);

const wanted = process.env[quickVariable] === "1" ? quick : kept;
const canShare = new Set(light.filter((file) => !changesProcess.test(`${file}\n${textOf(file)}`)));
/** Files that share processes: starting one, and loading the source into it, takes as long as most of them. */
export const sharing = wanted.filter((file) => canShare.has(file));
/** They share as well, and mostly wait for programs and servers. */
export const waiting = wanted.filter((file) => !canShare.has(file) && !needsOwn(file));
const own = wanted.filter((file) => !canShare.has(file) && needsOwn(file));
/** Files with a process each. */
export const alone = own.filter((file) => !mocks(file));
/** They also replace modules of the source, which Vitest then has to load itself. */
export const mocking = own.filter(mocks);

function mocks(file: string): boolean {
  return textOf(file).includes("vi.mock(");
}

function needsOwn(file: string): boolean {
  const text = textOf(file);
  return changesProcess.test(`${file}\n${text}`) || looksAtProcess.test(text);
}

/** The modules of tests and scripts that a file imports, also through others. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || file.startsWith("src/") || !existsSync(file)) return seen;
  seen.add(file);
  for (const [, path = ""] of textOf(file).matchAll(/from "(\.[^"]+\.ts)"/g))
    importsOf(join(file, "..", path), seen);
  return seen;
}
