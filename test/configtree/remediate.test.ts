/** Lines that restore a configuration. */
import { expect, test } from "vitest";
import {
  eosRunning,
  frrRunning,
  iosRunning,
  junosRunning,
  vrpRunning,
  vyosRunning,
} from "../../plugins/platforms/family/running.ts";
import { maskDifference } from "../../src/configtext/secrets/mask-difference.ts";
import { apply } from "../../src/configtree/apply.ts";
import { remediate } from "../../src/configtree/remediate.ts";

const ios = { ...iosRunning, negate: "no" };
const now = `Building configuration...
!
hostname R2
!
banner motd ^C
Keep out
exit
^C
interface Gi0/1
 description new
 ip address 10.0.0.2 255.255.255.0
!
interface Gi0/2
 shutdown
!
router bgp 1
 neighbor 10.0.0.9 remote-as 2
 address-family ipv4
  network 10.1.0.0
  no auto-summary
 exit-address-family
!
ip access-list extended IN
 permit ip any any
!
crypto pki certificate chain A
 certificate 01
  30820229 30820192
  quit
!
end
`;
const wanted = now
  .replace("hostname R2", "hostname R1")
  .replace("Keep out", "Welcome\n end")
  .replace(" description new\n", "")
  .replace("  network 10.1.0.0\n  no auto-summary\n", "  network 10.2.0.0\n")
  .replace(" permit ip any any", " deny ip any any\n permit ip any any")
  .replace("30820192", "30820193")
  .replace("interface Gi0/2\n shutdown\n", "vlan 7\n name seven\n");

test("removes what is not wanted, then adds what is missing, in the section where it belongs", () => {
  const { lines, doubts } = remediate(now, wanted, ios);
  expect(lines).toEqual(
    [
      ...["router bgp 1", " address-family ipv4", "  auto-summary", "  no network 10.1.0.0"],
      ...[" exit-address-family", "exit"],
      "no interface Gi0/2",
      ...["interface Gi0/1", " no description", "exit"],
      "hostname R1",
      "banner motd ^C\nWelcome\n end\nexit\n^C".split("\n"),
      ...["vlan 7", " name seven", "exit"],
      ...["router bgp 1", " address-family ipv4", "  network 10.2.0.0", " exit-address-family", "exit"],
      "no ip access-list extended IN",
      ...["ip access-list extended IN", " deny ip any any", " permit ip any any", "exit"],
    ].flat(),
  );
  expect([...doubts].sort()).toEqual(["certificates", "gap", "sections"]);
});

const frr = { ...frrRunning, negate: "no" };

test("what depends on a line is removed before it, and added behind it", () => {
  const family = "  neighbor 192.0.2.9 route-map RM in";
  const text = (...lines: string[]) =>
    ["router bgp 1", ...lines.slice(0, 1), " address-family ipv4 unicast", ...lines.slice(1)]
      .concat(" exit-address-family", "exit", "")
      .join("\n");
  const none = text("!", "  network 10.0.0.0/8");
  const one = text(" neighbor 192.0.2.9 remote-as 2", "  network 10.0.0.0/8", family);
  const inside = (...lines: string[]) => ["router bgp 1", ...lines, "exit"];
  const section = (line: string) => [" address-family ipv4 unicast", line, " exit-address-family"];
  const neighbour = " neighbor 192.0.2.9 remote-as 2";
  expect(remediate(one, none, frr).lines).toEqual(inside(` no${neighbour}`));
  const member = one.replace("  network 10.0.0.0/8\n", "");
  expect(remediate(one, text(neighbour), frr).lines).toEqual(
    inside(...section(`  no ${family.trim()}`).toSpliced(2, 0, "  no network 10.0.0.0/8")),
  );
  expect(remediate(one, member, frr).lines).toEqual(inside(...section("  no network 10.0.0.0/8")));
  expect(remediate(none, one, frr).lines).toEqual(
    inside(" neighbor 192.0.2.9 remote-as 2", ...section(family)),
  );
});

test("a line whose place another takes is not removed: the rest of a neighbour would go with it", () => {
  const text = (as: number, ...more: string[]) =>
    ["router bgp 1", ` neighbor 192.0.2.9 remote-as ${as}`, ...more, "exit", ""].join("\n");
  const inside = (...lines: string[]) => ["router bgp 1", ...lines, "exit"];
  const rest = " neighbor 192.0.2.9 timers connect 1";
  for (const rules of [frr, ios])
    expect(remediate(text(2, rest), text(3, rest), rules).lines).toEqual(
      inside(" neighbor 192.0.2.9 remote-as 3"),
    );
  expect(remediate(text(2), text(2).replace("2.9", "2.8"), frr).lines).toEqual([
    ...inside(" no neighbor 192.0.2.9 remote-as 2"),
    ...inside(" neighbor 192.0.2.8 remote-as 2"),
  ]);
});

test("lines are removed as the platform accepts it: by their beginning, or what is in them", () => {
  const from =
    "frr version 9\npassword a\ninterface lo\n description a b\nexit\nrouter bgp 1\n address-family ipv4\n  network 10.0.0.0/8\n exit-address-family\nexit\n";
  const to = "frr version 8\ninterface lo\nexit\nrouter bgp 1\nexit\n";
  expect(remediate(from, to, frr).lines).toEqual([
    ...["router bgp 1", " address-family ipv4", "  no network 10.0.0.0/8", " exit-address-family", "exit"],
    ...["interface lo", " no description", "exit"],
    "no password",
    "frr version 8",
  ]);
});

test("equal configurations need no lines, whatever changes by itself", () => {
  const later = now.replace("Building configuration...", "! Last configuration change at 12:00 by x");
  expect(remediate(now, later, ios)).toEqual({ lines: [], doubts: [] });
});

test("commands of the set form are deleted at the highest path that is not wanted, and set", () => {
  const rules = { ...vyosRunning, shape: "set" } as const;
  const eth = (at: number) => `set interfaces ethernet eth${at} address '10.${at}.0.1/24'\n`;
  const dns = "set system name-server 192.0.2.53\n";
  expect(remediate(`${eth(0)}${eth(1)}set service ssh port '22'\n`, `${eth(0)}${dns}`, rules)).toEqual({
    lines: ["delete service", "delete interfaces ethernet eth1", "set system name-server 192.0.2.53"],
    doubts: [],
  });
  // Braces and quotes are another way to write the same.
  const braces = "interfaces {\n    ethernet eth0 {\n        address 10.0.0.1/24\n    }\n}\n";
  expect(remediate(eth(0), braces, vyosRunning).lines).toEqual([]);
});

test("statements that are turned off stay so, and terms move with as few lines as possible", () => {
  const policy = (...terms: string[]) =>
    `policy-options {\n    policy-statement P {\n${terms.map((term) => `        term ${term} {\n            then accept;\n        }\n`).join("")}    }\n}\n`;
  const lines = (from: string, to: string) => remediate(from, to, junosRunning).lines;
  const at = "policy-options policy-statement P term";
  expect(lines(policy("a", "b", "c"), policy("c", "a", "b"))).toEqual([`insert ${at} c before term a`]);
  expect(lines(policy("a", "c"), policy("a", "b", "c"))).toEqual([
    `set ${at} b then accept`,
    `insert ${at} b after term a`,
  ]);
  const off = policy("a", "b").replace("term b", "inactive: term b");
  expect(lines(policy("a", "b"), off)).toEqual([`deactivate ${at} b`]);
  expect(lines(off, policy("a", "b"))).toEqual([`activate ${at} b`]);
  expect(apply(off, [`activate ${at} b`, `delete ${at} a`], junosRunning).text).toBe(
    `set ${at} b then accept\n`,
  );
});

test("a long text takes linear time, whatever it is", () => {
  const deep = Array.from({ length: 20_000 }, (_, at) => `${" ".repeat(at % 200)}line ${at}`).join("\n");
  const same = "interface x\n y\n".repeat(20_000);
  const begun = process.cpuUsage().user;
  remediate(deep, same, ios);
  remediate(same, deep, ios);
  remediate("banner motd ^C\n".repeat(5_000), "banner motd x\n".repeat(5_000), ios);
  // Quadratic time would be minutes.
  expect(process.cpuUsage().user - begun).toBeLessThan(20_000_000);
});

test("secrets in a difference and in a dialogue are masked by their place", () => {
  const text = [
    "@@ -1,3 +1,3 @@",
    "-enable secret 5 $1$abcd$KKKKKKKKKKKKKKKKKKKKKK",
    "+username bob privilege 15 secret 5 $1$zzzz$LLLLLLLLLLLLLLLLLLLLLL",
    "R1(config)#snmp-server community hidden1 RO",
    "-----BEGIN RSA PRIVATE KEY-----",
    "MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEA",
    "q7BFUpkGp3+LQmlQYx2eqzDV+xeG8kx",
    "-----END RSA PRIVATE KEY-----",
    "+interface Gi0/1",
  ].join("\n");
  const masked = maskDifference(text, iosRunning, () => "aaaaaa");
  expect(masked.split("\n")).toEqual([
    "@@ -1,3 +1,3 @@",
    "-enable secret 5 <secret aaaaaa>",
    "+username bob privilege 15 secret 5 <secret aaaaaa>",
    "R1(config)#snmp-server community <secret aaaaaa> RO",
    "-----BEGIN RSA PRIVATE KEY-----",
    "<secret aaaaaa>",
    "-----END RSA PRIVATE KEY-----",
    "+interface Gi0/1",
  ]);
});

test("what stands in sections that are not wanted goes line by line, also behind one that has nothing in it", () => {
  const from = "interface a\n description x\ninterface b\n";
  const rules = { ...frr, vanishing: [], permanent: [/^interface /] };
  expect(remediate(from, "", rules).lines).toEqual(["interface a", " no description", "exit"]);
});

test("what is indented behind the line with the version of the system is not in it", () => {
  const text = (name: string) => `!Software Version V200R019C10\n#\n sysname ${name}\n#\nreturn\n`;
  expect(remediate(text("a"), text("b"), vrpRunning).lines).toEqual(["sysname b"]);
});

test("a neighbour of EOS needs nothing before it", () => {
  const lines = ["router bgp 65001", " neighbor LEAF peer group", " neighbor LEAF remote-as 65004"];
  expect(apply("", lines, eosRunning).lines.filter(({ refusal }) => refusal !== undefined)).toEqual([]);
});
