import { expect, test } from "vitest";
import { type CheckReport, pushPhases } from "../../src/api/jobs/checks.ts";
import {
  lostReport,
  outcomeOf,
  readCheckNote,
  readCheckReport,
  splitResult,
  withChecks,
} from "../../src/checks/report.ts";

const report: CheckReport = {
  before: [],
  after: [{ command: 'show "checks"', ok: true, value: { checks: { a: 1 } }, expected: {}, message: "m" }],
  pushed: true,
  undone: "unknown",
  how: "rollback",
  message: 'a,"checks":{}',
};

test("the outcome of a push never claims more than is known", () => {
  const words = [
    undefined,
    { pushed: false, undone: false },
    { pushed: true, undone: true },
    { pushed: "unknown", undone: true },
    { pushed: true, undone: false },
    { pushed: true, undone: "unknown" },
    { pushed: "unknown", undone: false },
  ] as const;
  expect(words.map((told) => outcomeOf(told))).toEqual([
    ...["not_pushed", "not_pushed", "undone", "undone", "not_undone", "unknown", "unknown"],
  ]);
});

test("the checks of a stored result are extracted unchanged", () => {
  for (const retval of ["null", '{"a":1.0}', '{"x":{"checks":{"b":2}}}', '{"t":",\\"checks\\":{}"}']) {
    const result = `{"type":"success","retval":${retval},"error":null}`;
    expect(splitResult(result)).toEqual({ result });
    const stored = withChecks(result, report);
    expect(JSON.parse(stored)).toHaveProperty("checks", report);
    const split = splitResult(stored);
    expect(split.result).toBe(result);
    expect(JSON.parse(split.checks ?? "")).toEqual(report);
  }
  const error = '{"type":"failed","retval":null,"error":{"type":"x","checks":{"c":{}}}}';
  expect(splitResult(error)).toEqual({ result: error });
});

test("the report after a lost worker claims only what was recorded before", () => {
  const reports = pushPhases.map((phase) => lostReport({ phase, how: "confirmed_commit", before: [] }));
  expect(reports.map(({ pushed, undone }) => [pushed, undone])).toEqual([
    ["unknown", "unknown"],
    [true, "unknown"],
    [true, "unknown"],
    [true, "unknown"],
  ]);
  for (const { message } of reports)
    expect(message).toMatch(/unknown.*\. The device reverts an unconfirmed change by itself/);
  expect(lostReport({ phase: "after", how: "none", before: [] }).undone).toBe(false);
});

test("notes and reports of another form are ignored", () => {
  expect(readCheckNote("{")).toBeUndefined();
  expect(readCheckNote('{"phase":"later"}')).toBeUndefined();
  expect(readCheckReport({ checks: true })).toBeUndefined();
  expect(readCheckReport(report)).toEqual(report);
});
