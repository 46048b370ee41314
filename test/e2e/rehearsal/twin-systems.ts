/** Stored configurations of six systems, lines that are pushed to them, and what they leave. */

interface TwinSystem {
  readonly platform: string;
  readonly configuration: string;
  readonly lines: readonly string[];
  /** The command that shows the configuration. */
  readonly shows: string;
  /** Lines that are there then, and some that are not any more. */
  readonly left: readonly string[];
  readonly gone: readonly string[];
}

export const systems: readonly TwinSystem[] = [
  {
    platform: "cisco_ios",
    configuration: `version 15.2
hostname core1
!
interface GigabitEthernet0/1
 description uplink
 ip address 10.0.0.1 255.255.255.0
!
interface GigabitEthernet0/2
 no ip address
 shutdown
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
!
ip route 0.0.0.0 0.0.0.0 10.0.0.2
ntp server 192.0.2.1
!
end
`,
    lines: [
      "hostname core2",
      "interface GigabitEthernet0/1",
      "no description",
      "interface GigabitEthernet0/2",
      "description server 7",
      "no shutdown",
      "router bgp 65001",
      "neighbor 10.0.0.3 remote-as 65003",
      "exit",
      "no ip route 0.0.0.0 0.0.0.0 10.0.0.2",
      "ntp server 192.0.2.2",
    ],
    shows: "show running-config",
    left: [
      "hostname core2",
      "interface GigabitEthernet0/2\n no ip address\n description server 7\n",
      "router bgp 65001\n neighbor 10.0.0.2 remote-as 65002\n neighbor 10.0.0.3 remote-as 65003\n",
      "ntp server 192.0.2.1\nntp server 192.0.2.2",
    ],
    gone: ["uplink", "shutdown", "ip route", "core1"],
  },
  {
    platform: "arista_eos",
    configuration: `! device: leaf1 (DCS-7050SX3-48YC8, EOS-4.30.4M)
!
hostname leaf1
!
vlan 10
   name servers
!
interface Ethernet1
   description server 17
   switchport access vlan 10
!
router bgp 65011
   neighbor 192.0.2.0 remote-as 65001
!
end
`,
    lines: [
      "vlan 20",
      "   name voice",
      "interface Ethernet1",
      "   switchport access vlan 20",
      "   no description",
      "router bgp 65011",
      "   neighbor 192.0.2.2 remote-as 65001",
    ],
    shows: "show running-config",
    left: [
      "vlan 20\n   name voice\n",
      "interface Ethernet1\n   switchport access vlan 20\n",
      "   neighbor 192.0.2.2 remote-as 65001\n",
    ],
    gone: ["server 17", "access vlan 10"],
  },
  {
    platform: "juniper_junos",
    configuration: `## Last commit: 2026-11-20 07:05:01 UTC by admin
version 21.4R3;
system {
    host-name edge1;
    services {
        ssh;
    }
}
interfaces {
    ge-0/0/0 {
        description uplink;
        unit 0 {
            family inet {
                address 10.0.0.1/24;
            }
        }
    }
}
`,
    lines: [
      "set system host-name edge2",
      "delete interfaces ge-0/0/0 description",
      "set interfaces ge-0/0/1 unit 0 family inet address 10.1.0.1/24",
    ],
    shows: "show configuration",
    left: [
      "host-name edge2;",
      "    ge-0/0/1 {\n        unit 0 {\n            family inet {\n                address 10.1.0.1/24;\n",
    ],
    gone: ["uplink", "edge1"],
  },
  {
    platform: "huawei",
    configuration: `!Software Version V200R019C10
#
 sysname ar1
#
vlan batch 10
#
interface GigabitEthernet0/0/1
 description uplink
 ip address 10.0.0.1 255.255.255.0
#
bgp 65001
 peer 10.0.0.2 as-number 65002
#
return
`,
    lines: [
      "vlan batch 20",
      "interface GigabitEthernet0/0/1",
      " undo description",
      " quit",
      "bgp 65001",
      " peer 10.0.0.3 as-number 65003",
      " quit",
      "sysname ar2",
    ],
    shows: "display current-configuration",
    left: ["sysname ar2", "vlan batch 10 20", " peer 10.0.0.3 as-number 65003\n"],
    gone: ["uplink", "ar1"],
  },
  {
    platform: "fortinet",
    configuration: `#config-version=FGT60F-7.2.5-FW-build1517-230606:opmode=0:vdom=0:user=admin
config system global
    set hostname "fw1"
    set timezone 26
end
config firewall address
    edit "srv"
        set subnet 10.0.0.5 255.255.255.255
    next
end
config firewall policy
    edit 1
        set name "out"
        set srcaddr "all"
    next
end
`,
    lines: [
      "config system global",
      "set timezone 30",
      "end",
      "config firewall address",
      'edit "web"',
      "set subnet 10.0.0.6 255.255.255.255",
      "next",
      'delete "srv"',
      "end",
      "config firewall policy",
      "edit 2",
      'set name "in"',
      "next",
      "move 2 before 1",
      "end",
    ],
    shows: "show",
    left: [
      "    set timezone 30\n",
      '    edit \\"web\\"\n        set subnet 10.0.0.6 255.255.255.255\n    next\nend',
      'config firewall policy\n    edit 2\n        set name \\"in\\"\n    next\n    edit 1\n',
    ],
    gone: ["srv", "timezone 26"],
  },
  {
    platform: "vyos",
    configuration: `interfaces {
    ethernet eth0 {
        address 10.0.0.1/24
        description uplink
    }
}
system {
    host-name vr1
}
`,
    lines: [
      "set interfaces ethernet eth1 address 10.1.0.1/24",
      "delete interfaces ethernet eth0 description",
      "set system host-name vr2",
    ],
    shows: "show configuration",
    left: ["    ethernet eth1 {\n        address 10.1.0.1/24\n    }\n", "    host-name vr2\n"],
    gone: ["uplink", "vr1"],
  },
];
