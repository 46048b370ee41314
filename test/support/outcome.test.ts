/** Of a run in which a process died, no file is lost. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { badFiles } from "./outcome.ts";
import { temporary } from "./temporary.ts";

const result = (name: string, status: string, ...tests: string[]) => ({
  name,
  status,
  assertionResults: tests.map((one) => ({ status: one })),
});

test("files that failed, were cut off or are not in the report are bad", () => {
  const folder = temporary();
  const path = join(folder.path, "report.json");
  const testResults = [
    result("/t/good.test.ts", "passed", "passed", "skipped"),
    result("/t/red.test.ts", "failed", "passed", "failed"),
    result("/t/not-loaded.test.ts", "failed"),
    result("/t/cut.test.ts", "passed", "passed", "pending"),
  ];
  writeFileSync(path, JSON.stringify({ testResults }));
  const run = ["good", "red", "not-loaded", "cut", "never-begun"].map((name) => `/t/${name}.test.ts`);
  expect(badFiles(path, run)).toEqual(run.slice(1));
  expect(badFiles(join(folder.path, "none.json"), run)).toEqual([]);
  folder.remove();
});
