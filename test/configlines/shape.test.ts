/** Shapes of lines: keywords stay, and nothing that is a name, a value or a secret. */
import { expect, test } from "vitest";
import { keywords } from "../../src/configlines/keywords.ts";
import { isShape, sectionOf, shapeOf } from "../../src/configlines/shape.ts";
import { sampleOf } from "../../src/rehearsal/device-words.ts";
import { randomFrom } from "../configtree/frr-configurations.ts";

test.each([
  ["neighbor 192.0.2.9 remote-as 65002", "neighbor <ip> remote-as <n>"],
  ["neighbor 2001:db8::9 route-map RM-IN in", "neighbor <ip6> route-map <word> in"],
  ["ip address 10.0.0.1/24", "ip address <prefix>"],
  ["interface GigabitEthernet0/1", "interface <interface>"],
  ["description to the core, admin", "description <text>"],
  ["username admin privilege 15 secret 9 $9$abc", "username <word> privilege <n> secret <n> <secret>"],
  ["snmp-server community public RO", "snmp-server community <secret> <secret>"],
  ["neighbor 192.0.2.9 password <secret ab12cd>", "neighbor <ip> password <secret>"],
  ["switchport trunk allowed vlan 10,20-30", "switchport trunk allowed vlan <numbers>"],
  ["netghbor 192.0.2.9 remote-as 65002", "<word> <ip> remote-as <n>"],
  ['set system login message "hello admin"', "set system login message <text>"],
])("%s is %s", (line, shape) => {
  expect(shapeOf(line).shape).toBe(shape);
});

test("sections are named by their keywords", () => {
  expect(sectionOf(["router bgp 65001", "address-family ipv4 unicast"])).toBe(
    "router bgp > address-family ipv4 unicast",
  );
});

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/$#@!%";

test("no value is left of 5,000 random lines, and a secret is none although it is a keyword", () => {
  const all = [...keywords];
  for (let seed = 1; seed <= 5_000; seed++) {
    const { one, below, some } = randomFrom(seed);
    const value = () => Array.from({ length: 3 + below(12) }, () => one([...letters])).join("");
    const values: string[] = [];
    const words = Array.from({ length: 1 + below(8) }, () => {
      if (some(0.6)) return one(all);
      const made = value();
      values.push(made);
      return made;
    });
    const { shape } = shapeOf(words.join(" "));
    expect(isShape(shape), `${words.join(" ")}: ${shape}`).toBe(true);
    for (const made of values)
      if (!keywords.has(made.toLowerCase())) expect(shape.split(" ")).not.toContain(made.toLowerCase());
    // Whatever stands behind such a word is gone, a keyword too.
    const secret = one(all);
    const behind = shapeOf(`${one(all)} ${one(["password", "secret", "community", "key-string"])} ${secret}`);
    expect(behind.shape).toMatch(/<(?:secret|text|word|n)>$/);
  }
});

test("words of a device are recorded without what the line had", () => {
  expect(sampleOf('% Unknown command: neighbor 10.1.1.1 foo "bar"', ["neighbor", "10.1.1.1", "foo"])).toBe(
    "% Unknown command: neighbor <ip> <word> <word>",
  );
});

test("whatever else a device says, a name or a secret of it is not recorded, and what is recorded stays as it is", () => {
  for (const said of [
    "% Invalid input detected: locked by alice.miller since Tuesday",
    "Error: community Wintersonne is in use by Frankfurt",
    "conflicts with key chain GARTENHAUS: string sesam",
    "Willkommen bei ACME! Zugang nur fuer Herrn Schmidt",
    "% refused: <GARTENHAUS> <a:b> (sesam) 'sesam' [sesam] sesam",
    `% Invalid ${"sesam ".repeat(300)}`,
    `${"<word> ".repeat(60)}sesam`,
  ]) {
    const kept = sampleOf(said, []) ?? "";
    expect(kept).not.toMatch(
      /alice|miller|tuesday|wintersonne|frankfurt|gartenhaus|sesam|acme|schmidt|zugang/i,
    );
    expect(sampleOf(kept, [])).toBe(kept === "" ? null : kept);
    expect(kept.length).toBeLessThanOrEqual(200);
  }
  expect(sampleOf("% Invalid input detected at '^' marker.", [])).toBe(
    "% Invalid input detected at '^' marker.",
  );
});
