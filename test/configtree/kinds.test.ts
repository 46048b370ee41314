/** Changes that go wrong when lines are only negated and added: lists, neighbours, values, orders. */
import { expect, test, vi } from "vitest";
import {
  comwareRunning,
  eosRunning,
  fortiosRunning,
  iosRunning,
  junosRunning,
  nxosRunning,
  vrpRunning,
  xrRunning,
} from "../../plugins/platforms/family/running.ts";
import { apply } from "../../src/configtree/apply.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import type { Running } from "../../src/plugin/platform.ts";

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const linesFor = (from: string, to: string, rules: Running = iosRunning) => {
  const { lines, doubts } = remediate(from, to, rules);
  const predicted = apply(from, lines, rules).text;
  expect(remediate(predicted, to, rules).lines, "what they leave").toEqual([]);
  return doubts.length === 0 ? lines : { lines, doubts };
};

test("an entry before the last one of a numbered list: the list is written anew", () => {
  const list = (...entries: string[]) => text(...entries.map((entry) => `access-list 10 ${entry}`));
  const from = list("permit 10.0.0.0 0.255.255.255", "deny any");
  const to = list("permit 10.0.0.0 0.255.255.255", "permit 172.16.0.0 0.15.255.255", "deny any");
  expect(linesFor(from, to)).toEqual({
    lines: ["no access-list 10", ...to.trim().split("\n")],
    doubts: ["gap"],
  });
  expect(linesFor(from, list("permit 10.0.0.0 0.255.255.255"))).toEqual({
    lines: ["no access-list 10", "access-list 10 permit 10.0.0.0 0.255.255.255"],
    doubts: ["gap"],
  });
  const longer = `${from}access-list 10 permit any\n`;
  expect(linesFor(from, longer)).toEqual(["access-list 10 permit any"]);
});

test("a VLAN more on a trunk is added to it", () => {
  const port = (...lines: string[]) => text("interface Gi0/1", ...lines.map((line) => ` ${line}`));
  const vlans = "switchport trunk allowed vlan";
  const inside = (...lines: string[]) => ["interface Gi0/1", ...lines.map((line) => ` ${line}`), "exit"];
  const from = port(`${vlans} 10,20,30-40`);
  expect(linesFor(from, port(`${vlans} 10,20,30-40,50`))).toEqual(inside(`${vlans} add 50`));
  expect(linesFor(from, port(`${vlans} 10,32-40`))).toEqual(inside(`${vlans} remove 20,30,31`));
  expect(linesFor(from, port(`${vlans} 10,20`, `${vlans} add 30-41`))).toEqual(inside(`${vlans} add 41`));
  expect(linesFor(from, port(`${vlans} 7`))).toEqual(inside(`${vlans} 7`));
  expect(linesFor(from, port("shutdown"))).toEqual([
    ...["interface Gi0/1", ` no ${vlans}`, "exit"],
    ...["interface Gi0/1", " shutdown", "exit"],
  ]);
});

test("another secondary address takes the place of the old one, another address is set", () => {
  const port = (address: string, ...more: string[]) =>
    text("interface Vlan7", ` ip address ${address} 255.255.255.0`, ...more);
  const second = " ip address 10.0.1.1 255.255.255.0 secondary";
  expect(linesFor(port("10.0.0.1", second), port("10.0.0.1", second.replace("1.1", "2.1")))).toEqual([
    ...["interface Vlan7", ` no${second}`, "exit"],
    ...["interface Vlan7", second.replace("1.1", "2.1"), "exit"],
  ]);
  expect(linesFor(port("10.0.0.1", second), port("10.0.9.1", second))).toEqual([
    ...["interface Vlan7", " ip address 10.0.9.1 255.255.255.0", "exit"],
  ]);
});

test("a neighbour goes with all of its lines, one line", () => {
  const peer = (...lines: string[]) =>
    text("router bgp 1", " neighbor 192.0.2.1 remote-as 3", ...lines.map((line) => ` ${line}`));
  const from = peer(
    ...[
      "neighbor 192.0.2.9 remote-as 2",
      "neighbor 192.0.2.9 description x",
      "neighbor 192.0.2.9 password y",
    ],
    ...["address-family ipv4", " neighbor 192.0.2.9 activate", " network 10.0.0.0"],
  );
  expect(linesFor(from, peer("address-family ipv4", " network 10.0.0.0"))).toEqual([
    ...["router bgp 1", " no neighbor 192.0.2.9", "exit"],
  ]);
  const other = from.replace("192.0.2.9 remote-as 2", "192.0.2.9 remote-as 4");
  expect(linesFor(from, other)).toEqual(["router bgp 1", " neighbor 192.0.2.9 remote-as 4", "exit"]);
});

test("a value that is negated without it is, on NX-OS too", () => {
  const port = (...lines: string[]) => text("interface Ethernet1/1", ...lines.map((line) => ` ${line}`));
  const from = port("spanning-tree port type edge trunk", "description a b");
  expect(linesFor(from, port("mtu 9216"), nxosRunning)).toEqual([
    ...["interface Ethernet1/1", " no description", " no spanning-tree port type", "exit"],
    ...["interface Ethernet1/1", " mtu 9216", "exit"],
  ]);
});

test("an entry inside a named list: by its number where the text has numbers, else the list anew", () => {
  const list = (...entries: string[]) =>
    text("ip access-list extended IN", ...entries.map((one) => ` ${one}`));
  const numbered = list("10 permit tcp any any eq 22", "20 deny ip any any");
  expect(
    linesFor(
      numbered,
      list("10 permit tcp any any eq 22", "15 permit icmp any any", "20 deny ip any any"),
      eosRunning,
    ),
  ).toEqual(["ip access-list extended IN", " 15 permit icmp any any", "exit"]);
  expect(linesFor(numbered, list("10 permit tcp any any eq 23", "20 deny ip any any"))).toEqual([
    ...["ip access-list extended IN", " no 10", "exit"],
    ...["ip access-list extended IN", " 10 permit tcp any any eq 23", "exit"],
  ]);
  const plain = list("permit tcp any any eq 22", "deny ip any any");
  const more = list("permit tcp any any eq 22", "permit icmp any any", "deny ip any any");
  expect(linesFor(plain, more)).toEqual({
    lines: ["no ip access-list extended IN", ...more.trimEnd().split("\n"), "exit"],
    doubts: ["gap"],
  });
  expect(linesFor(more, plain)).toEqual(["ip access-list extended IN", " no permit icmp any any", "exit"]);
});

test("a gateway is set, not removed and added, and what is so by itself is no line", () => {
  const from = text("ip default-gateway 10.0.0.1", "interface Gi0/2", " shutdown");
  const to = text("ip default-gateway 10.0.0.2", "interface Gi0/2", " no shutdown");
  expect(linesFor(from, to)).toEqual([
    ...["interface Gi0/2", " no shutdown", "exit"],
    "ip default-gateway 10.0.0.2",
  ]);
  expect(linesFor(to, to.replace(" no shutdown\n", ""))).toEqual([]);
});

test("the same kinds on siblings: lists, neighbours, entries, addresses, other forms of negation", () => {
  const vlans = (...ranges: string[]) =>
    text("interface GigabitEthernet0/0/1", ...ranges.map((range) => ` port trunk allow-pass vlan ${range}`));
  const inPort = (...lines: string[]) => [
    "interface GigabitEthernet0/0/1",
    ...lines.map((one) => ` ${one}`),
    "quit",
  ];
  expect(linesFor(vlans("10 20", "30 to 40"), vlans("10 20 30 to 40 50"), vrpRunning)).toEqual(
    inPort("port trunk allow-pass vlan 50"),
  );
  const peers = (...lines: string[]) =>
    text("bgp 1", " peer 192.0.2.1 as-number 3", ...lines.map((one) => ` ${one}`));
  const all = [
    "peer 192.0.2.9 as-number 2",
    "peer 192.0.2.9 description x",
    "peer 192.0.2.9 password cipher y",
  ];
  for (const rules of [vrpRunning, comwareRunning])
    expect(linesFor(peers(...all), peers(), rules)).toEqual(["bgp 1", " undo peer 192.0.2.9", "quit"]);
  const acl = (...rules: string[]) => text("acl number 3000", ...rules.map((one) => ` ${one}`));
  const last = "rule 10 deny ip";
  expect(linesFor(acl(last), acl("rule 5 permit tcp", last), vrpRunning)).toEqual([
    ...["acl number 3000", " rule 5 permit tcp", "quit"],
  ]);
  const port = (...lines: string[]) =>
    text("interface GigabitEthernet0/0/0/1", ...lines.map((one) => ` ${one}`));
  const second = (host: number) => `ipv4 address 10.0.${host}.1 255.255.255.0 secondary`;
  const first = "ipv4 address 10.0.0.1 255.255.255.0";
  expect(linesFor(port(first, second(1)), port(first, second(2)), xrRunning)).toEqual([
    ...["interface GigabitEthernet0/0/0/1", ` no ${second(1)}`, "exit"],
    ...["interface GigabitEthernet0/0/0/1", ` ${second(2)}`, "exit"],
  ]);
  const policy = (...lines: string[]) =>
    text("route-policy P", ...lines.map((one) => `  ${one}`), "end-policy");
  expect(linesFor(policy("pass"), policy("if x then", "  pass", "endif", "pass"), xrRunning)).toEqual(
    policy("if x then", "  pass", "endif", "pass").trimEnd().split("\n"),
  );
  // The VRF of a port takes its addresses, which are set again behind it.
  const vrf = (name: string) =>
    text("interface Ethernet1/1", ` vrf member ${name}`, " ip address 10.0.0.1/24");
  expect(linesFor(vrf("RED"), vrf("BLUE"), nxosRunning)).toEqual([
    ...["interface Ethernet1/1", " vrf member BLUE", " ip address 10.0.0.1/24", "exit"],
  ]);
});

test.each([
  ["neighbours that take their lines with them", 1],
  ["each of them in another family", 2],
])("%s: twice as many lines take twice the work", (_, families) => {
  const countFor = (many: number) => {
    const peer = (at: number) => `neighbor 10.${at >> 8}.${at & 255}.1`;
    const all = Array.from({ length: many }, (_, at) => at);
    const family = (at: number) => [`address-family ipv4 vrf V${at}`, ` ${peer(at)} activate`];
    const from = text(
      ...["router bgp 1", ...all.flatMap((at) => [` ${peer(at)} remote-as 2`, ` ${peer(at)} description x`])],
      ...(families === 1
        ? [" address-family ipv4", ...all.map((at) => `  ${peer(at)} activate`)]
        : all.flatMap((at) => family(at).map((line) => ` ${line}`))),
    );
    const lines = ["router bgp 1", ...all.map((at) => ` no ${peer(at)}`)];
    const looks = vi.spyOn(String.prototype, "startsWith");
    const left = apply(from, lines, iosRunning).text;
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(left).not.toContain("neighbor");
    return count;
  };
  const [once, twice] = [countFor(200), countFor(400)];
  expect(twice / once).toBeLessThan(2.2);
});

test.each([
  ["insert of Junos", junosRunning],
  ["move of FortiOS", fortiosRunning],
] as const)("%s: twice as many lines that move something take twice the work", (_, rules) => {
  const countFor = (many: number) => {
    const all = Array.from({ length: many }, (_, at) => at + 1);
    const isPaths = rules === junosRunning;
    const shown = (order: readonly number[]) =>
      isPaths
        ? text(...order.map((at) => `set policy-options policy-statement P term t${at} then accept`))
        : text(
            ...[
              "config firewall policy",
              ...order.flatMap((at) => [`    edit ${at}`, `        set name "p${at}"`, "    next"]),
              "end",
            ],
          );
    const [from, to] = [shown(all), shown(all.toReversed())];
    const given = isPaths ? { ...rules, shape: "set" as const } : rules;
    const sets = vi.spyOn(Map.prototype, "set");
    const { lines } = remediate(from, to, given);
    const left = apply(from, lines, given).text;
    const count = sets.mock.calls.length;
    sets.mockRestore();
    expect(lines.filter((line) => /^\s*(?:insert|move) /.test(line))).toHaveLength(many - 1);
    expect(remediate(left, to, given).lines, "what they leave").toEqual([]);
    return count;
  };
  const [once, twice] = [countFor(200), countFor(400)];
  expect(twice / once).toBeLessThan(2.2);
});

/** All seven kinds on systems beside IOS: each line, and what it leaves. */
test("numbered lists of siblings are written anew, named ones by their numbers, values and gateways are set", () => {
  const list = (...entries: string[]) => text(...entries.map((entry) => `access-list 10 ${entry}`));
  const from = list("permit 10.0.0.0 0.255.255.255", "deny any");
  const to = list("permit 10.0.0.0 0.255.255.255", "permit 172.16.0.0 0.15.255.255", "deny any");
  for (const rules of [eosRunning, nxosRunning])
    expect(linesFor(from, to, rules)).toEqual({
      lines: ["no access-list 10", ...to.trim().split("\n")],
      doubts: ["gap"],
    });
  const named = (...entries: string[]) => text("ip access-list IN", ...entries.map((one) => ` ${one}`));
  const numbered = named("10 permit tcp any any eq 22", "20 deny ip any any");
  const more = named("10 permit tcp any any eq 22", "15 permit icmp any any", "20 deny ip any any");
  for (const rules of [eosRunning, nxosRunning]) {
    expect(linesFor(numbered, more, rules)).toEqual(["ip access-list IN", " 15 permit icmp any any", "exit"]);
    expect(linesFor(more, numbered, rules)).toEqual(["ip access-list IN", " no 15", "exit"]);
  }
  const trunk = (vlans: string) =>
    text("interface Ethernet1", " switchport mode trunk", ` switchport trunk allowed vlan ${vlans}`);
  for (const rules of [eosRunning, nxosRunning])
    expect(linesFor(trunk("10,20,30-40"), trunk("10,20,30-40,50"), rules)).toEqual([
      ...["interface Ethernet1", " switchport trunk allowed vlan add 50", "exit"],
    ]);
  const addresses = (second: string) =>
    text("interface Vlan7", " ip address 10.0.0.1/24", ` ip address ${second} secondary`);
  for (const rules of [eosRunning, nxosRunning])
    expect(linesFor(addresses("10.0.1.1/24"), addresses("10.0.2.1/24"), rules)).toEqual([
      ...["interface Vlan7", " no ip address 10.0.1.1/24 secondary", "exit"],
      ...["interface Vlan7", " ip address 10.0.2.1/24 secondary", "exit"],
    ]);
  const peers = (...lines: string[]) =>
    text("router bgp 1", " neighbor 192.0.2.1 remote-as 3", ...lines.map((one) => ` ${one}`));
  const gone = ["neighbor 192.0.2.9 remote-as 2", "neighbor 192.0.2.9 description x"];
  expect(linesFor(peers(...gone, "neighbor 192.0.2.9 password 7 y"), peers(), eosRunning)).toEqual([
    // Each line by itself: the first one takes no others there.
    ...["password", "description", "remote-as"]
      .map((word) => ` no neighbor 192.0.2.9 ${word}`)
      .toSpliced(0, 0, "router bgp 1"),
    "exit",
  ]);
  const sections = (...lines: string[]) =>
    text("router bgp 1", " neighbor 192.0.2.1", "  remote-as 3", ...lines.map((one) => ` ${one}`));
  expect(
    linesFor(sections("neighbor 192.0.2.9", " remote-as 2", " description x"), sections(), nxosRunning),
  ).toEqual({ lines: ["router bgp 1", " no neighbor 192.0.2.9", "exit"], doubts: ["sections"] });
  const port = (...lines: string[]) => text("interface Ethernet1", ...lines.map((line) => ` ${line}`));
  expect(linesFor(port("spanning-tree portfast edge"), port("mtu 9214"), eosRunning)).toEqual([
    ...["interface Ethernet1", " no spanning-tree portfast edge", "exit"],
    ...["interface Ethernet1", " mtu 9214", "exit"],
  ]);
  for (const rules of [eosRunning, nxosRunning])
    expect(linesFor(text("ip default-gateway 10.0.0.1"), text("ip default-gateway 10.0.0.2"), rules)).toEqual(
      ["ip default-gateway 10.0.0.2"],
    );
});
