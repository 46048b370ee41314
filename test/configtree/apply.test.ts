/** What FRR keeps of lines that say less, more or something else than what is there: as tried on its daemons. */
import { expect, test } from "vitest";
import { comwareRunning, frrRunning, iosRunning } from "../../plugins/platforms/family/running.ts";
import { apply } from "../../src/configtree/apply.ts";
import { anyOf, longestLine } from "../../src/configtree/rules.ts";

const bgp = "router bgp 65001";

/** What is meant, what is there, the lines, and what is left. */
const cases: [string, string, readonly string[], string][] = [
  [
    "the same with less keeps what was said with more",
    `${bgp}
 address-family ipv4 unicast
  redistribute static route-map RM-X`,
    [bgp, " address-family ipv4 unicast", "  redistribute static"],
    `${bgp}
 address-family ipv4 unicast
  redistribute static route-map RM-X`,
  ],
  [
    "a line of an address family that is given outside it",
    `${bgp}
 neighbor 192.0.2.9 remote-as 65002`,
    [bgp, " network 10.0.0.0/8"],
    `${bgp}
 neighbor 192.0.2.9 remote-as 65002
 address-family ipv4 unicast
  network 10.0.0.0/8`,
  ],
  [
    "networks and numbers are written anew",
    "",
    ["ip route 10.1.2.3/8 192.0.2.1", "ip prefix-list PL seq 010 permit 10.1.2.3/16"],
    "ip route 10.0.0.0/8 192.0.2.1\nip prefix-list PL seq 10 permit 10.1.0.0/16",
  ],
  [
    "another value removes it too",
    `${bgp}
 neighbor 192.0.2.9 remote-as 65002
 neighbor 192.0.2.9 description x
 bgp router-id 192.0.2.1`,
    [bgp, " no neighbor 192.0.2.9 remote-as 7"],
    `${bgp}
 bgp router-id 192.0.2.1`,
  ],
  [
    "what is not there is not turned off",
    "hostname R1",
    ["no ip route 10.0.0.0/8 192.0.2.1", "interface eth8", " no description"],
    "hostname R1",
  ],
  [
    "a list has an entry once",
    "ip prefix-list PL seq 5 permit 10.0.0.0/8",
    ["ip prefix-list PL seq 7 permit 10.0.0.0/8"],
    "ip prefix-list PL seq 5 permit 10.0.0.0/8",
  ],
  [
    "a section that gets another first line keeps what stands in it",
    "route-map RM deny 10\n set metric 5",
    ["route-map RM permit 10", " set local-preference 7"],
    "route-map RM permit 10\n set metric 5\n set local-preference 7",
  ],
  [
    "a line behind a setting does not stand in it, however it is indented",
    bgp,
    [bgp, " neighbor 192.0.2.9 remote-as 65002", "   neighbor 192.0.2.9 description x"],
    `${bgp}
 neighbor 192.0.2.9 remote-as 65002
 neighbor 192.0.2.9 description x`,
  ],
];

test.each(cases)("%s", (_name, before, lines, after) => {
  const meant = (text: string) =>
    text
      .split("\n")
      .filter((line) => !/^\s*exit/.test(line) && line !== "")
      .sort();
  expect(meant(apply(before, lines, frrRunning).text)).toEqual(meant(after));
});

const trunk = "interface GE1\n port trunk permit vlan 10 to 12\n#\n ssh server enable\n";
test.each([
  ["undo port trunk permit vlan 11", "replaces"],
  ["undo port trunk permit vlan 99", "nothing"],
  ["port trunk permit vlan 20", "replaces"],
  ["port trunk permit vlan 10 12", "nothing"],
])("what a line does to a list is told, in its negated form too: %s", (line, effect) => {
  const { lines } = apply(trunk, ["interface GE1", ` ${line}`], comwareRunning);
  expect(lines.map((told) => told.effect)).toEqual(["enters", effect]);
});

test("a setting that Comware shows behind a divider, with a blank before it, stands at the top", () => {
  expect(apply(trunk, ["undo ssh server enable"], comwareRunning)).toMatchObject({
    lines: [{ effect: "removes", path: [] }],
    text: "interface GE1\n port trunk permit vlan 10 to 12\n",
  });
});

test("no pattern is asked about a line that is longer than any of a configuration", () => {
  let asked = 0;
  const pattern = {
    source: "^section",
    exec: () => null,
    test: () => {
      asked++;
      return false;
    },
  };
  const opens = anyOf([pattern]);
  expect([opens("x".repeat(longestLine)), asked]).toEqual([false, 1]);
  expect([opens("x".repeat(400_000)), asked]).toEqual([false, 1]);
  const line = `description ${"x".repeat(400_000)}`;
  const { text } = apply("hostname a\n", ["interface lo", ` ${line}`, "exit"], iosRunning);
  expect(text).toContain(`\n ${line}\n`);
});
