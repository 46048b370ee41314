/** Lines that revert one configuration to another. */
import { describe, expect, test } from "vitest";
import {
  linesToAdd,
  linesToRemove,
  missingEntries,
  parseConfiguration,
  targetOf,
} from "../../../../src/device/cli/push/config-diff.ts";

const before = `frr version 8.4.4
hostname R1
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 neighbor 10.0.0.2 description peer
 !
 address-family ipv4 unicast
  network 10.1.0.0/24
  no neighbor 10.0.0.2 activate
 exit-address-family
exit
!
end`;
const after = before
  .replace("65002", "65003")
  .replace("  no neighbor 10.0.0.2 activate\n", "")
  .replace(
    "!\nend",
    "ip route 10.9.0.0/16 10.0.0.2\n!\nroute-map OUT permit 10\n match metric 7\nexit\n!\nend",
  );

const backOf = (was: string, is: string, tries = new Map<string, number>()) => ({
  places: linesToAdd(missingEntries(parseConfiguration(was), parseConfiguration(is))),
  removes: linesToRemove(missingEntries(parseConfiguration(is), parseConfiguration(was)), "no", tries),
});

test("a configuration of 100,000 lines is parsed in linear time", () => {
  // If each line were compared with the rest of the text, this would take minutes.
  const lines = Array.from({ length: 100_000 }, (_, at) => `${at % 10 === 0 ? "" : " "}line ${at}`);
  const tree = parseConfiguration(lines.join("\n!\n"));
  expect(tree.size).toBe(lines.length);
  expect(tree.get("line 0")?.opens).toBe(true);
  expect(tree.get("line 99990\nline 99999")?.opens).toBe(false);
});

describe("the lines that revert a configuration", () => {
  test("restore replaced lines and negate added ones, each in its context", () => {
    expect(backOf(before, after)).toEqual({
      places: [
        [
          "router bgp 65001",
          "neighbor 10.0.0.2 remote-as 65002",
          "address-family ipv4 unicast",
          "no neighbor 10.0.0.2 activate",
        ],
      ],
      removes: [
        ["no route-map OUT permit 10"],
        ["no ip route 10.9.0.0/16 10.0.0.2"],
        ["router bgp 65001", "no neighbor 10.0.0.2 remote-as 65003"],
      ],
    });
  });

  test("empty a context that cannot be removed, and shorten negations that are refused", () => {
    const tries = new Map<string, number>();
    const was = "hostname R1";
    const is = "hostname R1\ninterface eth0\n description the uplink\n shutdown\nexit";
    const removes = () => backOf(was, is, tries).removes;
    expect(removes()).toEqual([["no interface eth0"]]);
    expect(removes()).toEqual([
      ["interface eth0", "no shutdown", "no description the uplink", "exit", "no interface eth0"],
    ]);
    expect(removes().flat()).toContain("no description the");
    expect(removes().flat()).toContain("no description");
  });

  test("leave one context before entering the next", () => {
    const was =
      "router bgp 1\n address-family ipv4\n  a b\n exit\n address-family ipv6\n  c d\n exit\n e f\nexit";
    expect(backOf(was, "router bgp 1").places).toEqual([
      [
        ...["router bgp 1", "address-family ipv4", "a b", "exit"],
        ...["address-family ipv6", "c d", "exit", "e f"],
      ],
    ]);
  });

  test("keep what others have changed in the meantime", () => {
    const now = parseConfiguration(
      `${after.replace("hostname R1", "hostname R9")}\nip route 10.7.0.0/16 10.0.0.2`,
    );
    const target = [...targetOf(parseConfiguration(before), parseConfiguration(after), now).keys()];
    expect(target).toContain("hostname R9");
    expect(target).not.toContain("hostname R1");
    expect(target).toContain("ip route 10.7.0.0/16 10.0.0.2");
    expect(target).not.toContain("ip route 10.9.0.0/16 10.0.0.2");
    expect(target).toContain("router bgp 65001\nneighbor 10.0.0.2 remote-as 65002");
  });
});
