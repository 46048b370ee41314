/** Address spellings that a resolver accepts although they are not plain addresses. */
import { expect, test } from "vitest";
import { addressesSpelled } from "../../../src/base/net/address-spelling.ts";

test.each<[string, string[]]>([
  ["0x0a010001", ["10.1.0.1"]],
  ["167837697", ["10.1.0.1"]],
  ["10.65537", ["10.1.0.1"]],
  ["10.1.1.", ["10.1.0.1"]],
  ["010.1.0.1", ["8.1.0.1", "10.1.0.1"]],
  ["r1", []],
  ["10.1.0.1.example", []],
  ["4294967296", []],
])("the host %s spells the addresses that a resolver would use", (host, addresses) => {
  expect(addressesSpelled(host)).toEqual(addresses);
});
