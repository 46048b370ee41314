import { expect, test } from "vitest";
import { nearNames } from "../../src/base/near-names.ts";

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
])("%s is near %s", (given, expected) => {
  expect(nearNames(given, names)[0]).toBe(expected);
});

test("nothing is near to nonsense, and little is near to much", () => {
  expect(nearNames("mainframe_zos", names)).toEqual([]);
  expect(nearNames("x".repeat(100_000), names)).toEqual([]);
  expect(nearNames("cisco_ios", names, 2)).toHaveLength(2);
});
