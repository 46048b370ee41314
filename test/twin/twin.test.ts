/** What a twin says of lines: what it knows, what its system refuses, and what nobody knows. */
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { modesOf, twinRules, writtenRules } from "../../src/configtext/rules.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { playLines } from "../../src/twin/play.ts";
import { createTwin } from "../../src/twin/twin.ts";

function rulesOf(name: string) {
  const platform = builtins.find(
    (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === name,
  );
  return twinRules(writtenRules(platform), modesOf(platform));
}

const ios = `hostname R1
!
interface GigabitEthernet0/1
 description uplink
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 !
 address-family ipv4
  neighbor 10.0.0.2 activate
 exit-address-family
!
ip route 0.0.0.0 0.0.0.0 10.0.0.2
!
end
`;

test("a line goes where the system puts it, whatever its indentation", () => {
  const lines = [
    ...["router bgp 65001", "address-family ipv4", "neighbor 10.0.0.9 activate", "exit-address-family"],
    ...["neighbor 10.0.0.9 remote-as 65009", "interface GigabitEthernet0/2", "description x"],
  ];
  const played = playLines(ios, lines, rulesOf("cisco_ios"));
  expect(played.refused.map(({ line }) => line)).toEqual([3]);
  expect(played.left).toContain(" neighbor 10.0.0.2 remote-as 65002\n neighbor 10.0.0.9 remote-as 65009\n");
  expect(played.left).toContain("interface GigabitEthernet0/2\n description x\n!\n");
});

test("what stands in a section only because somebody forgot to leave it is told", () => {
  const lines = [
    "router bgp 65001",
    " address-family ipv4",
    "  neighbor 10.0.0.2 activate",
    "ip route 10.9.0.0 255.255.0.0 10.0.0.2",
  ];
  expect(playLines(ios, lines, rulesOf("cisco_ios")).unknown).toEqual([]);
  const flat = lines.map((line) => line.trimStart());
  expect(playLines(ios, flat, rulesOf("cisco_ios")).unknown).toEqual([
    { line: 4, why: expect.stringContaining('nothing left "address-family ipv4" before it') },
  ]);
});

test("what nobody knows is kept as it stands, and told", () => {
  const lines = ["frobnicate the gizmo", "interface GigabitEthernet0/1", "neighbor 10.0.0.7 activate"];
  expect(playLines(ios, lines, rulesOf("cisco_ios"))).toMatchObject({
    lines: 3,
    refused: [],
    unknown: [
      { line: 1, why: "nothing is known of such a line" },
      { line: 3, why: 'such lines are known in "router bgp > address-family ipv4" only' },
    ],
  });
  const range = playLines(ios, ["interface range GigabitEthernet0/1 - 4"], rulesOf("cisco_ios"));
  expect(range.unknown).toHaveLength(1);
});

test("a line that is refused changes nothing", () => {
  const rules = rulesOf("frr_vtysh");
  const text = "router bgp 65001\n neighbor 10.0.0.2 remote-as 65002\nexit\n!\nend\n";
  const played = playLines(text, ["router bgp 65001", " neighbor 10.0.0.9 description x"], rules);
  expect(played.refused).toEqual([{ line: 2, why: 'it needs "neighbor 10.0.0.9", which is not there' }]);
  expect(played.left).toBe(text);
});

test("a command of paths that nobody knows does nothing", () => {
  const text = "system {\n    host-name R1;\n}\n";
  const twin = createTwin(text, rulesOf("juniper_junos"));
  const cursor = twin.cursor();
  expect(cursor.take(["annotate system x"])).toMatchObject({
    effect: "unclear",
    unknown: "it is not known what it does",
  });
  expect(twin.running()).toBe(text);
  expect(cursor.take(["set system host-name R2"])).toMatchObject({ effect: "replaces", unknown: undefined });
  expect(cursor.take(["set gizmo frobnicate now"])).toMatchObject({
    unknown: "nothing is known of such a line",
  });
  expect(twin.running()).toContain("host-name R2;");
});

test("who writes in a configuration that is replaced stands outside of all sections", () => {
  const twin = createTwin(ios, rulesOf("cisco_ios"));
  const cursor = twin.cursor();
  cursor.take(["interface GigabitEthernet0/1"]);
  twin.replace("hostname R9\n");
  expect(cursor.path()).toEqual([]);
  cursor.take(["hostname R8"]);
  expect(twin.running()).toBe("hostname R8\n");
});

test("time is linear, whatever the text", () => {
  const hostile = [
    `${"x ".repeat(10_000)}\n`,
    Array.from({ length: 20_000 }, (_, depth) => `${" ".repeat(depth % 200)}a${depth}`).join("\n"),
    Array.from({ length: 20_000 }, () => "banner motd ^").join("\n"),
    "{\n".repeat(50_000),
    'set a "'.repeat(3_000),
  ];
  for (const name of ["cisco_ios", "juniper_junos", "fortinet", "huawei"])
    for (const text of hostile) {
      const played = playLines(text, [...text.split("\n").slice(0, 200), "end"], rulesOf(name));
      expect(played.left.length).toBeLessThan(4 * text.length + 1_000_000);
    }
});
