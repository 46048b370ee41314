/** Which files of a run are to be looked at again: those with a failed test, and those that were not run to their end. */
import { existsSync, readFileSync } from "node:fs";
import * as v from "valibot";

const report = v.object({
  testResults: v.array(
    v.object({
      /** Absolute path. */
      name: v.string(),
      status: v.string(),
      assertionResults: v.array(v.object({ status: v.string() })),
    }),
  ),
});

/**
 * A process that dies takes the rest of its files with it: Vitest reports them as passed, with tests that are pending,
 * or not at all.
 * @param path of Vitest's JSON report
 * @param run absolute paths of the files that it was to run
 * @returns of these; none if there is no report: the run ended before its first test
 */
export function badFiles(path: string, run: readonly string[]): string[] {
  if (!existsSync(path)) return [];
  const { testResults } = v.parse(report, JSON.parse(readFileSync(path, "utf8")));
  const good = testResults.filter(
    ({ status, assertionResults: tests }) => status === "passed" && tests.every(hasEnded),
  );
  const names = new Set(good.map(({ name }) => name));
  return run.filter((file) => !names.has(file));
}

const hasEnded = ({ status }: { status: string }) => status !== "pending";
