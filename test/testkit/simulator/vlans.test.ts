import { expect, test } from "vitest";
import { withVlans } from "../../../src/testkit/simulator/terminal/vlans.ts";

const table = [
  "VLAN Name                             Status    Ports",
  "---- -------------------------------- --------- -------------------------------",
  "1    default                          active    Gi1/0/1",
  "10   users                            active",
].join("\n");

test("VLANs that were configured stand in the table beside the recorded ones, each once", () => {
  const lines = [
    "hostname sw1",
    "vlan 10",
    " name other",
    "vlan 30,40-41",
    "vlan 20",
    " name guests",
    "interface Vlan99",
  ];
  expect(withVlans(table, lines).slice(table.length)).toBe(
    [
      "",
      "20   guests                           active",
      "30   VLAN0030                         active",
      "40   VLAN0040                         active",
      "41   VLAN0041                         active",
    ].join("\n"),
  );
});

test("other texts stay as they are", () => {
  expect(withVlans("Vlan1 is up\n", ["vlan 20"])).toBe("Vlan1 is up\n");
});
