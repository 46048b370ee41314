/** The getters of `nxos_ssh` on responses of other releases and devices, and on nonsensical ones. */

import { describe, expect, test } from "vitest";
import type { Method } from "../../../../plugins/drivers/napalm/methods.ts";
import { usersOf } from "../../../../plugins/drivers/napalm/systems/nxos-common/administration.ts";
import {
  getLldpNeighbors,
  getLldpNeighborsDetail,
} from "../../../../plugins/drivers/napalm/systems/nxos-common/lldp.ts";
import { structureOf } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/device.ts";
import { getFacts } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/facts.ts";
import {
  getInterfaces,
  getInterfacesCounters,
  getOptics,
} from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/interfaces.ts";
import { getRouteTo } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/routes.ts";
import {
  getArpTable,
  getMacAddressTable,
  getNtpPeers,
  getNtpServers,
} from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/tables.ts";
import { nxosSshGetters } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters.ts";
import { argumentsOf, deviceSaying, hostileTexts } from "../sayings.ts";

function nexusSaying(answers: Readonly<Record<string, string>>) {
  const text = deviceSaying(answers);
  return { text, json: async (command: string) => structureOf(command, await text(`${command} | json`)) };
}

test("get_interfaces_counters prefers the detailed counters", async () => {
  const rows = (list: unknown) => JSON.stringify({ TABLE_interface: { ROW_interface: list } });
  const device = nexusSaying({
    "show interface counters detailed | json": rows({
      interface: "Ethernet1/1",
      eth_outucast: "7",
      eth_inbytes: 9,
    }),
    "show interface | json": rows([
      { interface: "Ethernet1/1", eth_outucast: "1", eth_indiscard: "3" },
      { interface: "mgmt0", mgmt_in_bytes: "5" },
      { interface: "Vlan1", svi_line_proto: "up" },
    ]),
  });
  const counters = await getInterfacesCounters(device, {});
  expect(Object.keys(counters)).toEqual(["Ethernet1/1", "mgmt0"]);
  expect(counters["Ethernet1/1"]).toMatchObject({
    tx_unicast_packets: 7,
    rx_octets: 9,
    rx_discards: 3,
    tx_errors: 0,
  });
  expect(counters.mgmt0).toMatchObject({ rx_octets: 5, tx_octets: 0 });
});

test("get_interfaces reads all kinds of states, and -1 for an unknown speed", async () => {
  const output = [
    "Ethernet1/1 is down (Administratively down)",
    "admin state is down, Dedicated Interface",
    "  Hardware: 1000/10000 Ethernet, address: 0000.0000.0001 (bia 0000.0000.0001)",
    "  Description: to the left",
    "  MTU 9216 bytes, BW 10000000 Kbit, DLY 10 usec",
    "Vlan10 is up, line protocol is down, autostate enabled",
    "  Hardware is EtherSVI, address is  0000.0000.0002",
    "  MTU 1500 bytes, BW 1000000 Kbit, DLY 10 usec,",
    "nve1 is up",
    "admin state is up,  Hardware: NVE",
    "  MTU 9216 bytes",
  ].join("\n");
  expect(await getInterfaces(nexusSaying({ "show interface": output }), {})).toEqual({
    "Ethernet1/1": {
      is_up: false,
      is_enabled: false,
      description: "to the left",
      last_flapped: -1,
      mac_address: "00:00:00:00:00:01",
      mtu: 9216,
      speed: 10_000,
    },
    Vlan10: {
      is_up: false,
      is_enabled: true,
      description: "",
      last_flapped: -1,
      mac_address: "",
      mtu: 1500,
      speed: 1000,
    },
    nve1: {
      is_up: true,
      is_enabled: true,
      description: "",
      last_flapped: -1,
      mac_address: "",
      mtu: 9216,
      speed: -1,
    },
  });
});

test("get_lldp_neighbors and get_lldp_neighbors_detail use full interface names, or chassis as name", async () => {
  const output = [
    "Capability codes:",
    "  (R) Router, (B) Bridge, (T) Telephone",
    "",
    "Chassis id: 0024.f7dd.7741",
    "Port id: Eth1/2",
    "Local Port id: Eth1/1",
    "Port Description: null",
    "System Name: N/A",
    "System Description: Cisco Nexus: a switch",
    "System Capabilities: B, R",
    "Enabled Capabilities: not advertised",
  ].join("\n");
  const device = nexusSaying({
    "show lldp neighbors detail": output,
    "show lldp neighbors interface Ethernet1/1 detail": output,
  });
  expect(await getLldpNeighbors(device, {})).toEqual({
    "Ethernet1/1": [{ hostname: "0024.f7dd.7741", port: "Eth1/2" }],
  });
  expect(await getLldpNeighborsDetail(device, { interface: "Ethernet1/1" })).toMatchObject({
    "Ethernet1/1": [
      {
        remote_system_description: "Cisco Nexus: a switch",
        remote_system_capab: ["bridge", "router"],
        remote_system_enable_capab: [],
      },
    ],
  });
  expect(await getLldpNeighbors(nexusSaying({}), {})).toEqual({});
});

test("get_lldp_neighbors counts the last neighbour once its interface is known", async () => {
  const last = [
    "Chassis id: 0024.f7dd.7741",
    "Port id: Eth1/2",
    "Local Port id: Eth1/1",
    "System Name: last",
  ];
  const ask = (lines: readonly string[]) =>
    getLldpNeighbors(nexusSaying({ "show lldp neighbors detail": lines.join("\n") }), {});
  expect(await ask(last)).toEqual({ "Ethernet1/1": [{ hostname: "last", port: "Eth1/2" }] });
  expect(await ask(last.slice(0, 2))).toEqual({});
});

test.each([
  ["00:10:12", 612],
  ["0.411797", 0.4],
  ["1d02h", -1],
  ["-", -1],
])("get_arp_table reads the age `%s`", async (said, age) => {
  const device = nexusSaying({
    "show ip arp vrf default | exc INCOMPLETE": `Address         Age       MAC Address     Interface\n10.0.0.1    ${said}  0026.980a.df44  Vlan7`,
  });
  expect(await getArpTable(device, { vrf: "default" })).toMatchObject([{ ip: "10.0.0.1", age }]);
});

test("get_ntp_peers and get_ntp_servers list addresses and names", async () => {
  const rule = "-".repeat(50);
  const output = `${rule}\n  Peer IP Address               Serv/Peer\n${rule}\n  10.0.0.1                      Server (configured)\n  ntp.example.net               Peer (configured)\n`;
  const device = nexusSaying({ "show ntp peers": output });
  expect(await getNtpPeers(device, {})).toEqual({ "10.0.0.1": {}, "ntp.example.net": {} });
  expect(await getNtpServers(device, {})).toEqual({ "10.0.0.1": {}, "ntp.example.net": {} });
});

test("get_mac_address_table reads routed addresses, several ports and wrapped lines", async () => {
  const output = [
    "   VLAN     MAC Address      Type      age     Secure NTFY Ports",
    "---------+-----------------+--------+---------+------+----+------------------",
    "G -        0000.0000.0001    static       -       F    F  sup-eth1(R)",
    "  39       0100.5e00.4b4b    igmp         0       F    F  Po1 Po2",
    "                                                          Eth142/1/3 Eth112/1/5",
    "* 17       0026.980a.df44    dynamic      -       F    F    vPC Peer-Link",
    "* 18       0026.980a.df44    dynamic      -       F    F    vPC Peer-Link(R)",
  ].join("\n");
  const table = await getMacAddressTable(nexusSaying({ "show mac address-table": output }), {});
  expect(
    table.map(({ vlan, interface: name, static: fixed, active }) => [vlan, name, fixed, active]),
  ).toEqual([
    [0, "sup-eth1(R)", true, false],
    [39, "Port-channel1", false, false],
    [39, "Port-channel2", false, false],
    [39, "Ethernet142/1/3", false, false],
    [39, "Ethernet112/1/5", false, false],
    [17, "vPC-Peer-Link", false, true],
    [18, "vPC-Peer-Link(R)", false, true],
  ]);
});

test("get_optics reads levels and type of a transceiver", async () => {
  const output = [
    "Ethernet1/1",
    "    transceiver is present",
    "    type is 10Gbase-SR",
    "    name is CISCO-FINISAR   ",
    "    part number is FTLX8571D3BCL-C2",
    "    revision is A",
    "    serial number is FNS1",
    "  Current          7.51 mA        11.80 mA      4.00 mA",
    "  Tx Power         -2.41 dBm       1.69 dBm",
    "  Rx Power         N/A",
    "Ethernet1/2",
    "    transceiver is not present",
  ].join("\n");
  const optics = await getOptics(nexusSaying({ "show interface transceiver details": output }), {});
  expect(optics).toMatchObject({
    "Ethernet1/1": {
      state: { vendor: "CISCO-FINISAR", connector_type: "LC_CONNECTOR" },
      physical_channels: {
        channel: [
          {
            state: {
              laser_bias_current: { instant: 7.51 },
              output_power: { instant: -2.41 },
              input_power: { instant: -100 },
            },
          },
        ],
      },
    },
  });
  expect(Object.keys(optics)).toEqual(["Ethernet1/1"]);
});

test("get_route_to lists hops of the routing table with full interface names", async () => {
  const output = [
    'IP Route Table for VRF "default"',
    "10.0.0.0/8, ubest/mbest: 2/0",
    "    *via 10.1.1.1, Eth1/1, [110/20], 1d02h, ospf-1, intra",
    "    **via 10.1.1.2, Eth1/2, [110/20], 1d02h, ospf-1, intra",
    "     via 10.1.1.3, [1/0], 00:00:09, static",
    "     via 10.1.1.4, port-channel4, [1/0], 1w0d, static",
  ].join("\n");
  const device = nexusSaying({ "show ip route vrf all 10.0.0.1": output });
  expect(await getRouteTo(device, argumentsOf("get_route_to", { destination: "10.0.0.1" }))).toMatchObject({
    "10.0.0.0/8": [
      { next_hop: "10.1.1.1", outgoing_interface: "Ethernet1/1", age: 93_600, selected_next_hop: true },
      { next_hop: "10.1.1.3", outgoing_interface: "", age: 9, selected_next_hop: false },
    ],
  });
});

test("get_facts reads the version of a switch that also reports its host's version", async () => {
  const version = ["  NXOS: version 10.3(5) [Maintenance Release]", "  Host NXOS: version 10.3(5)"].join(
    "\n",
  );
  const device = nexusSaying({
    "show version": version,
    "show hosts": "",
    "show interface status": "",
    "show hostname": "sw1",
    "show inventory | json": "{}",
  });
  expect(await getFacts(device, {})).toMatchObject({ os_version: "10.3(5)", hostname: "sw1" });
});

test("get_users reports the highest role and the keys of each user", () => {
  const config = [
    "username a password 5 $5$x  role network-operator",
    "username a role network-admin",
    "username a sshkey ssh-rsa AAAA a@b",
    "username b password 5 $5$y  role priv-3",
  ].join("\n");
  expect(usersOf(config)).toEqual({
    a: { password: "$5$x", level: 15, sshkeys: ["AAAA a@b"] },
    b: { password: "$5$y", level: 3, sshkeys: [] },
  });
});

describe("a nonsensical response", () => {
  test.each(Object.keys(nxosSshGetters) as Method[])("is handled in time by %s", async (method) => {
    for (const text of hostileTexts) {
      const device = { text: async () => text, json: async (command: string) => structureOf(command, text) };
      const getter = nxosSshGetters[method] as (device: unknown, args: unknown) => Promise<unknown>;
      const result = await getter(device, argumentsOf(method, { destination: "10.0.0.1" })).catch(
        (error) => error.kind,
      );
      const isError = ["CommandError", "ParseError", "OutputTooLarge"].includes(String(result));
      expect(isError || typeof result === "object").toBe(true);
    }
  });
});
