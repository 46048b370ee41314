/** From a validated body to the stored operation, or its errors. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { operationOptions } from "../../../src/api/jobs/request.ts";
import { admin, query } from "../../support/requests.ts";
import { base, connection, expectIssue, type IssueRow, useNode } from "../support.ts";

const node = useNode();

const rendering = { name: "jinja2", template: "x" };
const not_before = "2026-11-31T08:00:00Z";

describe("an invalid request", () => {
  const rows: IssueRow[] = [
    ["no driver", { connection_args: connection, command: "x" }, "driver", /is required/],
    ["unknown driver", { ...base, driver: "netmiki", command: "x" }, "driver", /Did you mean netmiko/],
    ["neither command nor config", base, "command", /one of/],
    ["command and config together", { ...base, command: "x", config: "y" }, "command", /cannot be combined/],
    ["empty command", { ...base, command: "" }, "command", /./],
    ["no commands", { ...base, command: [] }, "command", /./],
    ["control character", { ...base, command: "show\u0003" }, "command.0", /control/],
    ["line break", { ...base, command: ["show a\nreload"] }, "command.0", /one line/],
    [
      "Ctrl-D on a system that needs none",
      { ...base, config: "a\u0004" },
      "config.0",
      /platform does not declare/,
    ],
    ["control in config", { ...base, config: "a\u0000b" }, "config.0", /control/],
    ["a ttl of 0", { ...base, command: "x", options: { ttl: 0 } }, "options.ttl", /./],
    [
      "an unknown queue strategy",
      { ...base, command: "x", options: { queue_strategy: "canary" } },
      "options.queue_strategy",
      /./,
    ],
    [
      "driver_args of the wrong type",
      { ...base, command: "x", driver_args: { read_timeout: "canary" } },
      "driver_args.read_timeout",
      /number/,
    ],
    ["a request that is a list", [5], "", /./],
    // A list is not an object, whatever its items.
    ["options as a list", { ...base, command: "x", options: [{ ttl: 5 }] }, "options", /must be an object/],
    ["driver_args as a list", { ...base, command: "x", driver_args: ["save"] }, "driver_args", /an object/],
    [
      "connection_args as a list",
      { ...base, connection_args: [], command: "x" },
      "connection_args",
      /an object/,
    ],
    [
      "a template context as a list",
      { ...base, config: [{ a: 1 }], rendering },
      "config.0",
      /must be a string/,
    ],
    ["an empty config", { ...base, config: [] }, "config", /must not be empty/],
    ["a line that is a number", { ...base, config: ["a", 5] }, "config.1", /must be a string/],
    ["a command as a number", { ...base, command: 5 }, "command", /a string, or a list/],
    [
      "a list of commands with a number",
      { ...base, command: ["a", 5] },
      "command.1",
      /a string, or an object/,
    ],
    [
      "a misspelt dialogue",
      { ...base, command: [{ send: "a", expct: "b" }] },
      "command.0.expct",
      /not known/,
    ],
    [
      "not_before on an invalid date",
      { ...base, command: "x", options: { not_before } },
      "options.not_before",
      /a time/,
    ],
  ];
  test.each(rows)("is rejected with the field at fault: %s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

test("numbers and booleans may be strings, and null means not set", async () => {
  const parsing = {
    ...{ name: "textfsm", template: "Value X (.*)", args: null, strict: "false" },
    ...{ use_ntc_template: null, ntc_template_args: null, templates: null },
  };
  const lax = {
    ...base,
    command: ["show lax", { send: "show nulls", expect: null, reply: null, hidden: null }],
    driver_args: null,
    options: { ttl: "120", result_ttl: "600", retries: null, queue_strategy: null, webhook: null, parsing },
  };
  const id = await node().submit(lax);
  expect(v.parse(operationOptions, lax.options)).toMatchObject({ ttl: 120, result_ttl: 600 });
  expect(await node().ended(id)).toMatchObject({ status: "finished" });
});

test("the context of a template keeps the order of its keys and its number formats", async () => {
  const text = `{"driver":"netmiko","connection_args":${JSON.stringify(connection)},"config":{"b":1.0,"10":1,"a":1e2},"rendering":{"name":"jinja2","template":"ctx"}}`;
  const { id } = await node().jobs.submit({ text, value: JSON.parse(text) }, admin);
  const { result } = await node().ended(id);
  expect(Object.keys(result?.retval ?? {})).toEqual(['ctx {"b":1.0,"10":1,"a":1e2}']);
});

test("each command's output is parsed separately, and is kept if its template fails", async () => {
  const good = await node().ended(
    await node().submit(
      query("r1", ["show a", "show b"], { parsing: { name: "textfsm", template: "Value X (.*)" } }),
    ),
  );
  expect(good.result?.retval).toEqual({
    "show a": [{ B: 1, "10": "r1: show a" }],
    "show b": [{ B: 1, "10": "r1: show b" }],
  });
  const bad = await node().ended(
    await node().submit(query("r1", "show a", { options: { parsing: { name: "ttp", template: "bad" } } })),
  );
  expect(bad).toMatchObject({
    status: "failed",
    result: { retval: { "show a": "r1: show a" }, error: { type: "ParseError" } },
  });
});
