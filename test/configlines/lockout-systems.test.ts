/**
 * Lock-outs on systems and in forms that the words of the platforms were not made for: each by the rules that the service
 * uses, from the words of the vendors' command references.
 */
import { describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import type { SessionFacts } from "../../src/configlines/lockout.ts";
import { treeRules, writtenRules } from "../../src/configtext/rules.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import { type Random, randomFrom } from "../configtree/frr-configurations.ts";

interface Place {
  readonly platform: string;
  readonly session: Partial<SessionFacts> & Pick<SessionFacts, "hosts" | "locals">;
  readonly configuration: string;
  /** Each cuts us off. */
  readonly cuts: readonly string[];
  /** What people push on other days. */
  ordinary(random: Random): string;
}

const places: Record<string, Place> = {
  "an IOS router behind a subinterface": {
    platform: "cisco_ios",
    session: { hosts: ["172.31.5.1"], locals: ["198.51.100.20"], transport: "telnet", port: 23 },
    configuration: `hostname BR5
aaa new-model
aaa authentication login default local
username netops privilege 15 secret 9 $9$x
vrf definition CUST
 address-family ipv4
interface GigabitEthernet0/0
 no ip address
interface GigabitEthernet0/0.50
 encapsulation dot1Q 50
 ip address 172.31.5.1 255.255.255.252
interface GigabitEthernet0/1
 ip address 10.50.0.1 255.255.255.0
 ip access-group LAN in
router ospf 1
 network 10.50.0.0 0.0.0.255 area 0
ip route 198.51.100.0 255.255.255.0 172.31.5.2
ip route 0.0.0.0 0.0.0.0 10.50.0.254
ip access-list extended LAN
 10 permit ip 10.50.0.0 0.0.0.255 any
access-list 23 permit 198.51.100.0 0.0.0.255
line vty 0 15
 access-class 23 in
 transport input ssh telnet
`,
    cuts: [
      "interface GigabitEthernet0/0\n shutdown",
      "interface GigabitEthernet0/0.50\n encapsulation dot1Q 51",
      "no interface GigabitEthernet0/0.50",
      "interface GigabitEthernet0/0.50\n vrf forwarding CUST",
      "no ip route 198.51.100.0 255.255.255.0 172.31.5.2",
      "ip route 198.51.100.16 255.255.255.240 10.50.0.9",
      "line vty 0 15\n transport input ssh",
      "no access-list 23\naccess-list 23 permit 10.50.0.0 0.0.0.255",
      "no aaa new-model",
      "interface GigabitEthernet0/0.50\n ip access-group LAN in",
      "default interface GigabitEthernet0/0.50",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface GigabitEthernet0/1\n description lan ${below(99)}`,
        "interface GigabitEthernet0/1\n shutdown",
        `interface GigabitEthernet0/1\n ip address 10.50.0.${1 + below(250)} 255.255.255.0`,
        `interface GigabitEthernet0/0.${60 + below(9)}\n encapsulation dot1Q ${60 + below(9)}\n ip address 172.31.6.1 255.255.255.252`,
        "interface GigabitEthernet0/0\n description wan",
        `ip access-list extended LAN\n ${20 + below(9)} deny ip any host 10.1.1.1`,
        `router ospf 1\n network 10.${60 + below(9)}.0.0 0.0.255.255 area 0`,
        "no router ospf 1",
        `ip route 10.${below(40)}.0.0 255.255.0.0 10.50.0.254`,
        "access-list 23 permit 203.0.113.0 0.0.0.255",
        "line vty 0 15\n exec-timeout 5 0\n logging synchronous",
        `line vty 0 15\n transport input ${one(["telnet ssh", "all"])}`,
        "ip name-server 10.1.1.53",
        "username helpdesk privilege 1 secret abc",
      ]),
  },
  "IOS XR": {
    platform: "cisco_xr",
    session: { hosts: ["10.200.0.5"], locals: ["10.210.0.9"] },
    configuration: `hostname PE1
username netops
 group root-lr
 secret 10 $6$x
!
ipv4 access-list VTY
 10 permit tcp 10.210.0.0 0.0.255.255 any eq ssh
!
ipv4 access-list EDGE
 10 deny ipv4 any any
!
interface MgmtEth0/RP0/CPU0/0
 ipv4 address 10.200.0.5 255.255.255.0
!
interface GigabitEthernet0/0/0/1
 ipv4 address 10.77.0.1 255.255.255.252
!
router static
 address-family ipv4 unicast
  0.0.0.0/0 10.200.0.1
  10.88.0.0/16 10.77.0.2
 !
!
line default
 access-class ingress VTY
!
ssh server v2
`,
    cuts: [
      "interface MgmtEth0/RP0/CPU0/0\n shutdown",
      "interface MgmtEth0/RP0/CPU0/0\n ipv4 address 10.200.0.6 255.255.255.0",
      "interface MgmtEth0/RP0/CPU0/0\n no ipv4 address 10.200.0.5 255.255.255.0",
      "interface MgmtEth0/RP0/CPU0/0\n vrf OOB",
      "no ssh server v2",
      "no username netops",
      "router static\n address-family ipv4 unicast\n  no 0.0.0.0/0 10.200.0.1",
      "no router static",
      "ipv4 access-list VTY\n 5 deny ipv4 any any",
      "interface MgmtEth0/RP0/CPU0/0\n ipv4 access-group EDGE ingress",
      "line default\n access-class ingress EDGE",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface GigabitEthernet0/0/0/${1 + below(9)}\n description to core ${below(9)}`,
        "interface GigabitEthernet0/0/0/1\n shutdown",
        `interface GigabitEthernet0/0/0/1\n ipv4 address 10.77.0.${1 + below(200)} 255.255.255.252`,
        `router static\n address-family ipv4 unicast\n  10.${90 + below(9)}.0.0/16 10.77.0.2`,
        "router static\n address-family ipv4 unicast\n  no 10.88.0.0/16 10.77.0.2",
        `ipv4 access-list VTY\n ${20 + below(9)} permit tcp host 10.3.3.3 any eq ssh`,
        "interface GigabitEthernet0/0/0/1\n ipv4 access-group EDGE ingress",
        "ntp\n server 10.1.1.1",
        "logging 10.1.1.2 vrf default",
        "username other\n group operator",
        "line default\n exec-timeout 10 0",
        `router bgp 65001\n neighbor 10.77.0.2\n  remote-as ${65_002 + below(9)}`,
      ]),
  },
  Comware: {
    platform: "hp_comware",
    session: { hosts: ["10.31.0.2"], locals: ["10.66.1.5"] },
    configuration: `#
 sysname H3C
#
acl basic 2001
 rule 0 permit source 10.66.0.0 0.0.255.255
 rule 5 deny
#
vlan 31
#
vlan 41
#
interface Vlan-interface31
 ip address 10.31.0.2 255.255.255.0
#
interface Vlan-interface41
 ip address 10.41.0.1 255.255.255.0
#
interface Ten-GigabitEthernet1/0/1
 port link-type trunk
 port trunk permit vlan 31 41
#
interface GigabitEthernet1/0/2
 port access vlan 41
#
line vty 0 63
 authentication-mode scheme
 user-role network-admin
 protocol inbound ssh
#
 ip route-static 0.0.0.0 0 10.31.0.1
 ip route-static 10.98.0.0 16 10.41.0.9
#
 ssh server enable
 ssh server acl 2001
#
local-user netops class manage
 password hash x
 service-type ssh
 authorization-attribute user-role network-admin
#
local-user guest class manage
 service-type ssh
#
return
`,
    cuts: [
      "interface Vlan-interface31\n shutdown",
      "undo interface Vlan-interface31",
      "interface Vlan-interface31\n ip address 10.31.0.20 255.255.255.0",
      "interface Ten-GigabitEthernet1/0/1\n undo port trunk permit vlan 31",
      "undo vlan 31",
      "undo ip route-static 0.0.0.0 0",
      "undo ssh server enable",
      "undo local-user netops class manage",
      "local-user netops class manage\n undo service-type ssh",
      "acl basic 2001\n rule 1 deny source 10.66.1.0 0.0.0.255\n undo rule 0",
      "line vty 0 63\n authentication-mode none",
      "line vty 0 63\n protocol inbound telnet",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface GigabitEthernet1/0/2\n description d${below(99)}`,
        "interface GigabitEthernet1/0/2\n shutdown",
        `interface Vlan-interface41\n ip address 10.41.0.${1 + below(99)} 255.255.255.0`,
        "interface Vlan-interface41\n shutdown",
        `ip route-static 10.${70 + below(20)}.0.0 16 10.41.0.9`,
        "undo ip route-static 10.98.0.0 16 10.41.0.9",
        `acl basic 2001\n rule ${1 + below(3)} permit source 10.67.0.0 0.0.255.255`,
        "undo local-user guest class manage",
        "local-user guest class manage\n service-type telnet",
        "undo vlan 41",
        `vlan ${100 + below(99)}\n description x`,
        "line vty 0 63\n idle-timeout 30",
        "interface Ten-GigabitEthernet1/0/1\n undo port trunk permit vlan 41",
      ]),
  },
  FRRouting: {
    platform: "frr",
    session: { hosts: ["192.0.2.1"], locals: ["203.0.113.7"] },
    configuration: `hostname R1
ip route 203.0.113.0/24 192.0.2.254
ip route 10.0.0.0/8 198.51.100.2
interface eth0
 ip address 192.0.2.1/24
exit
interface eth1
 ip address 198.51.100.1/24
exit
router bgp 65001
 neighbor 198.51.100.2 remote-as 65002
exit
end
`,
    cuts: [
      "interface eth0\n shutdown",
      "interface eth0\n no ip address 192.0.2.1/24",
      "no ip route 203.0.113.0/24 192.0.2.254",
      "ip route 203.0.113.0/25 Null0",
      "ip route 203.0.113.7/32 blackhole",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface eth1\n description x${below(99)}`,
        "interface eth1\n shutdown",
        `interface eth0\n ip address 192.0.2.${100 + below(99)}/24`,
        `ip route 10.${below(99)}.0.0/16 198.51.100.2`,
        "no ip route 10.0.0.0/8 198.51.100.2",
        "no router bgp 65001",
        "router bgp 65001\n neighbor 198.51.100.2 shutdown",
        `ip prefix-list P seq ${below(99)} permit 10.0.0.0/8`,
        "ip route 203.0.114.0/24 Null0",
      ]),
  },
  "AOS-CX": {
    platform: "aruba_aoscx",
    session: { hosts: ["10.15.0.4"], locals: ["10.16.0.4"] },
    configuration: `hostname CX1
user netops group administrators password ciphertext AQBx
user guest group operators password ciphertext AQBy
ssh server vrf default
access-list ip EDGE
    10 deny any any any
vlan 1,15,25
interface 1/1/1
    no shutdown
    no routing
    vlan trunk native 1
    vlan trunk allowed 15,25
interface 1/1/2
    no shutdown
    no routing
    vlan access 25
interface vlan 15
    ip address 10.15.0.4/24
interface vlan 25
    ip address 10.25.0.1/24
ip route 0.0.0.0/0 10.15.0.1
ip route 10.90.0.0/16 10.25.0.9
https-server vrf default
`,
    cuts: [
      "interface vlan 15\n    shutdown",
      "interface vlan 15\n    no ip address 10.15.0.4/24",
      "interface vlan 15\n    ip address 10.15.0.40/24",
      "interface vlan 15\n    vrf attach RED",
      "interface 1/1/1\n    shutdown",
      "interface 1/1/1\n    no vlan trunk allowed 15",
      "interface 1/1/1\n    vlan access 25",
      "no vlan 15",
      "no interface vlan 15",
      "no ip route 0.0.0.0/0 10.15.0.1",
      "no ssh server vrf default",
      "no user netops",
      "interface vlan 15\n    apply access-list ip EDGE in",
      "aaa authentication login ssh group tacacs",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface 1/1/2\n    description d${below(99)}`,
        "interface 1/1/2\n    shutdown",
        `interface 1/1/2\n    vlan access ${one([1, 25])}`,
        "interface vlan 25\n    shutdown",
        `interface vlan 25\n    ip address 10.25.0.${1 + below(99)}/24`,
        `ip route 10.${90 + below(9)}.0.0/16 10.25.0.9`,
        "no ip route 10.90.0.0/16 10.25.0.9",
        "no user guest",
        "no vlan 25",
        "interface 1/1/1\n    vlan trunk allowed 15,25,35",
        "interface vlan 25\n    apply access-list ip EDGE in",
        "ntp server 10.1.1.1",
        "ssh server vrf mgmt",
      ]),
  },
  "NX-OS behind a channel": {
    platform: "cisco_nxos",
    session: { hosts: ["10.12.0.2"], locals: ["10.13.0.9"] },
    configuration: `hostname N5K
feature ssh
feature interface-vlan
username netops password 5 x role network-admin
ip access-list MG
  10 permit tcp 10.13.0.0/16 any eq 22
  20 deny ip any any
ip route 0.0.0.0/0 10.12.0.1
vlan 1,12,22
vrf context TENANT
interface Vlan12
  no shutdown
  ip access-group MG in
  ip address 10.12.0.2/24
interface Vlan22
  no shutdown
  ip address 10.22.0.1/24
interface port-channel10
  switchport mode trunk
  switchport trunk allowed vlan 12,22
interface Ethernet1/5
  switchport access vlan 22
line vty
`,
    cuts: [
      "interface Vlan12\n  shutdown",
      "interface Vlan12\n  vrf member TENANT",
      "interface port-channel10\n  shutdown",
      "interface port-channel10\n  switchport trunk allowed vlan 22",
      "no interface port-channel10",
      "no feature interface-vlan",
      "vlan 12\n  shutdown",
      "ip access-list MG\n  no 10",
      "ip access-list MG\n  5 deny tcp 10.13.0.0/24 any eq 22",
      "no ip route 0.0.0.0/0 10.12.0.1",
      "aaa authentication login default group radius",
      "username netops role vdc-operator",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface Ethernet1/${5 + below(9)}\n  description d${below(99)}`,
        "interface Ethernet1/5\n  shutdown",
        "interface Vlan22\n  shutdown",
        "interface port-channel10\n  switchport trunk allowed vlan add 32",
        "interface port-channel10\n  description uplink",
        `vlan ${100 + below(99)}\n  name x`,
        "no vlan 22",
        `ip access-list MG\n  ${11 + below(8)} permit tcp 10.14.0.0/16 any eq 22`,
        "vrf context TENANT\n  ip route 0.0.0.0/0 10.99.0.1",
        `ip route 10.${80 + below(9)}.0.0/16 10.22.0.9`,
        "line vty\n  exec-timeout 15",
        "feature lacp",
      ]),
  },
  "EOS in a VRF": {
    platform: "arista_eos",
    session: { hosts: ["10.45.0.2"], locals: ["10.46.0.2"], transport: "https", port: 443 },
    configuration: `hostname leaf2
username netops privilege 15 role network-admin secret sha512 x
vrf instance MGMT
interface Ethernet3
   no switchport
   ip address 10.55.0.1/31
interface Management1
   vrf MGMT
   ip address 10.45.0.2/24
ip access-list standard API
   10 permit 10.46.0.0/16
ip route vrf MGMT 0.0.0.0/0 10.45.0.1
management api http-commands
   no shutdown
   vrf MGMT
      no shutdown
`,
    cuts: [
      "interface Management1\n   shutdown",
      "interface Management1\n   no ip address",
      "interface Management1\n   vrf PROD",
      "no vrf instance MGMT",
      "management api http-commands\n   shutdown",
      "management api http-commands\n   vrf MGMT\n      shutdown",
      "no management api http-commands",
      "no ip route vrf MGMT 0.0.0.0/0 10.45.0.1",
      "management api http-commands\n   protocol https port 8443",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface Ethernet${3 + below(9)}\n   description d${below(99)}`,
        "interface Ethernet3\n   shutdown",
        "management ssh\n   shutdown",
        "management ssh\n   idle-timeout 10",
        `ip route 10.${below(40)}.0.0/16 10.55.0.0`,
        `vlan ${100 + below(99)}`,
        "vrf instance PROD",
        "management api http-commands\n   vrf default\n      no shutdown",
        `ip access-list standard API\n   ${20 + below(9)} permit 10.47.0.0/16`,
        "router bgp 65001\n   neighbor 10.55.0.0 remote-as 65002",
      ]),
  },
  "Junos over a channel": {
    platform: "juniper_junos",
    session: { hosts: ["10.70.0.2"], locals: ["10.71.0.2"], transport: "netconf", port: 830 },
    configuration: `set system host-name mx1
set system services ssh
set system services netconf ssh
set system login user netops class super-user
set system login user guest class read-only
set interfaces xe-0/0/0 gigether-options 802.3ad ae0
set interfaces ae0 unit 70 vlan-id 70
set interfaces ae0 unit 70 family inet address 10.70.0.2/24
set interfaces ae0 unit 80 vlan-id 80
set interfaces ae0 unit 80 family inet address 10.80.0.2/24
set routing-options static route 10.71.0.0/16 next-hop 10.70.0.1
set routing-options static route 10.90.0.0/16 next-hop 10.80.0.1
set firewall family inet filter MG term A from source-address 10.71.0.0/16
set firewall family inet filter MG term A then accept
set interfaces lo0 unit 0 family inet filter input MG
`,
    cuts: [
      "delete interfaces ae0",
      "set interfaces ae0 disable",
      "deactivate interfaces ae0 unit 70",
      "set interfaces ae0 unit 70 vlan-id 71",
      "delete interfaces ae0 unit 70 vlan-id",
      "delete interfaces xe-0/0/0 gigether-options",
      "set routing-instances CUST interface ae0.70",
      "delete system services netconf",
      "delete system services",
      "delete routing-options",
      "set routing-options static route 10.71.0.0/24 discard",
      "delete firewall family inet filter MG term A from source-address 10.71.0.0/16\nset firewall family inet filter MG term A from source-address 10.72.0.0/16",
      "set system login user netops class read-only",
      "delete interfaces ae0 unit 70 family inet",
    ],
    ordinary: ({ one, below }) =>
      one([
        `set interfaces ae0 unit 80 description d${below(99)}`,
        "set interfaces ae0 unit 80 disable",
        "delete interfaces ae0 unit 80 family inet address 10.80.0.2/24",
        `set interfaces ae0 unit ${90 + below(9)} vlan-id ${90 + below(9)}`,
        "set interfaces ae0 description bundle",
        "delete system login user guest",
        `set routing-options static route 10.${90 + below(9)}.0.0/16 next-hop 10.80.0.1`,
        "set firewall family inet filter MG term A from source-address 10.73.0.0/16",
        "set system services ssh root-login deny",
        `set protocols bgp group X neighbor 10.80.0.${3 + below(99)}`,
        "set routing-instances CUST interface ae0.80",
      ]),
  },
  VRP: {
    platform: "huawei",
    session: { hosts: ["10.21.0.2"], locals: ["10.22.0.2"] },
    configuration: `sysname CE1
vlan batch 21 51
acl number 3001
 rule 5 permit tcp source 10.22.0.0 0.0.255.255 destination-port eq 22
aaa
 local-user netops password irreversible-cipher x
 local-user netops service-type ssh
interface Vlanif21
 ip address 10.21.0.2 255.255.255.0
interface Vlanif51
 ip address 10.51.0.1 255.255.255.0
interface Eth-Trunk1
 port link-type trunk
 port trunk allow-pass vlan 21 51
ip route-static 10.22.0.0 255.255.0.0 10.21.0.1
ssh server enable
ssh user netops
user-interface vty 0 4
 acl 3001 inbound
 authentication-mode aaa
 protocol inbound ssh
`,
    cuts: [
      "interface Vlanif21\n ip binding vpn-instance OOB",
      "undo interface Vlanif21",
      "interface Eth-Trunk1\n shutdown",
      "interface Eth-Trunk1\n undo port trunk allow-pass vlan 21",
      "undo vlan batch 21",
      "undo ip route-static 10.22.0.0 255.255.0.0 10.21.0.1",
      "ip route-static 10.22.0.0 255.255.255.0 NULL0",
      "acl number 3001\n undo rule 5\n rule 10 permit tcp source 10.23.0.0 0.0.255.255 destination-port eq 22",
      "undo ssh user netops",
      "undo ssh server enable",
      "user-interface vty 0 4\n authentication-mode none",
      "aaa\n undo local-user netops",
    ],
    ordinary: ({ one, below }) =>
      one([
        `interface Vlanif51\n description d${below(99)}`,
        "interface Vlanif51\n shutdown",
        `interface Vlanif51\n ip address 10.51.0.${1 + below(99)} 255.255.255.0`,
        "undo vlan batch 51",
        "interface Eth-Trunk1\n undo port trunk allow-pass vlan 51",
        `ip route-static 10.${60 + below(9)}.0.0 255.255.0.0 10.51.0.9`,
        `acl number 3001\n rule ${6 + below(9)} permit tcp source 10.23.0.0 0.0.255.255 destination-port eq 22`,
        "aaa\n local-user other service-type ssh",
        "user-interface vty 0 4\n idle-timeout 15 0",
        "stelnet server enable",
        "info-center loghost 10.1.1.1",
        // Without rules it bounds nobody.
        "acl number 3001\n undo rule 5",
      ]),
  },
  VyOS: {
    platform: "vyos",
    session: { hosts: ["10.95.0.2"], locals: ["10.96.0.2"] },
    configuration: `set interfaces ethernet eth0 address '10.95.0.2/24'
set interfaces ethernet eth1 address '10.97.0.1/24'
set protocols static route 10.96.0.0/16 next-hop 10.95.0.1
set protocols static route 10.98.0.0/16 next-hop 10.97.0.9
set service ssh port '22'
set system host-name 'vyos'
set system login user netops authentication encrypted-password '$6$x'
set system login user guest authentication encrypted-password '$6$y'
`,
    cuts: [
      "set interfaces ethernet eth0 disable",
      "delete interfaces ethernet eth0",
      "delete interfaces ethernet eth0 address '10.95.0.2/24'",
      "delete interfaces ethernet eth0 address",
      "set interfaces ethernet eth0 vrf red",
      "delete protocols static route 10.96.0.0/16",
      "set protocols static route 10.96.0.0/24 blackhole",
      "delete service ssh",
      "set service ssh port 2222",
      "set service ssh disable-password-authentication",
      "delete system login user netops",
    ],
    ordinary: ({ one, below }) =>
      one([
        `set interfaces ethernet eth1 description d${below(99)}`,
        "set interfaces ethernet eth1 disable",
        "delete interfaces ethernet eth1 address '10.97.0.1/24'",
        `set interfaces ethernet eth1 vif ${100 + below(99)} address 10.99.0.1/24`,
        `set protocols static route 10.${60 + below(9)}.0.0/16 next-hop 10.97.0.9`,
        "delete protocols static route 10.98.0.0/16",
        "delete system login user guest",
        "set system login user other authentication encrypted-password x",
        `set protocols bgp neighbor 10.97.0.${2 + below(99)} remote-as 65001`,
        "set service ntp server 10.1.1.1",
        "set interfaces ethernet eth0 description uplink",
        `set interfaces ethernet eth0 address 10.95.0.${100 + below(99)}/24`,
      ]),
  },
};

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

const all = Object.entries(places);

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
