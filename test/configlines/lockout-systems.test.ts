/**
 * Lock-outs on systems and in forms that the words of the platforms were not made for: each by the rules that the service
 * uses, from the words of the vendors' command references.
 */
import { describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import { treeRules, writtenRules } from "../../src/configtext/rules.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { randomFrom } from "../configtree/frr-configurations.ts";
import { type Place, routers } from "./lockout-places.ts";
import { others } from "./lockout-places-others.ts";

function locksOut({ platform: name, configuration, session }: Place, lines: string): number[] {
  const platform = builtins.find(
    (plugin): plugin is PlatformPlugin =>
      plugin.kind === "platform" && [plugin.name, ...(plugin.aliases ?? [])].includes(name),
  );
  const part = platform?.running?.set === undefined ? undefined : "set";
  return foresee({
    ...{ configuration, lines: lines.split("\n"), access: platform?.running?.access },
    rules: treeRules(writtenRules(platform, part)),
    session: { user: "netops", transport: "ssh", port: 22, ...session },
  }).lockouts.map(({ line }) => line);
}

const all = Object.entries({ ...routers, ...others });

describe("a line that locks us out", () => {
  test.each(all.flatMap(([name, place]) => place.cuts.map((lines) => [name, lines, place] as const)))(
    "%s: %s",
    (_name, lines, place) => {
      expect(locksOut(place, lines)).not.toEqual([]);
    },
  );
});

test("of 500 ordinary pushes none is said to lock us out", () => {
  const wrong: string[] = [];
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomFrom(seed);
    const [name, place] = all[seed % all.length] ?? all[0] ?? expect.fail("no place");
    const lines = Array.from({ length: 1 + random.below(3) }, () => place.ordinary(random)).join("\n");
    if (locksOut(place, lines).length > 0) wrong.push(`${name}: ${lines}`);
  }
  expect(wrong).toEqual([]);
});

test("a list without rules bounds nobody, and one with rules for others only does", () => {
  const place = others.VRP ?? expect.fail("no place");
  expect(locksOut(place, "acl number 3001\n undo rule 5")).toEqual([]);
  const more = " rule 7 permit tcp source 10.23.0.0 0.0.255.255 destination-port eq 22";
  expect(locksOut(place, `acl number 3001\n${more}\n undo rule 5`)).not.toEqual([]);
});

test("a bundle is an interface of bundles with its number, and no VLAN with that", () => {
  const place: Place = {
    platform: "cisco_ios",
    session: { hosts: ["10.0.10.2"], locals: ["10.9.9.9"] },
    configuration: `interface Port-channel10
 switchport mode access
interface GigabitEthernet0/1
 switchport trunk allowed vlan 10
interface GigabitEthernet0/2
 switchport trunk allowed vlan 10
interface GigabitEthernet0/3
 channel-group 10 mode active
interface Vlan10
 ip address 10.0.10.2 255.255.255.0
ip route 0.0.0.0 0.0.0.0 10.0.10.1
`,
    cuts: [],
    ordinary: () => "",
  };
  expect(locksOut(place, "interface GigabitEthernet0/3\n shutdown")).toEqual([]);
  const routed = place.configuration
    .replace(" switchport mode access", " no switchport\n ip address 10.0.10.2 255.255.255.0")
    .replace("interface Vlan10\n ip address 10.0.10.2 255.255.255.0\n", "");
  expect(locksOut({ ...place, configuration: routed }, "interface GigabitEthernet0/3\n shutdown")).toEqual([
    2,
  ]);
});
