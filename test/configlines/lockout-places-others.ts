/** The same for other systems, and other ways in. */
import type { Place } from "./lockout-places.ts";

export const others: Readonly<Record<string, Place>> = {
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
  RouterOS: {
    platform: "mikrotik_routeros",
    session: { hosts: ["10.30.0.1"], locals: ["10.40.0.7"] },
    configuration: `# 2026-11-30 10:00:00 by RouterOS 7.12.1
/interface bridge
add name=bridge1
/interface ethernet
set [ find default-name=ether1 ] name=wan
/interface vlan
add interface=bridge1 name=mgmt vlan-id=30
add interface=bridge1 name=users vlan-id=40
/interface bridge port
add bridge=bridge1 interface=ether2
/ip address
add address=10.30.0.1/24 interface=mgmt
add address=10.31.0.1/24 interface=users
add address=203.0.113.9/30 interface=wan
/ip firewall address-list
add address=10.40.0.0/16 list=admins
add address=192.0.2.0/24 list=guests
/ip firewall filter
add action=accept chain=input connection-state=established,related
add action=accept chain=input comment="those who manage it" dst-port=22,8291 \\
    protocol=tcp src-address-list=admins
add action=drop chain=input
add action=drop chain=forward comment=guests src-address=10.31.0.0/24
/ip route
add dst-address=10.40.0.0/16 gateway=10.30.0.254
add dst-address=172.16.0.0/12 gateway=10.31.0.254
/ip service
set telnet disabled=yes
/user
add group=full name=netops
add group=read name=guest
`,
    cuts: [
      "/ip address remove [ find address=10.30.0.1/24 ]",
      "/ip address\nset [find interface=mgmt] address=10.30.0.2/24",
      "/ip/address/disable [find where interface=mgmt]",
      "/interface vlan remove mgmt",
      "/interface vlan set mgmt vlan-id=31",
      "/interface bridge disable bridge1",
      "/interface bridge port remove [ find interface=ether2 ]",
      '/ip firewall filter remove [ find comment="those who manage it" ]',
      "/ip firewall filter disable 1",
      "/ip firewall filter move [ find action=drop chain=input ] destination=0",
      "/ip firewall filter add action=drop chain=input place-before=0",
      "/ip firewall address-list remove [ find list=admins ]",
      "/ip firewall raw add action=drop chain=prerouting src-address=10.40.0.0/16",
      "/ip route remove [ find gateway=10.30.0.254 ]",
      "/ip route\nadd dst-address=10.40.0.0/24 gateway=10.31.0.254",
      "/ip service set ssh disabled=yes",
      "/ip service disable ssh",
      "/ip service set ssh port=2222",
      "/ip service set ssh address=192.0.2.0/24,198.51.100.0/24",
      "/user remove netops",
      "/user set netops password=other",
      "/user set [find name=netops] address=192.0.2.0/24",
    ],
    ordinary: ({ one, below }) =>
      one([
        `/ip firewall filter add action=accept chain=input protocol=icmp comment=x${below(99)} place-before=0`,
        "/ip firewall filter add action=drop chain=forward src-address=10.31.7.0/24",
        "/ip firewall filter remove [ find comment=guests ]",
        "/ip firewall address-list remove [ find list=guests ]",
        `/ip firewall address-list add list=admins address=198.51.100.${below(99)}`,
        `/ip address add address=10.${50 + below(99)}.0.1/24 interface=users`,
        "/ip address remove [ find interface=users ]",
        "/interface vlan disable users",
        "/interface ethernet set wan mtu=1400",
        `/ip route add dst-address=192.168.${below(99)}.0/24 gateway=10.31.0.254`,
        "/ip route remove [ find dst-address=172.16.0.0/12 ]",
        "/ip service set www disabled=yes",
        "/ip service set ssh address=10.40.0.0/16",
        "/user remove guest",
        `/system identity set name=r${below(99)}`,
      ]),
  },
};
