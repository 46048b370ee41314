/** Devices, with the way that somebody comes in, lines that cut it, and ordinary ones: routers. */
import type { SessionFacts } from "../../src/configlines/lockout.ts";
import type { Random } from "../configtree/frr-configurations.ts";

export interface Place {
  readonly platform: string;
  readonly session: Partial<SessionFacts> & Pick<SessionFacts, "hosts" | "locals">;
  readonly configuration: string;
  /** Each cuts us off. */
  readonly cuts: readonly string[];
  /** What people push on other days. */
  ordinary(random: Random): string;
}

export const routers: Readonly<Record<string, Place>> = {
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
};
