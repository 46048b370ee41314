import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredCheck } from "../../src/api/jobs/checks.ts";
import { expectedOf, judge } from "../../src/checks/judge.ts";
import { planOf } from "../../src/checks/plan.ts";
import { runs } from "../support/runs.ts";

const of = (more: Partial<StoredCheck>): StoredCheck => ({ command: "show x", ...more });

test.each([
  [{ contains: "up" }, "it is up", true, true],
  [{ contains: "up" }, "down", false, false],
  [{ not_contains: "err" }, "fine", true, false],
  [{ not_contains: "err" }, "an err", false, true],
  [{ matches: "^Lo\\d+ +up$" }, "Gi1 down\nLo7   up\nGi2 up", true, "Lo7   up"],
  [{ matches: "^up" }, "Lo7 up", false, null],
  [{ contains: "up" }, { output: "is up", exit_status: 0 }, true, true],
  [{ contains: '"up":true' }, { up: true }, true, true],
] as const)("condition %j on output %j: ok is %s", (condition, output, ok, value) => {
  expect(judge(of(condition), output)).toMatchObject({ ok, value });
});

test.each([
  [{ expression: "x" }, true, undefined, true, "The value is as expected."],
  [{ expression: "x" }, 1, undefined, false, "The value is 1, expected true."],
  [{ equals: [1, { a: null }] }, [1, { a: null }], undefined, true, "The value is as expected."],
  [{ equals: null }, null, undefined, true, "The value is as expected."],
  [{ equals: 3 }, "3", undefined, false, 'The value is "3", expected 3.'],
  [{ at_least: 2, at_most: 4 }, 4, undefined, true, "The value is as expected."],
  [{ at_least: 2 }, 1, undefined, false, "The value is 1, less than 2."],
  [{ at_most: 2 }, 3, undefined, false, "The value is 3, more than 2."],
  [{ at_least: 2 }, "9", undefined, false, 'The value is "9": a number is compared.'],
  [{ at_least: 0.55, relative: true }, 11, 20, true, "The value is as expected."],
  [
    { at_most: 1.1, relative: true },
    12,
    10,
    false,
    "The value is 12, more than 11 (1.1 of 10 before the push).",
  ],
  [
    { at_least: 0.5, relative: true },
    1,
    null,
    false,
    "The value before the push is null: a number is compared.",
  ],
  [{ unchanged: true }, { a: [1] }, { a: [1] }, true, "The value is as expected."],
  [{ unchanged: true }, [2], [1], false, "The value was [1] before the push and is [2]."],
] as const)(
  "condition %j on value %j, %j before the push: ok is %s",
  (condition, value, before, ok, message) => {
    const verdict = judge(of(condition), value, before === undefined ? undefined : { value: before });
    expect(verdict).toMatchObject({ ok, message });
  },
);

test("a huge output is searched in bounded time, and a huge value is truncated in the record", () => {
  expect(judge(of({ matches: "a+b" }), "a".repeat(5_000_000))).toMatchObject({ ok: false, value: null });
  const { value } = judge(of({ unchanged: true }), ["x".repeat(100_000)], { value: [] });
  expect(String(value)).toHaveLength(4_097);
});

test("only checks that compare with the previous value are measured before the push", () => {
  const changes = [of({ contains: "a" }), of({ unchanged: true }), of({ at_least: 1, relative: true })];
  const plan = planOf({ before: [of({ contains: "b" })], after: changes });
  expect(plan.before.map(({ phase, at, measured }) => [phase, at, measured])).toEqual([
    ["before", 0, false],
    ["after", 1, true],
    ["after", 2, true],
  ]);
  expect(plan.after).toHaveLength(3);
});

test("any verdict is plain data, and `unchanged` accepts equal values", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      expect(judge(of({ unchanged: true }), value, { value }).ok).toBe(true);
      const verdict = judge(of({ equals: other, at_least: 1 }), value);
      expect(JSON.stringify(verdict.value)).toBe(JSON.stringify(value));
    }),
    { numRuns: runs(200) },
  );
});

test("the record has the expectation without parsing options", () => {
  const check = of({ name: "n", expression: "$count($)", at_least: 2, setField: "platform", argsOnly: true });
  expect(expectedOf(check)).toEqual({ at_least: 2 });
  expect(expectedOf(of({ expression: "up" }))).toEqual({ equals: true });
});
