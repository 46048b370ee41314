/** Lines that cut the way we come by are named; ordinary pushes are not. */
import { describe, expect, test } from "vitest";
import { eosModes, iosModes, nxosModes, viewModes } from "../../plugins/platforms/family/modes.ts";
import {
  eosRunning,
  iosRunning,
  junosRunning,
  nxosRunning,
  vrpRunning,
} from "../../plugins/platforms/family/running.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import type { SessionFacts } from "../../src/configlines/lockout.ts";
import type { Running } from "../../src/plugin/platform.ts";
import { type Random, randomFrom } from "../configtree/frr-configurations.ts";

interface Place {
  readonly running: Running;
  readonly sections?: readonly RegExp[];
  readonly configuration: string;
  readonly session: SessionFacts;
}

const session = (more: Partial<SessionFacts> = {}): SessionFacts => ({
  hosts: ["10.0.10.2"],
  locals: ["10.9.9.9"],
  user: "netops",
  transport: "ssh",
  port: 22,
  ...more,
});

const linesOf = (modes: readonly { readonly line: RegExp }[]) => modes.map(({ line }) => line);

const ios: Place = {
  running: iosRunning,
  sections: linesOf(iosModes),
  session: session(),
  configuration: `hostname SW1
aaa new-model
username netops privilege 15 secret 9 $9$x
username guest privilege 1 secret 9 $9$y
vlan 10
 name management
vlan 20
 name users
interface GigabitEthernet0/1
 description uplink
 switchport trunk allowed vlan 10,20
 switchport mode trunk
interface GigabitEthernet0/2
 switchport access vlan 20
interface Vlan10
 ip address 10.0.10.2 255.255.255.0
 ip access-group MGMT in
interface Vlan20
 ip address 10.0.20.1 255.255.255.0
ip route 0.0.0.0 0.0.0.0 10.0.10.1
ip route 10.77.0.0 255.255.0.0 10.0.20.9
ip access-list extended MGMT
 10 permit tcp 10.9.0.0 0.0.255.255 any eq 22
 20 deny ip any any
ip access-list standard VTY
 10 permit 10.9.0.0 0.0.255.255
ip access-list standard OTHER
 10 permit 10.1.0.0 0.0.255.255
line vty 0 4
 access-class VTY in
 transport input ssh
line con 0
 exec-timeout 5 0
`,
};

const nxos: Place = {
  running: nxosRunning,
  sections: linesOf(nxosModes),
  session: session({ hosts: ["192.0.2.5"], locals: ["192.0.2.200"] }),
  configuration: `hostname N9K
feature ssh
feature bgp
username netops password 5 x role network-admin
interface mgmt0
  vrf member management
  ip address 192.0.2.5/24
interface Ethernet1/1
  no switchport
  ip address 10.1.1.1/30
vrf context management
  ip route 0.0.0.0/0 192.0.2.1
ip access-list VTY
  10 permit tcp 192.0.2.0/24 any eq 22
line vty
  ip access-class VTY in
`,
};

const eos: Place = {
  running: eosRunning,
  sections: linesOf(eosModes),
  session: session({ hosts: ["10.5.5.5"], locals: ["172.16.1.1"] }),
  configuration: `hostname leaf1
username netops privilege 15 secret sha512 x
interface Ethernet1
   no switchport
   ip address 10.1.0.1/31
interface Management1
   vrf MGMT
   ip address 10.5.5.5/24
ip route vrf MGMT 0.0.0.0/0 10.5.5.1
ip access-list CP
   10 permit ip 172.16.0.0/16 any
management ssh
   ip access-group CP in
`,
};

const junos: Place = {
  running: { ...junosRunning, shape: "set" },
  session: session({ hosts: ["10.3.3.3"], locals: ["172.20.0.9"] }),
  configuration: `set system host-name r1
set system services ssh
set system services netconf ssh
set system login user netops class super-user
set system login user guest class read-only
set interfaces ge-0/0/0 unit 0 family inet address 10.3.3.3/24
set interfaces ge-0/0/1 unit 0 family inet address 10.4.4.1/24
set interfaces lo0 unit 0 family inet filter input PROTECT
set routing-options static route 0.0.0.0/0 next-hop 10.3.3.1
set routing-options static route 10.88.0.0/16 next-hop 10.4.4.9
set firewall family inet filter PROTECT term SSH from source-address 172.20.0.0/16
set firewall family inet filter PROTECT term SSH from protocol tcp
set firewall family inet filter PROTECT term SSH from destination-port ssh
set firewall family inet filter PROTECT term SSH then accept
set firewall family inet filter PROTECT term REST then discard
`,
};

const vrp: Place = {
  running: vrpRunning,
  sections: linesOf(viewModes("[~HW")),
  session: session({ hosts: ["10.6.6.6"], locals: ["10.60.0.1"] }),
  configuration: `sysname HW1
vlan batch 30 40
aaa
 local-user netops password irreversible-cipher x
 local-user guest password irreversible-cipher y
acl number 2000
 rule 5 permit source 10.60.0.0 0.0.255.255
 rule 10 deny
interface Vlanif30
 ip address 10.6.6.6 255.255.255.0
interface Vlanif40
 ip address 10.40.0.1 255.255.255.0
interface GigabitEthernet0/0/1
 port link-type trunk
 port trunk allow-pass vlan 30 40
interface GigabitEthernet0/0/2
 port default vlan 40
ip route-static 0.0.0.0 0.0.0.0 10.6.6.1
ip route-static 10.99.0.0 255.255.0.0 10.40.0.9
stelnet server enable
user-interface vty 0 4
 acl 2000 inbound
 authentication-mode aaa
 protocol inbound ssh
`,
};

const places = { ios, nxos, eos, junos, vrp };

function locksOut({ running, sections, configuration, session }: Place, lines: string): number[] {
  const { access, ...rules } = running;
  const all = [...(rules.sections ?? []), ...(sections ?? [])];
  return foresee({
    ...{ configuration, lines: lines.split("\n"), session, access },
    rules: { ...rules, ...(all.length > 0 ? { sections: all } : {}) },
  }).lockouts.map(({ line }) => line);
}

const cases: readonly (readonly [keyof typeof places, string])[] = [
  ["ios", "interface Vlan10\n shutdown"],
  ["ios", "interface Vlan10\n no ip address"],
  ["ios", "interface Vlan10\n ip address 10.0.10.22 255.255.255.0"],
  ["ios", "interface Vlan10\n vrf forwarding MGMT"],
  ["ios", "no interface Vlan10"],
  ["ios", "interface GigabitEthernet0/1\n shutdown"],
  ["ios", "interface GigabitEthernet0/1\n switchport trunk allowed vlan remove 10"],
  ["ios", "interface GigabitEthernet0/1\n switchport trunk allowed vlan 20,30"],
  ["ios", "no vlan 10"],
  ["ios", "no ip route 0.0.0.0 0.0.0.0 10.0.10.1"],
  ["ios", "ip route 10.9.0.0 255.255.0.0 Null0"],
  ["ios", "ip access-list extended MGMT\n 5 deny tcp 10.9.0.0 0.0.255.255 any"],
  ["ios", "ip access-list extended MGMT\n no 10 permit tcp 10.9.0.0 0.0.255.255 any eq 22"],
  ["ios", "interface Vlan10\n ip access-group OTHER in"],
  ["ios", "line vty 0 4\n access-class OTHER in"],
  ["ios", "line vty 0 4\n transport input telnet"],
  ["ios", "no username netops"],
  ["ios", "aaa authentication login default group tacacs+"],
  ["ios", "crypto key zeroize rsa"],
  ["nxos", "interface mgmt0\n shutdown"],
  ["nxos", "interface mgmt0\n no ip address 192.0.2.5/24"],
  ["nxos", "no feature ssh"],
  ["nxos", "no username netops"],
  ["nxos", "ip access-list VTY\n 5 deny tcp any any"],
  ["eos", "interface Management1\n shutdown"],
  ["eos", "interface Management1\n ip address 10.5.5.55/24"],
  ["eos", "no ip route vrf MGMT 0.0.0.0/0 10.5.5.1"],
  ["eos", "management ssh\n shutdown"],
  ["eos", "ip access-list CP\n 5 deny ip 172.16.1.0/24 any"],
  ["junos", "delete interfaces ge-0/0/0 unit 0 family inet address 10.3.3.3/24"],
  ["junos", "set interfaces ge-0/0/0 disable"],
  ["junos", "delete routing-options static route 0.0.0.0/0"],
  ["junos", "delete system services ssh"],
  ["junos", "delete system login user netops"],
  [
    "junos",
    "set firewall family inet filter DROP term ALL then discard\nset interfaces lo0 unit 0 family inet filter input DROP",
  ],
  ["vrp", "interface Vlanif30\n shutdown"],
  ["vrp", "interface Vlanif30\n undo ip address 10.6.6.6 255.255.255.0"],
  ["vrp", "undo stelnet server enable"],
  ["vrp", "undo ip route-static 0.0.0.0 0.0.0.0 10.6.6.1"],
  ["vrp", "acl number 2000\n rule 1 deny source 10.60.0.0 0.0.0.255"],
  ["vrp", "user-interface vty 0 4\n protocol inbound telnet"],
  ["vrp", "aaa\n undo local-user netops"],
];

describe("a line that locks us out", () => {
  test.each(cases)("%s: %s", (place, lines) => {
    expect(locksOut(places[place], lines)).not.toEqual([]);
  });

  test("is the one that is named", () => {
    expect(
      locksOut(ios, "interface Vlan20\n description users\ninterface Vlan10\n description x\n shutdown"),
    ).toEqual([5]);
  });

  test("is none if it leaves what is there as it is", () => {
    expect(locksOut(ios, "interface Vlan10\n ip address 10.0.10.2 255.255.255.0")).toEqual([]);
  });
});

/** What people push on other days: the same words, at other places. */
const ordinary: Record<keyof typeof places, (random: Random) => string> = {
  ios: ({ one, below }) =>
    one([
      `interface GigabitEthernet0/2\n description desk ${below(99)}\n switchport access vlan ${one([20, 30])}`,
      "interface GigabitEthernet0/2\n shutdown",
      "interface GigabitEthernet0/2\n no shutdown\n spanning-tree portfast",
      "interface GigabitEthernet0/1\n description uplink to core",
      `interface GigabitEthernet0/1\n switchport trunk allowed vlan add ${100 + below(50)}`,
      "interface GigabitEthernet0/1\n switchport trunk allowed vlan remove 20",
      "interface GigabitEthernet0/1\n switchport trunk allowed vlan 10,20,30",
      `vlan ${100 + below(50)}\n name floor-${below(9)}`,
      "no vlan 20",
      `interface Vlan20\n ip address 10.0.20.${2 + below(200)} 255.255.255.0`,
      "interface Vlan20\n shutdown",
      `interface Vlan10\n description management ${below(9)}`,
      `ip route 10.${20 + below(50)}.0.0 255.255.0.0 10.0.20.9`,
      "no ip route 10.77.0.0 255.255.0.0 10.0.20.9",
      `username user${below(20)} privilege 1 secret abc`,
      "no username guest",
      `ntp server 10.1.1.${below(200)}`,
      "snmp-server community x RO\nsnmp-server location here",
      `ip access-list standard OTHER\n ${20 + below(50)} deny 10.2.0.0 0.0.255.255`,
      `ip access-list extended MGMT\n ${11 + below(8)} permit tcp host 10.8.8.8 any eq 22`,
      `ip access-list standard VTY\n ${20 + below(9)} permit host 10.8.8.8`,
      "no ip access-list standard OTHER",
      "line con 0\n exec-timeout 10 0\n logging synchronous",
      "line vty 0 4\n exec-timeout 15 0",
      "logging host 10.1.1.5\nlogging buffered 64000",
      "router ospf 1\n network 10.0.20.0 0.0.0.255 area 0",
    ]),
  nxos: ({ one, below }) =>
    one([
      `interface Ethernet1/${2 + below(40)}\n shutdown`,
      `interface Ethernet1/1\n ip address 10.1.1.${1 + below(200)}/30`,
      `vlan ${100 + below(50)}\n name x`,
      "feature lldp",
      "no feature bgp",
      "interface mgmt0\n description oob",
      `ip route 10.${below(99)}.0.0/16 10.1.1.2`,
      "ip access-list VTY\n 20 permit tcp 198.51.100.0/24 any eq 22",
      "username other password x role network-operator",
    ]),
  eos: ({ one, below }) =>
    one([
      `interface Ethernet${1 + below(40)}\n shutdown`,
      `interface Ethernet1\n ip address 10.1.0.${below(200)}/31`,
      `ip route 10.${below(99)}.0.0/16 10.1.0.0`,
      "ip access-list CP\n 20 permit ip 192.0.2.0/24 any",
      "management ssh\n idle-timeout 30",
      "username other secret x",
      `vlan ${100 + below(50)}`,
      "router bgp 65001\n neighbor 10.1.0.0 remote-as 65002",
    ]),
  junos: ({ one, below }) =>
    one([
      `set interfaces ge-0/0/1 unit 0 family inet address 10.4.4.${1 + below(200)}/24`,
      "set interfaces ge-0/0/1 disable",
      "delete interfaces ge-0/0/1 unit 0 family inet address 10.4.4.1/24",
      `set interfaces ge-0/0/${2 + below(20)} description x`,
      "delete system login user guest",
      "set system login user other class read-only",
      `set routing-options static route 10.${below(99)}.0.0/16 next-hop 10.4.4.9`,
      "delete routing-options static route 10.88.0.0/16",
      "set firewall family inet filter PROTECT term NTP from protocol udp",
      `set protocols bgp group X neighbor 10.4.4.${below(200)} peer-as 65001`,
      "set system syslog host 10.1.1.1 any notice",
    ]),
  vrp: ({ one, below }) =>
    one([
      "interface GigabitEthernet0/0/2\n shutdown",
      `interface GigabitEthernet0/0/2\n port default vlan ${40 + below(9)}`,
      "interface GigabitEthernet0/0/1\n undo port trunk allow-pass vlan 40",
      "interface Vlanif40\n shutdown",
      `interface Vlanif40\n ip address 10.40.0.${1 + below(99)} 255.255.255.0`,
      `ip route-static 10.${70 + below(20)}.0.0 255.255.0.0 10.40.0.9`,
      "undo ip route-static 10.99.0.0 255.255.0.0 10.40.0.9",
      "acl number 2000\n rule 7 permit source 10.61.0.0 0.0.255.255",
      "aaa\n undo local-user guest",
      "undo vlan 40",
      "ntp-service unicast-server 10.1.1.1",
    ]),
};

test("fewer than 2 % of 500 ordinary pushes are said to lock us out", () => {
  const wrong: string[] = [];
  const names = ["ios", "nxos", "eos", "junos", "vrp"] as const;
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomFrom(seed);
    const name = names[seed % names.length] ?? "ios";
    const lines = Array.from({ length: 1 + random.below(3) }, () => ordinary[name](random)).join("\n");
    if (locksOut(places[name], lines).length > 0) wrong.push(`${name}: ${lines}`);
  }
  expect(wrong.slice(0, 12)).toEqual([]);
});
