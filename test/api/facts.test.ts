/** Facts extracted from discovery responses. */
import { expect, test } from "vitest";
import { type DeviceFacts, factsOf } from "../../src/api/inventory/facts.ts";

const discovery = { device: "r1" };
const read = (platform: string | null, output: unknown, json?: string): DeviceFacts =>
  factsOf({
    discovery,
    platform,
    outputs: [{ command: "x", output, ...(json === undefined ? {} : { json }) }],
  });

test("facts are read from NAPALM's get_facts", () => {
  const facts = {
    ...{ vendor: "Arista", os_version: "4.24.1F", model: "vEOS", serial_number: "SN-1", hostname: "sw1" },
    ...{ uptime: 12, interface_list: ["Ethernet1"] },
  };
  expect(read("eos", facts)).toMatchObject({
    ...{ vendor: "Arista", version: "4.24.1F", model: "vEOS", serial: "SN-1", hostname: "sw1" },
    ...{ os: "eos", platform: "eos" },
  });
});

test("facts are read from TextFSM records, for a stack from the first member", () => {
  const record = {
    VERSION: "15.2(4)E",
    HARDWARE: ["WS-C2960X", "WS-C2960S"],
    SERIAL: ["A1", "B2"],
    HOSTNAME: "sw",
  };
  expect(read("cisco_ios", undefined, JSON.stringify([record]))).toMatchObject({
    ...{ vendor: "Cisco", version: "15.2(4)E", model: "WS-C2960X", serial: "A1", hostname: "sw" },
  });
});

test("facts of unparsed text are the version alone", () => {
  const text =
    "Huawei Versatile Routing Platform Software\nVRP (R) software, Version 5.170 (AR1000V V300R019)";
  expect(read("huawei", text)).toMatchObject({ vendor: "Huawei", version: "5.170", os: "huawei" });
});

test("facts of a hostile device are short single lines or absent", () => {
  const facts = read(null, {
    model: `a\n${"x".repeat(100_000)}`,
    serial: { a: 1 },
    version: [],
    hostname: "",
  });
  expect(facts.model).toHaveLength(256);
  expect(facts.model).not.toContain("\n");
  expect([facts.serial, facts.version, facts.hostname, facts.platform]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(read(null, undefined, "null")).toEqual({});
  expect(read(null, undefined, '[null, 7, "x"]')).toMatchObject({});
});
