/** `compliance_report`: NAPALM's rules, and errors in a validation source. */
import { describe, expect, test } from "vitest";
import { complianceReport } from "../../../plugins/drivers/napalm/compliance.ts";
import { readValidation } from "../../../plugins/drivers/napalm/compliance-source.ts";
import { PluginError } from "../../../src/plugin/index.ts";

const facts = {
  os_version: "4.31.1F",
  uptime: 3600.5,
  interface_list: ["Ethernet1", "Ethernet2"],
  vendor: "Arista",
};

const report = (expected: object, actual: unknown = facts) =>
  complianceReport(readValidation([{ get_facts: expected }]).checks, async () => actual);

describe("a compliance report compares one value", () => {
  test.each<[string, unknown, unknown, boolean]>([
    ["a regular expression that matches", "^4\\.3", "4.31.1F", true],
    ["a regular expression that does not match", "^5", "4.31.1F", false],
    ["less than", "<10", 9.5, true],
    ["not less than", "<10", 10, false],
    ["at least", ">=10", 10, true],
    ["more than, with a number as string", ">10", "11", true],
    ["a comparison with text", ">10", "many", false],
    ["within a range", "10<->20", 20, true],
    ["outside a range", "10<->20", 20.5, false],
    ["within a percentage", "10%20", 18, true],
    ["outside a percentage", "10%20", 17.9, false],
    ["a literal text with special characters", "15.2(4)M3", "15.2(4)M3", true],
    ["a literal text as part of another", "15.2(4)M3", "IOS 15.2(4)M3", false],
    ["a number", 5, 5, true],
    ["a value of another type", 5, "5", false],
    ["a boolean as string", "True", true, true],
    ["a boolean", true, false, false],
  ])("with %s", async (_name, expected, actual, complies) => {
    expect(await report({ value: expected }, { value: actual })).toMatchObject({
      complies,
      get_facts: { present: { value: { complies, nested: false } } },
    });
  });
});

describe("a compliance report compares objects and lists", () => {
  test("and lists missing fields, in strict mode extra ones too", async () => {
    expect(await report({ vendor: "Arista", serial: "X" })).toMatchObject({
      complies: false,
      get_facts: { present: { vendor: { complies: true } }, missing: ["serial"], extra: [] },
    });
    expect(await report({ _mode: "strict", vendor: "Arista", os_version: "4" })).toMatchObject({
      complies: false,
      get_facts: { missing: [], extra: ["uptime", "interface_list"] },
    });
  });

  test("in any order, with nested differences", async () => {
    const two = { interface_list: { list: ["Ethernet2$", "Ethernet1$"], _mode: "strict" } };
    expect(await report(two)).toMatchObject({ complies: true });
    const three = { interface_list: { list: ["Ethernet3"], _mode: "strict" } };
    expect(await report(three)).toMatchObject({
      complies: false,
      get_facts: {
        present: {
          interface_list: {
            complies: false,
            nested: true,
            diff: { missing: ["Ethernet3"], extra: ["Ethernet1", "Ethernet2"], present: [] },
          },
        },
      },
    });
  });
});

test("methods with arguments and names are compared; unsupported ones skipped, errors reported", async () => {
  const source = [
    { ping: { _name: "ping_dns", _kwargs: { destination: "192.0.2.53" }, success: { packet_loss: 0 } } },
    { get_probes_config: {} },
    { get_users: {} },
  ];
  const calls: unknown[] = [];
  const { checks, faults } = readValidation(source);
  expect(faults).toEqual([]);
  const result = await complianceReport(checks, async ({ method, args }) => {
    calls.push(args);
    if (method === "get_users") throw new PluginError("CommandError", "not allowed");
    if (method !== "ping") throw new PluginError("DriverError", "no", { unsupported: true });
    return { success: { packet_loss: 0 } };
  });
  expect(calls[0]).toMatchObject({ destination: "192.0.2.53", count: 5 });
  expect(result).toMatchObject({
    ping_dns: { complies: true },
    get_probes_config: { skipped: true, reason: "NotImplemented" },
    get_users: { complies: false, error: { message: "not allowed" } },
    skipped: ["get_probes_config"],
    complies: false,
  });
});

test.each<[string, object, (string | number)[], RegExp]>([
  ["an unknown method", { get_fact: {} }, [0, "get_fact"], /not a method/],
  ["a wrong argument", { ping: { _kwargs: {} } }, [0, "ping", "_kwargs", "destination"], /./],
  [
    "a comparison with a word",
    { get_facts: { uptime: "<soon" } },
    [0, "get_facts", "uptime"],
    /must compare with a number/,
  ],
  [
    "an invalid regular expression",
    { get_facts: { vendor: "(" } },
    [0, "get_facts", "vendor"],
    /not a regular/,
  ],
  [
    "an expensive regular expression",
    { get_facts: { vendor: "(a+)+\\1$" } },
    [0, "get_facts", "vendor"],
    /forever/,
  ],
  ["an unknown mode", { get_facts: { _mode: "loose" } }, [0, "get_facts", "_mode"], /strict/],
])("a validation source is rejected before connecting: %s", (_name, entry, path, message) => {
  expect(readValidation([{ ...entry }]).faults).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test("a validation source is limited in depth and size", () => {
  let deep: object = {};
  for (let at = 0; at < 60; at++) deep = { a: deep };
  expect(readValidation([{ get_facts: deep }]).faults).toMatchObject([
    { message: expect.stringMatching(/levels/) },
  ]);
  const wide = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`k${at}`, 1]));
  expect(readValidation([{ get_facts: wide }]).faults).toMatchObject([
    { message: expect.stringMatching(/100000/) },
  ]);
});

test("a validation source is limited in the number of expressions", () => {
  const expected = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, `(a|b)+${at}`]));
  const plain = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, `10.0.0.${at}`]));
  expect(readValidation([{ get_facts: { ...plain, ...expected(5_000) } }]).faults).toEqual([]);
  expect(readValidation([{ get_facts: expected(5_100) }]).faults).toEqual([
    { path: [], message: "must not contain more than 5000 expressions" },
  ]);
});
