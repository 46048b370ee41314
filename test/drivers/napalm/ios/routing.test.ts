/** Routes, BGP and VRFs of `ios` on responses that were not recorded. */

import { describe, expect, test } from "vitest";
import { getBgpConfig } from "../../../../plugins/drivers/napalm/systems/ios/getters/bgp-config.ts";
import { getBgpNeighborsDetail } from "../../../../plugins/drivers/napalm/systems/ios/getters/bgp-detail.ts";
import { getBgpNeighbors } from "../../../../plugins/drivers/napalm/systems/ios/getters/bgp-neighbors.ts";
import { getRouteTo } from "../../../../plugins/drivers/napalm/systems/ios/getters/routes.ts";
import { getNetworkInstances } from "../../../../plugins/drivers/napalm/systems/ios/getters/tables.ts";
import { argumentsOf, deviceSaying } from "../sayings.ts";

const iosSaying = (answers: Readonly<Record<string, string>>) => ({
  ask: deviceSaying(answers),
  named: (name: string) => name,
});

describe("get_network_instances", () => {
  const brief =
    "Interface              IP-Address      OK? Method Status                Protocol\nVlan1 unassigned YES unset up up\nGigabitEthernet0 10.0.0.1 YES NVRAM up up\n";

  test("lists the interfaces of each VRF, and the others in the default instance", async () => {
    const detail = [
      "VRF Mgmt-intf (VRF Id = 1); default RD <not set>; default VPNID <not set>",
      "  New CLI format, supports multiple address-families",
      "  Interfaces:",
      "    Gi0                      Vl20",
      "Address family ipv4 unicast (TABLE ID = 0x1):",
      "  Flags: 0x0",
      "",
      "VRF old; default RD 100:1; default VPNID <not set>",
      "  No interfaces",
      "Address family ipv4 unicast not active",
    ].join("\n");
    const device = iosSaying({ "show vrf detail": detail, "show ip interface brief": brief });
    const instance = (name: string, type: string, rd: string, names: string[]) => ({
      name,
      type,
      state: { route_distinguisher: rd },
      interfaces: { interface: Object.fromEntries(names.map((one) => [one, {}])) },
    });
    expect(await getNetworkInstances(device, { name: "" })).toEqual({
      default: instance("default", "DEFAULT_INSTANCE", "", ["Vlan1"]),
      "Mgmt-intf": instance("Mgmt-intf", "L3VRF", "", ["GigabitEthernet0", "Vlan20"]),
      old: instance("old", "L3VRF", "100:1", []),
    });
    expect(Object.keys(await getNetworkInstances(device, { name: "old" }))).toEqual(["old"]);
  });

  test("has only the default instance on a device without VRFs", async () => {
    const device = iosSaying({ "show vrf detail": "", "show ip interface brief": brief });
    expect(Object.keys(await getNetworkInstances(device, { name: "" }))).toEqual(["default"]);
  });
});

describe("get_route_to", () => {
  test("finds routes of any protocol on a device without `show vrf`", async () => {
    const device = iosSaying({
      "show ip vrf":
        "  Name                             Default RD          Interfaces\n  RED                              100:1               Gi0/1",
      "show ip route vrf RED 10.1.0.0 255.255.0.0": "% Network not in table",
      "show ip route 10.1.0.0 255.255.0.0": [
        "Routing entry for 10.1.0.0/16",
        '  Known via "ospf 1", distance 110, metric 20, type intra area',
        "  Routing Descriptor Blocks:",
        "  * 10.0.0.2, from 10.9.9.9, 1d02h ago, via GigabitEthernet0/2",
        "      Route metric is 20, traffic share count is 1",
        "    10.0.0.6, from 10.9.9.9, 00:00:10 ago, via Vlan406",
        "      Route metric is 20, traffic share count is 1",
      ].join("\n"),
    });
    const routes = await getRouteTo(device, argumentsOf("get_route_to", { destination: "10.1.0.0/16" }));
    expect(routes["10.1.0.0/16"]).toMatchObject([
      {
        protocol: "ospf",
        next_hop: "10.0.0.2",
        age: 93_600,
        outgoing_interface: "GigabitEthernet0/2",
        preference: 20,
      },
      {
        protocol: "ospf",
        next_hop: "10.0.0.6",
        age: 10,
        outgoing_interface: "Vlan406",
        routing_table: "default",
      },
    ]);
  });

  test("finds routes of an address by their prefix, and none of another protocol", async () => {
    const output = [
      "Routing entry for 10.1.0.0/24",
      '  Known via "connected", distance 0, metric 0 (connected, via interface)',
      "  Routing Descriptor Blocks:",
      "  * directly connected, via Vlan781",
      "      Route metric is 0, traffic share count is 1",
    ].join("\n");
    const device = iosSaying({ "show vrf": "", "show ip route 10.1.0.7": output });
    const ask = (protocol: string) =>
      getRouteTo(device, argumentsOf("get_route_to", { destination: "10.1.0.7", protocol }));
    expect(await ask("")).toMatchObject({
      "10.1.0.0/24": [{ protocol: "connected", outgoing_interface: "Vlan781" }],
    });
    expect(await ask("bgp")).toEqual({ "10.1.0.0/24": [] });
    await expect(
      getRouteTo(device, argumentsOf("get_route_to", { destination: "2001:db8::/32" })),
    ).rejects.toThrow("must be an IPv4 address");
  });
});

describe("get_bgp_neighbors_detail", () => {
  const summary = [
    "For address family: IPv4 Unicast",
    "BGP router identifier 10.0.0.9, local AS number 65000",
    "",
    "Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    "10.0.0.1        4        65001     100     120        5    0    3 1d02h           7",
    "10.0.0.5        4          1.1       0       0        1    0    0 never    Idle (Admin)",
  ].join("\n");
  const up = [
    "BGP neighbor is 10.0.0.1,  vrf RED,  remote AS 65001, external link",
    "  BGP version 4, remote router ID 10.0.0.1",
    "  BGP state = Established, up for 1d02h",
    "  Last read 00:00:10, last write 00:00:20, hold time is 180, keepalive interval is 60 seconds",
    "    Four-octets ASN Capability: advertised and received",
    "                         Sent       Rcvd",
    "    Updates:                3          5",
    "    Total:                120        100",
    " For address family: IPv4 Unicast",
    "  Route map for incoming advertisements is IN",
    "  Route map for outgoing advertisements is OUT",
    "    Prefixes Current:               4          7 (Consumes 560 bytes)",
    "    Prefixes Total:                 4          9",
    "    Used as bestpath:             n/a          6",
    "    Used as multipath:            n/a          0",
    "  Local Policy Denied Prefixes:    --------    -------",
    "    Total:                                0          2",
    "  Connections established 2; dropped 1",
    "  Last reset 1d03h, due to Peer closed the session",
    "  Interface associated: GigabitEthernet0/1 (peering address in same link)",
    "Connection state is ESTAB, I/O status: 1, unread input bytes: 0",
    "Local host: 10.0.0.2, Local port: 179",
    "Foreign host: 10.0.0.1, Foreign port: 33333",
  ].join("\n");
  const down =
    "BGP neighbor is 10.0.0.5,  remote AS 1.1, external link\n  BGP state = Idle\n For address family: IPv4 Unicast\n  Route map for incoming advertisements is IN\n  Last reset never\n";
  const device = iosSaying({
    "show ip bgp all sum": summary,
    "show ip bgp ipv4 unicast neigh 10.0.0.1": up,
    "show ip bgp ipv4 unicast neigh 10.0.0.5": down,
  });

  test("reports established and idle sessions", async () => {
    const detail = await getBgpNeighborsDetail(device, { neighbor_address: "" });
    expect(detail.RED?.["65001"]).toMatchObject([
      {
        up: true,
        local_as: 65_000,
        local_address: "10.0.0.2",
        local_port: 179,
        remote_port: 33_333,
        local_address_configured: true,
        input_messages: 100,
        output_messages: 120,
        input_updates: 5,
        messages_queued_out: 3,
        connection_state: "Established",
        last_event: "1d03h, due to Peer closed the session",
        suppress_4byte_as: false,
        holdtime: 180,
        keepalive: 60,
        import_policy: "IN",
        export_policy: "OUT",
        active_prefix_count: 6,
        received_prefix_count: 9,
        accepted_prefix_count: 7,
        suppressed_prefix_count: 2,
        advertised_prefix_count: 4,
        flap_count: 1,
        multipath: false,
      },
    ]);
    expect(detail.global?.["65537"]).toMatchObject([
      {
        up: false,
        connection_state: "Idle",
        import_policy: "IN",
        flap_count: 0,
        last_event: "",
        holdtime: 0,
      },
    ]);
  });

  test("queries a given neighbour alone", async () => {
    const detail = await getBgpNeighborsDetail(device, { neighbor_address: "10.0.0.5" });
    expect(Object.keys(detail)).toEqual(["global"]);
  });

  test("fails if BGP is not running", async () => {
    await expect(getBgpNeighborsDetail(iosSaying({}), { neighbor_address: "" })).rejects.toThrow(
      "BGP is not running",
    );
  });
});

test("get_bgp_config lists groups and neighbours by family, with inherited values, without VRFs", async () => {
  const config = [
    "router bgp 65000",
    " neighbor RR peer-group",
    " neighbor RR remote-as 65000",
    " neighbor RR update-source GigabitEthernet0/0",
    " neighbor RR ebgp-multihop 3",
    " neighbor 10.0.0.1 peer-group RR",
    " neighbor 10.0.0.1 password 7 0822455D0A16",
    " neighbor 2001:db8::1 remote-as 65001",
    " !",
    " address-family ipv4",
    "  neighbor RR maximum-prefix 10 80 restart 5",
    "  neighbor RR remove-private-as",
    "  neighbor 10.0.0.1 activate",
    "  neighbor 10.0.0.1 next-hop-self",
    " exit-address-family",
    " address-family ipv6",
    "  neighbor 2001:db8::1 maximum-prefix 20 70 restart 9",
    " exit-address-family",
    " address-family ipv4 vrf RED",
    "  neighbor 10.9.9.9 remote-as 65009",
    "line con 0",
  ].join("\n");
  const device = iosSaying({ "show running-config": config });
  const groups = await getBgpConfig(device, { group: "", neighbor: "" });
  expect(groups).toMatchObject({
    RR: {
      type: "internal",
      local_address: "GigabitEthernet0",
      multihop_ttl: 0,
      remove_private_as: true,
      prefix_limit: { inet: { unicast: { limit: 10, teardown: { threshold: 80, timeout: 5 } } } },
      neighbors: { "10.0.0.1": { nhs: true, authentication_key: "0822455D0A16'" } },
    },
    _: {
      neighbors: {
        "2001:db8::1": { remote_as: 65_001, prefix_limit: { inet6: { unicast: { limit: 20 } } } },
      },
    },
  });
  expect(JSON.stringify(groups)).not.toContain("10.9.9.9");
  expect(Object.keys(await getBgpConfig(device, { group: "RR", neighbor: "" }))).toEqual(["RR"]);
  expect(await getBgpConfig(iosSaying({}), { group: "", neighbor: "" })).toEqual({});
});

test("get_bgp_neighbors gives a neighbour without description that of the previous one", async () => {
  const summary = (family: string, ...neighbors: string[]) => [
    `For address family: ${family}`,
    "BGP router identifier 10.0.0.1, local AS number 65000",
    "Neighbor   V    AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    ...neighbors.map(
      (address) => `${address}   4 65001       1       1        1    0    0 1d02h           3`,
    ),
  ];
  const neighbor = (address: string, family: string, description: readonly string[] = []) => [
    `BGP neighbor is ${address},  remote AS 65001, external link`,
    ...description.map((text) => ` Description: ${text}`),
    "  BGP version 4, remote router ID 10.0.0.9",
    "  BGP state = Established, up for 1d02h",
    ` For address family: ${family}`,
    "    Prefixes Current:               2          3 (Consumes 252 bytes)",
    "  Local Policy Denied Prefixes:    --------    -------",
  ];
  const device = iosSaying({
    "show bgp all summary": [
      ...summary("IPv4 Unicast", "10.0.0.2", "10.0.0.3", "10.0.0.4"),
      ...summary("IPv6 Unicast", "2001:db8::5"),
    ].join("\n"),
    "show bgp ipv4 unicast neighbors": [
      ...neighbor("10.0.0.2", "IPv4 Unicast"),
      ...neighbor("10.0.0.3", "IPv4 Unicast", ["left"]),
      ...neighbor("10.0.0.4", "IPv4 Unicast"),
    ].join("\n"),
    "show bgp ipv6 unicast neighbors": neighbor("2001:db8::5", "IPv6 Unicast").join("\n"),
  });
  const { global } = await getBgpNeighbors(device, {});
  expect(Object.entries(global?.peers ?? {}).map(([address, peer]) => [address, peer.description])).toEqual([
    ["10.0.0.2", ""],
    ["10.0.0.3", "left"],
    ["10.0.0.4", "left"],
    ["2001:db8::5", "left"],
  ]);
});
