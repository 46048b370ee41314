/** The words and signs of the design are those that the console shows. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jobStatuses } from "../../src/api/jobs/job.ts";
import { text } from "../../src/console/text/text.ts";

test("the table of words has every status with its sign", () => {
  const page = readFileSync("docs/background/console-design.md", "utf8").split("\n## Words\n")[1] ?? "";
  const signs = readFileSync("src/console/parts/status.tsx", "utf8");
  const rows = [...page.matchAll(/^\| (\S) \| (\w+) \|/gm)].map(([, sign, word]) => [word, sign]);
  expect(rows.map(([word]) => word).sort()).toEqual(jobStatuses.map((status) => text.status[status]).sort());
  for (const [word, sign] of rows) expect(signs).toContain(`${word}: "${sign}"`);
});
