import { expect, test } from "vitest";
import { nearNames } from "../../../src/base/text/near-names.ts";

const names = [
  "cisco_ios",
  "cisco_xe",
  "cisco_xr",
  "cisco_nxos",
  "juniper_junos",
  "huawei",
  "hp_comware",
  "arista_eos",
  "linux",
];

test.each([
  ["cisco_is", "cisco_ios"],
  ["Cisco-IOS", "cisco_ios"],
  ["ios", "cisco_ios"],
  ["junos", "juniper_junos"],
  ["huawie", "huawei"],
  ["comware", "hp_comware"],
  ["arista", "arista_eos"],
])("for %s the first suggestion is %s", (given, expected) => {
  expect(nearNames(given, names)[0]).toBe(expected);
});

test("nothing is suggested for an unrelated name, and the number of suggestions is limited", () => {
  expect(nearNames("mainframe_zos", names)).toEqual([]);
  expect(nearNames("x".repeat(100_000), names)).toEqual([]);
  expect(nearNames("cisco_ios", names, 2)).toHaveLength(2);
});
