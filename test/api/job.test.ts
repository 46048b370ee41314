/** Job status names, including older ones. */
import { expect, test } from "vitest";
import { isFinal, jobStatuses, statusNamed } from "../../src/api/jobs/job.ts";

test("finished, failed and cancelled are final states", () => {
  expect(jobStatuses.filter(isFinal)).toEqual(["finished", "failed", "cancelled"]);
});

test("status names of older clients are understood", () => {
  expect(statusNamed("started")).toBe("running");
  expect(statusNamed("canceled")).toBe("cancelled");
  for (const status of jobStatuses) expect(statusNamed(status)).toBe(status);
});
