/** The starter set parses outputs that are not in the recordings. */

import { describe, expect, test } from "vitest";
import { defaultTemplateLimits } from "../../python/text.ts";
import { TemplateSet } from "../library.ts";
import { starterSet } from "../starter.ts";

const set = new TemplateSet(starterSet(), defaultTemplateLimits);

describe("the starter set parses", () => {
  const parse = (platform: string, command: string, text: string) => {
    const row = set.index.find(platform, command);
    const [template] = row === undefined ? [] : set.load(row);
    const header = template?.machine.header ?? [];
    return template?.machine
      .run(text, true)
      .map((cells) => Object.fromEntries(header.map((name, column) => [name, cells[column]])));
  };

  test("show vlan of ios", () => {
    const text = [
      "VLAN Name                             Status    Ports",
      "---- -------------------------------- --------- -------------------------------",
      "1    default                          active    Gi1/0/1, Gi1/0/2, Gi1/0/3",
      "                                                Gi1/0/4, Te1/1/1",
      "10   USERS                            active    ",
      "1002 fddi-default                     act/unsup ",
      "",
      "VLAN Type  SAID       MTU   Parent RingNo BridgeNo Stp  BrdgMode Trans1 Trans2",
      "1    enet  100001     1500  -      -      -        -    -        0      0",
    ].join("\n");
    expect(parse("cisco_ios", "show vlan", text)).toEqual([
      {
        VLAN_ID: "1",
        VLAN_NAME: "default",
        STATUS: "active",
        INTERFACES: ["Gi1/0/1", "Gi1/0/2", "Gi1/0/3", "Gi1/0/4", "Te1/1/1"],
      },
      { VLAN_ID: "10", VLAN_NAME: "USERS", STATUS: "active", INTERFACES: [] },
      { VLAN_ID: "1002", VLAN_NAME: "fddi-default", STATUS: "act/unsup", INTERFACES: [] },
    ]);
  });

  test("show ip interface brief and show cdp neighbors detail of ios", () => {
    const brief = [
      "Interface              IP-Address      OK? Method Status                Protocol",
      "GigabitEthernet0/0     10.0.0.1        YES NVRAM  up                    up",
      "Vlan1                  unassigned      YES unset  administratively down down",
    ].join("\n");
    expect(parse("cisco_ios", "show ip interface brief", brief)).toEqual([
      { INTERFACE: "GigabitEthernet0/0", IP_ADDRESS: "10.0.0.1", STATUS: "up", PROTO: "up" },
      { INTERFACE: "Vlan1", IP_ADDRESS: "unassigned", STATUS: "administratively down", PROTO: "down" },
    ]);
    const detail = [
      "-------------------------",
      "Device ID: sw1.example.net",
      "Entry address(es):",
      "  IP address: 10.0.0.2",
      "Platform: cisco WS-C2960X-48TS-L,  Capabilities: Switch IGMP",
      "Interface: GigabitEthernet0/1,  Port ID (outgoing port): GigabitEthernet1/0/48",
      "Holdtime : 152 sec",
      "",
      "Version :",
      "Cisco IOS Software, C2960X Software, Version 15.2(2)E7",
    ].join("\n");
    expect(parse("cisco_ios", "show cdp neighbors detail", detail)).toEqual([
      {
        NEIGHBOR_NAME: "sw1.example.net",
        MGMT_ADDRESS: "10.0.0.2",
        PLATFORM: "cisco WS-C2960X-48TS-L",
        NEIGHBOR_INTERFACE: "GigabitEthernet1/0/48",
        LOCAL_INTERFACE: "GigabitEthernet0/1",
        NEIGHBOR_DESCRIPTION: "Cisco IOS Software, C2960X Software, Version 15.2(2)E7",
        CAPABILITIES: "Switch IGMP",
      },
    ]);
  });

  test("show vlan, show cdp neighbors and show ip arp of nxos", () => {
    const vlan = [
      "VLAN Name                             Status    Ports",
      "---- -------------------------------- --------- -------------------------------",
      "1    default                          active    Eth1/1, Eth1/2, Eth1/3, Eth1/4",
      "                                                Eth1/5",
      "20   servers                          active    Po10, Eth1/9",
      "",
      "VLAN Type         Vlan-mode",
      "---- -----        ----------",
      "1    enet         CE",
    ].join("\n");
    expect(parse("cisco_nxos", "show vlan", vlan)).toEqual([
      {
        VLAN_ID: "1",
        VLAN_NAME: "default",
        STATUS: "active",
        INTERFACES: ["Eth1/1", "Eth1/2", "Eth1/3", "Eth1/4", "Eth1/5"],
      },
      { VLAN_ID: "20", VLAN_NAME: "servers", STATUS: "active", INTERFACES: ["Po10", "Eth1/9"] },
    ]);
    const cdp = [
      "Device-ID          Local Intrfce  Hldtme Capability  Platform      Port ID",
      "a-long-name.example.net(FDO1234)",
      "                    Eth1/1         134    R S I s   N9K-C9372PX   Eth1/54",
      "sw2                 mgmt0          150    S I       WS-C2960      Gig1/0/1",
    ].join("\n");
    expect(parse("cisco_nxos", "show cdp neighbors", cdp)).toMatchObject([
      {
        NEIGHBOR_NAME: "a-long-name.example.net(FDO1234)",
        LOCAL_INTERFACE: "Eth1/1",
        CAPABILITIES: "R S I s",
      },
      {
        NEIGHBOR_NAME: "sw2",
        LOCAL_INTERFACE: "mgmt0",
        PLATFORM: "WS-C2960",
        NEIGHBOR_INTERFACE: "Gig1/0/1",
      },
    ]);
    const arp =
      "Address         Age       MAC Address     Interface\n10.0.0.9        00:01:02  0050.56aa.bbcc  Vlan10\n";
    expect(parse("cisco_nxos", "show ip arp", arp)).toEqual([
      { IP_ADDRESS: "10.0.0.9", AGE: "00:01:02", MAC_ADDRESS: "0050.56aa.bbcc", INTERFACE: "Vlan10" },
    ]);
  });

  test("show arp and show cdp neighbors of xr", () => {
    const arp = [
      "-------------------------------------------------------------------------------",
      "0/0/CPU0",
      "-------------------------------------------------------------------------------",
      "Address         Age        Hardware Addr   State      Type  Interface",
      "10.1.1.1        -          0050.56aa.0001  Interface  ARPA  GigabitEthernet0/0/0/0",
      "10.1.1.2        00:12:10   0050.56aa.0002  Dynamic    ARPA  GigabitEthernet0/0/0/0",
    ].join("\n");
    expect(parse("cisco_xr", "show arp", arp)).toMatchObject([
      { IP_ADDRESS: "10.1.1.1", AGE: "-", STATE: "Interface", CPU: "0/0/CPU0" },
      { IP_ADDRESS: "10.1.1.2", MAC_ADDRESS: "0050.56aa.0002", STATE: "Dynamic", CPU: "0/0/CPU0" },
    ]);
  });

  test("show vlan, show lldp neighbors and show mac address-table of eos", () => {
    const vlan = [
      "VLAN  Name                             Status    Ports",
      "----- -------------------------------- --------- -------------------------------",
      "1     default                          active    Et1, Et2, PEt3",
      "10*   blue                             active    Cpu, Po1",
    ].join("\n");
    expect(parse("arista_eos", "show vlan", vlan)).toEqual([
      { VLAN_ID: "1", VLAN_NAME: "default", STATUS: "active", INTERFACES: ["Et1", "Et2", "PEt3"] },
      { VLAN_ID: "10", VLAN_NAME: "blue", STATUS: "active", INTERFACES: ["Cpu", "Po1"] },
    ]);
    const lldp = [
      "Port          Neighbor Device ID       Neighbor Port ID    TTL",
      "---------- ------------------------ ---------------------- ---",
      "Et1           leaf2.example.net        Ethernet1           120",
    ].join("\n");
    expect(parse("arista_eos", "show lldp neighbors", lldp)).toEqual([
      { NEIGHBOR_NAME: "leaf2.example.net", LOCAL_INTERFACE: "Et1", NEIGHBOR_INTERFACE: "Ethernet1" },
    ]);
    const mac = [
      "Vlan    Mac Address       Type        Ports      Moves   Last Move",
      "----    -----------       ----        -----      -----   ---------",
      "   1    0050.56aa.0001    DYNAMIC     Et1        1       0:00:10 ago",
    ].join("\n");
    expect(parse("arista_eos", "show mac address-table", mac)).toEqual([
      {
        VLAN_ID: "1",
        MAC_ADDRESS: "0050.56aa.0001",
        TYPE: "DYNAMIC",
        DESTINATION_PORT: ["Et1"],
        MOVES: "1",
        LAST_MOVE: "0:00:10 ago",
      },
    ]);
  });

  test("show interfaces terse, show bgp summary and show vlans of junos", () => {
    const terse = [
      "Interface               Admin Link Proto    Local                 Remote",
      "ge-0/0/0                up    up",
      "ge-0/0/0.0              up    up   inet     10.0.0.1/30",
      "ge-0/0/1                up    down",
    ].join("\n");
    expect(parse("juniper_junos", "show interfaces terse", terse)).toMatchObject([
      { INTERFACE: "ge-0/0/0", ADMIN_STATE: "up", LINK_STATUS: "up" },
      { INTERFACE: "ge-0/0/0.0", PROTOCOL: "inet", LOCAL: "10.0.0.1/30" },
      { INTERFACE: "ge-0/0/1", LINK_STATUS: "down" },
    ]);
    const bgp = [
      "Peer                     AS      InPkt     OutPkt    OutQ   Flaps Last Up/Dwn State|#Active/Received/Accepted/Damped...",
      "10.0.0.2              65001        123        124       0       1       55:10 3/5/5/0              0/0/0/0",
      "10.0.0.6              65002          0          0       0       0     1w2d3h Active",
    ].join("\n");
    expect(parse("juniper_junos", "show bgp summary", bgp)).toMatchObject([
      { PEER_IP: "10.0.0.2", PEER_AS: "65001", ACTIVE: "3", RECEIVED: "5", ACCEPTED: "5", DAMPED: "0" },
      { PEER_IP: "10.0.0.6", LAST_FLAP: "1w2d3h", STATE: "Active" },
    ]);
    const vlans = [
      "Routing instance        VLAN name             Tag          Interfaces",
      "default-switch          default               1",
      "",
      "default-switch          users                 20",
      "                                                           ge-0/0/1.0*",
      "                                                           ge-0/0/2.0",
    ].join("\n");
    expect(parse("juniper_junos", "show vlans", vlans)).toEqual([
      { ROUTING_INSTANCE: "default-switch", VLAN_NAME: "default", TAG: "1", INTERFACES: [] },
      {
        ROUTING_INSTANCE: "default-switch",
        VLAN_NAME: "users",
        TAG: "20",
        INTERFACES: ["ge-0/0/1.0", "ge-0/0/2.0"],
      },
    ]);
  });

  test("display version, display mac-address and display vlan brief of comware", () => {
    const version = [
      "HPE Comware Software, Version 7.1.070, Release 2612P02",
      "Copyright (c) 2010-2018 Hewlett Packard Enterprise Development LP",
      "HPE 5130-48G-PoE+-4SFP+ EI uptime is 1 week, 2 days, 3 hours, 4 minutes",
      "Last reboot reason : User reboot",
      "",
      "Boot image: flash:/5130ei-cmw710-boot-r2612p02.bin",
    ].join("\n");
    expect(parse("hp_comware", "display version", version)).toEqual([
      {
        SOFTWARE_VERSION: "7.1.070",
        RELEASE: "2612P02",
        MODEL: "5130-48G-PoE+-4SFP+ EI",
        UPTIME: "1 week, 2 days, 3 hours, 4 minutes",
        BOOT_IMAGE: "flash:/5130ei-cmw710-boot-r2612p02.bin",
        LAST_REBOOT_REASON: "User reboot",
      },
    ]);
    const mac = [
      "MAC Address      VLAN ID    State            Port/Nickname            Aging",
      "0050-56aa-0001   1          Learned          GE1/0/1                  Y",
    ].join("\n");
    expect(parse("hp_comware", "display mac-address", mac)).toEqual([
      { MAC_ADDRESS: "0050-56aa-0001", VLAN_ID: "1", STATE: "Learned", INTERFACE: "GE1/0/1", AGING: "Y" },
    ]);
  });

  test("display mac-address and display ip interface brief of huawei", () => {
    const mac = [
      "-------------------------------------------------------------------------------",
      "MAC Address    VLAN/VSI                          Learned-From        Type",
      "-------------------------------------------------------------------------------",
      "0050-56aa-0001 10/-                              GE0/0/1             dynamic",
    ].join("\n");
    expect(parse("huawei_vrp", "display mac-address", mac)).toEqual([
      { DESTINATION_ADDRESS: "0050-56aa-0001", DESTINATION_PORT: "GE0/0/1", TYPE: "dynamic", VLAN_ID: "10" },
    ]);
    const brief = [
      "*down: administratively down",
      "Interface                         IP Address/Mask      Physical   Protocol",
      "LoopBack0                         192.0.2.1/32         up         up(s)",
      "Vlanif10                          unassigned           *down      down",
    ].join("\n");
    expect(parse("huawei_vrp", "display ip interface brief", brief)).toMatchObject([
      { INTERFACE: "LoopBack0", IP_ADDRESS: "192.0.2.1/32", PHYSICAL: "up", PROTOCOL: "up(s)" },
      { INTERFACE: "Vlanif10", IP_ADDRESS: "unassigned", PHYSICAL: "*down", PROTOCOL: "down" },
    ]);
  });
});
