/** Devices from CSV, YAML and lines, from a file or standard input. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCredential, readDevices } from "../../../src/client/rooms/inventory.ts";
import { tempFolder } from "../../../src/testkit/service.ts";

const folder = tempFolder();
function devicesOf(name: string, text: string, mode = 0o644) {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return readDevices(`@${file}`, () => "");
}
const piped = (text: string) => readDevices("-", () => text);

test("devices are read from CSV with quotes, numbers, booleans and empty cells", () => {
  const text =
    '\ufeffhost,port,device_type,driver,username,note,fast\r\nr1,2222,cisco_ios,,admin,"a ""b"", c",true\r\n\r\n"r[2-3]",,,other,007,,\r\n';
  expect(devicesOf("devices.csv", text)).toEqual([
    {
      fields: {
        host: "r1",
        port: 2222,
        device_type: "cisco_ios",
        username: "admin",
        note: 'a "b", c',
        fast: true,
      },
    },
    { driver: "other", fields: { host: "r2", username: "007" } },
    { driver: "other", fields: { host: "r3", username: "007" } },
  ]);
});

test("devices are read from YAML with shared defaults", () => {
  const text =
    "defaults: {device_type: cisco_ios, credential: 'env:core'}\ndevices:\n  - r1\n  - {host: r2, port: 22}\n";
  expect(devicesOf("devices.yaml", text)).toEqual([
    { fields: { host: "r1", device_type: "cisco_ios", credential: { name: "env", ref: "core" } } },
    { fields: { host: "r2", port: 22, device_type: "cisco_ios", credential: { name: "env", ref: "core" } } },
  ]);
});

test.each([
  ["lines with comments", "# core\nr1\nr2:2222 # second\n", ["r1", "r2"]],
  ["CSV", "host\nr1\n", ["r1"]],
  ["YAML", "- r1\n- {host: r2}\n", ["r1", "r2"]],
  ["JSON", '[{"host": "r1"}]', ["r1"]],
])("devices are read from standard input as %s", (_name, text, hosts) => {
  expect(piped(text).map(({ fields }) => fields.host)).toEqual(hosts);
});

describe("an invalid device file is rejected", () => {
  test.each([
    ["host,port\nr1,22,cisco_ios\n", "row 2 has 3 cells"],
    ['host\n"r1\n', "line 2: a quote is not closed"],
    ["host,port\n,22\n", "row 2: there is no host"],
    ["- {name: r1}\n", "device 1: there is no host"],
    ["devices: 3\n", "must be a list"],
    ["", "There is no host"],
  ])("with the position: %j", (text, problem) => {
    expect(() => piped(text)).toThrow(problem);
  });

  test("if it has passwords and others may read it", () => {
    const text = "host,username,password\nr1,admin,hunter22\n";
    expect(() => devicesOf("open.csv", text)).toThrow(/mode is 0644: others may read it\. Run chmod 600/);
    expect(devicesOf("closed.csv", text, 0o600)).toEqual([
      { fields: { host: "r1", username: "admin", password: "hunter22" } },
    ]);
  });

  test("if it does not exist", () => {
    expect(() => readDevices("@/none", () => "")).toThrow("/none cannot be read");
  });
});

test("a credential is a reference or fields of its source", () => {
  expect(readCredential("env:core")).toEqual({ name: "env", ref: "core" });
  expect(readCredential("vault_kv:path=network/core,version=3")).toEqual({
    name: "vault_kv",
    path: "network/core",
    version: "3",
  });
  expect(() => readCredential("core")).toThrow("not a credential");
});
