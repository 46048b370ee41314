import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readChecks } from "../../../src/client/input/checks.ts";
import { blockOf } from "../../../src/client/output/results.ts";
import { jobRecord } from "../../http/doubles/records.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
afterAll(folder.remove);

test.each([
  [
    "after: show ip bgp summary contains Established",
    { after: [{ command: "show ip bgp summary", contains: "Established" }] },
  ],
  ["before:show x not contains a b", { before: [{ command: "show x", not_contains: "a b" }] }],
  ["after: show ip route matches ^B +10", { after: [{ command: "show ip route", matches: "^B +10" }] }],
  ["after: show run unchanged", { after: [{ command: "show run", unchanged: true }] }],
  [
    "both: show x | include y contains z contains w",
    both({ command: "show x | include y", contains: "z contains w" }),
  ],
])("the flag --check %j is parsed", (text, checks) => {
  expect(readChecks({ check: [text] })).toEqual(checks);
});

function both(check: object) {
  return { before: [check], after: [check] };
}

test.each([
  "show x contains y",
  "later: show x contains y",
  "after: contains y",
  "after: show x",
  "after: show x contains",
])("the flag --check %j is rejected with the expected form", (text) => {
  expect(() => readChecks({ check: [text] })).toThrow(/write before:, after: or both:/);
});

test("--checks, --check and the common flags are combined", () => {
  const file = join(folder.path, "checks.yaml");
  writeFileSync(
    file,
    "after:\n  - command: show a\n    expression: $count($)\n    at_least: 2\nsettle_seconds: 5\n",
  );
  const flags = { checks: file, check: ["both: show b contains c"], settle: "7", onFailure: "keep" };
  const b = { command: "show b", contains: "c" };
  expect(readChecks(flags)).toEqual({
    before: [b],
    after: [{ command: "show a", expression: "$count($)", at_least: 2 }, b],
    settle_seconds: 7,
    on_failure: "keep",
  });
  expect(readChecks({})).toBeUndefined();
  expect(() => readChecks({ settle: "5" })).toThrow(/need --check/);
  expect(() => readChecks({ check: ["after: a contains b"], settle: "x" })).toThrow(/--settle/);
  writeFileSync(file, "after: 5");
  expect(() => readChecks({ checks: file })).toThrow(/must be a list/);
});

test("each check result is printed on its line, without control characters", () => {
  const result = {
    ...{ command: "show \u001b[2Jx", ok: false, message: "The value is 1." },
    ...{ value: 1, expected: 2 },
  };
  const checks = {
    before: [{ ...result, ok: null }],
    after: [result],
    ...{ pushed: true, undone: true, how: "rollback" as const },
    message: "The lines were rolled back.",
  };
  const job = { ...jobRecord(1), operation: "config" as const, result: null, checks };
  const text = blockOf(job, { paint: (_colour, word) => word });
  expect(text).toMatch(/^check before: not judged: show .*x: The value is 1\.$/m);
  expect(text).toMatch(/^check after: failed: /m);
  expect(text).toContain("The lines were rolled back.");
  expect(text).not.toContain("\u001b");
});
