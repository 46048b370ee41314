/** Checks in a request: what is refused with which field, and what is reported before the push. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import type { DriverPlugin } from "../../../src/plugin/index.ts";
import { plainDriver, plainRegistry } from "../../support/plugins.ts";
import { admin, bodyOf, configure, query } from "../../support/requests.ts";
import { expectIssue, type IssueRow, useNode } from "../support.ts";

const able: DriverPlugin = {
  ...plainDriver("able", "pinned"),
  undo: (_connection, _args, platform) => (platform("cisco_ios") ? "rollback" : undefined),
  excludesChecks: (args) =>
    v.is(v.object({ save: v.literal(true) }), args)
      ? [{ path: "driver_args.save", message: "saves before the checks" }]
      : [],
};
const plugins = plainRegistry();
plugins.add(able, "builtin");
const node = useNode({ plugins });

const ok = { command: "show x", contains: "y" };
const push = (checks: object, more: object = {}) => configure("r1", ["a"], { checks, ...more });
const late = (check: object) => push({ after: [{ command: "show x", ...check }] });

describe("a push with invalid checks", () => {
  const rows: IssueRow[] = [
    ["a query", query("r1", "show a", { checks: { before: [ok] } }), "checks", /does not apply to a query/],
    ["no checks at all", push({}), "checks", /neither/],
    [
      "checks in options",
      configure("r1", ["a"], { options: { checks: { before: [] } } }),
      "options.checks",
      /neither/,
    ],
    ["an unknown field", push({ befor: [ok] }), "checks.befor", /./],
    ["a mistyped condition", late({ contain: "y" }), "checks.after.0.contain", /./],
    ["51 checks before the push", push({ before: Array(51).fill(ok) }), "checks.before", /./],
    [
      "51 checks in total",
      push({ before: Array(26).fill(ok), after: Array(25).fill(ok) }),
      "checks",
      /50 at most/,
    ],
    [
      "a check without a command",
      push({ before: [{ contains: "y" }] }),
      "checks.before.0.command",
      /required/,
    ],
    [
      "a line break in a command",
      push({ before: [{ ...ok, command: "show a\nreload" }] }),
      "checks.before.0.command",
      /one line/,
    ],
    [
      "a carriage return in a command",
      push({ before: [{ ...ok, command: "a\rb" }] }),
      "checks.before.0.command",
      /one line/,
    ],
    ["a check without a condition", late({}), "checks.after.0", /has no expectation/],
    [
      "contains and matches together",
      late({ contains: "a", matches: "b" }),
      "checks.after.0",
      /cannot be combined/,
    ],
    [
      "contains and equals together",
      late({ contains: "a", equals: 1 }),
      "checks.after.0",
      /cannot be combined/,
    ],
    [
      "contains on parsed records",
      late({ contains: "a", parse: { name: "ttp", template: "x" } }),
      "checks.after.0",
      /parse/,
    ],
    [
      "a number expected of unparsed text",
      late({ at_least: 1 }),
      "checks.after.0",
      /use an expression to get one/,
    ],
    [
      "relative without at_least or at_most",
      late({ expression: "x", relative: true }),
      "checks.after.0.relative",
      /at_least/,
    ],
    [
      "unchanged in a check before the push",
      push({ before: [{ command: "x", unchanged: true }] }),
      "checks.before.0",
      /move the check to `after`/,
    ],
    ["unchanged: false", late({ unchanged: false }), "checks.after.0.unchanged", /must be true/],
    ["a wrong expression", late({ expression: "$count(" }), "checks.after.0.expression", /JSONata/],
    [
      "an expression that is too long",
      late({ expression: "x".repeat(4_097) }),
      "checks.after.0.expression",
      /./,
    ],
    ["an invalid regular expression", late({ matches: "(" }), "checks.after.0.matches", /regular expression/],
    ["a regular expression with a backreference", late({ matches: "(a)\\1" }), "checks.after.0.matches", /./],
    [
      "a regular expression with a lookahead",
      late({ matches: "a(?=b)" }),
      "checks.after.0.matches",
      /simplify it/,
    ],
    [
      "an unknown parser",
      late({ parse: { name: "ttpp" }, equals: 1 }),
      "checks.after.0.parse.name",
      /Did you mean/,
    ],
    [
      "a template that is a file name",
      late({ parse: { name: "ttp", template: "bgp.ttp" }, equals: 1 }),
      "checks.after.0.parse.template",
      /./,
    ],
    [
      "settle_seconds without checks after the push",
      push({ before: [ok], settle_seconds: 5 }),
      "checks.settle_seconds",
      /needs checks in `after`/,
    ],
    [
      "settle_seconds above the maximum",
      push({ after: [ok], settle_seconds: 601 }),
      "checks.settle_seconds",
      /./,
    ],
    [
      "settle_seconds as long as the ttl",
      push({ after: [ok], settle_seconds: 60 }, { ttl: 60 }),
      "checks.settle_seconds",
      /ttl/,
    ],
    ["an unknown on_failure", push({ after: [ok], on_failure: "panic" }), "checks.on_failure", /./],
    ["checks that are a number", configure("r1", ["a"], { checks: 5 }), "checks", /./],
  ];
  test.each(rows)("is rejected with the field at fault: %s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

test("a push with checks to a device without rollback gets a warning, unless on_failure is keep", async () => {
  const warned = async (request: object) => (await node().jobs.submit(bodyOf(request), admin)).warnings;
  expect((await warned(push({ after: [ok] })))?.join()).toMatch(/netmiko cannot guarantee a rollback/);
  expect(await warned(push({ before: [ok] }))).toBeUndefined();
  expect(await warned(push({ after: [ok], on_failure: "keep" }))).toBeUndefined();
  expect(await warned({ ...push({ after: [ok] }), driver: "able" })).toBeUndefined();
});

test("driver_args that conflict with checks are rejected with the driver's own message", async () => {
  const request = { ...push({ before: [ok] }), driver: "able", driver_args: { save: true } };
  await expectIssue(node(), request, "driver_args.save", /saves before the checks/);
});

test("a bulk entry that replaces the push with a query fails alone when checks are shared", async () => {
  const { connection_args, ...shared } = push({ before: [ok] }) as Record<string, unknown>;
  const bulk = { ...shared, connection_args, devices: [{ host: "r2" }, { host: "r3", command: "show a" }] };
  const answer = await node().jobs.bulk(bodyOf(bulk), admin);
  expect(answer.succeeded).toHaveLength(1);
  expect(answer.failed_jobs).toMatchObject([{ host: "r3", reason: expect.stringMatching(/^checks: /) }]);
  const wrong = { ...bulk, checks: { before: [{ command: "x" }] } };
  await expect(node().jobs.bulk(bodyOf(wrong), admin)).rejects.toMatchObject({ kind: "Validation" });
});
