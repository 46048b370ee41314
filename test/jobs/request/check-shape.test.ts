/** Too many checks are refused before any is parsed; parsing yields to other work between expressions. */
import { expect, test } from "vitest";
import { shapeIssues } from "../../../src/jobs/request/check-shape.ts";

test("a request with more than 50 checks is rejected before any check is parsed", async () => {
  const check = { command: "show version", expression: "(" };
  const issues = await shapeIssues({ after: Array.from({ length: 60 }, () => ({ ...check })) });
  expect(issues).toEqual([{ path: "", message: expect.stringMatching(/has 60 checks: 50 at most/) }]);
});

test("the event loop gets turns while many checks are parsed", async () => {
  let turns = 0;
  let ended = false;
  const count = () => {
    turns++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const after = Array.from({ length: 20 }, (_, at) => ({ command: "show version", expression: `a.b${at}` }));
  expect(await shapeIssues({ after })).toEqual([]);
  ended = true;
  expect(turns).toBeGreaterThanOrEqual(5);
});
