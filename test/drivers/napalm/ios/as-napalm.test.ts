/** `ios` where NAPALM's parsing and the device's meaning differ: each result is what NAPALM makes of the lines. */
import { describe, expect, test } from "vitest";
import { getBgpConfig } from "../../../../plugins/drivers/napalm/systems/ios/getters/bgp-config.ts";
import { getBgpNeighborsDetail } from "../../../../plugins/drivers/napalm/systems/ios/getters/bgp-detail.ts";
import { getLldpNeighborsDetail } from "../../../../plugins/drivers/napalm/systems/ios/getters/lldp.ts";
import { getRouteTo } from "../../../../plugins/drivers/napalm/systems/ios/getters/routes.ts";
import { argumentsOf, deviceSaying } from "../sayings.ts";

const iosSaying = (answers: Readonly<Record<string, string>>) => ({
  ask: deviceSaying(answers),
  named: (name: string) => name,
});

describe("get_bgp_config reports a neighbour as NAPALM does", () => {
  const neighborOf = async (...lines: readonly string[]) => {
    const config = ["router bgp 65000", ...lines.map((line) => ` neighbor 10.0.0.1 ${line}`)].join("\n");
    const groups = await getBgpConfig(iosSaying({ "show running-config": config }), {
      group: "",
      neighbor: "",
    });
    return groups._?.neighbors["10.0.0.1"];
  };

  test.each([
    ["update-source GigabitEthernet0/0.7", { local_address: "GigabitEthernet0" }],
    ["update-source Port-channel1", { local_address: "Port" }],
    ["update-source Loopback0", { local_address: "Loopback0" }],
    ["remote-as 65000.7", { remote_as: 65_000 }],
    ["local-as 1.7 no-prepend", { local_as: 1 }],
    ["password 7 0822455D0A16", { authentication_key: "0822455D0A16'" }],
    ["password open", { authentication_key: "open'" }],
    ["description the customer's line", { description: "the customer" }],
  ])("with the line `%s`", async (line, part) => {
    expect(await neighborOf(line)).toMatchObject(part);
  });

  test("with several policies as one string, and without a prefix limit", async () => {
    const config = [
      "router bgp 65000",
      " neighbor 10.0.0.1 remote-as 65001",
      " address-family ipv4",
      "  neighbor 10.0.0.1 route-map A in",
      "  neighbor 10.0.0.1 maximum-prefix 10 80 restart 5",
      " address-family ipv4 multicast",
      "  neighbor 10.0.0.1 route-map B in",
      "  neighbor 10.0.0.1 maximum-prefix 20 80 restart 5",
    ].join("\n");
    const groups = await getBgpConfig(iosSaying({ "show running-config": config }), {
      group: "",
      neighbor: "",
    });
    expect(groups._?.neighbors["10.0.0.1"]).toMatchObject({
      import_policy: "['A', 'B']",
      prefix_limit: { inet: { unicast: { limit: 0, teardown: { threshold: 0, timeout: 0 } } } },
    });
  });

  test("with an asdot AS number as the part before the dot", async () => {
    const device = iosSaying({
      "show running-config": "router bgp 65000.1\n neighbor 10.0.0.1 remote-as 65001",
    });
    const groups = await getBgpConfig(device, { group: "", neighbor: "" });
    expect(groups._?.neighbors["10.0.0.1"]?.local_as).toBe(65_000);
  });
});

test("get_bgp_neighbors_detail finds a neighbour by any spelling of its address", async () => {
  const detail = [
    "BGP neighbor is 2001:DB8::1,  remote AS 65001, external link",
    "  BGP state = Established, up for 1d02h",
    " For address family: IPv6 Unicast",
  ].join("\n");
  const device = iosSaying({
    "show ip bgp all sum": [
      "For address family: IPv6 Unicast",
      "BGP router identifier 10.0.0.9, local AS number 65000",
      "Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
      "2001:DB8::1",
      "                4        65001     100     120        5    0    3 1d02h           7",
    ].join("\n"),
    "show ip bgp ipv6 unicast neigh 2001:DB8::1": detail,
  });
  for (const neighbor_address of ["", "2001:db8::1"]) {
    expect(await getBgpNeighborsDetail(device, { neighbor_address })).toMatchObject({
      global: { "65001": [{ connection_state: "Established", remote_address: "2001:db8::1" }] },
    });
  }
});

test("get_lldp_neighbors_detail accepts a last neighbour without enabled capabilities", async () => {
  const output = [
    "Local Intf: Gi0/1",
    "Chassis id: 0011.2233.4455",
    "Port id: eth0",
    "System Name: last",
    "System Capabilities: B,R",
  ].join("\n");
  const device = iosSaying({ "show lldp neighbors detail": output });
  expect(await getLldpNeighborsDetail(device, { interface: "" })).toMatchObject({
    "GigabitEthernet0/1": [
      {
        remote_system_name: "last",
        remote_system_capab: ["bridge", "router"],
        remote_system_enable_capab: [],
      },
    ],
  });
});

describe("get_route_to reports as NAPALM does", () => {
  const routesOf = (from: string, hop: string, ...more: readonly string[]) =>
    [
      "Routing entry for 10.1.0.0/24",
      `  Known via "${from}", distance 1, metric 0`,
      "  Routing Descriptor Blocks:",
      hop,
      "      Route metric is 0, traffic share count is 1",
      ...more,
    ].join("\n");
  const ask = (said: string, protocol = "", vrfs = "") =>
    getRouteTo(
      iosSaying({ "show vrf": vrfs, "show ip route 10.1.0.7": said }),
      argumentsOf("get_route_to", { destination: "10.1.0.7", protocol }),
    );

  test.each([
    ["  * 10.0.0.2 (blue), from 10.9.9.9, 1d02h ago, via Vlan7", 93_600, "Vlan7"],
    ["  * 10.0.0.2 (RED), from 10.9.9.9, 1d02h ago, via Vlan7", -1, ""],
    ["  * 10.0.0.2 (mgmt-vrf), from 10.9.9.9, 1d02h ago, via Vlan7", -1, ""],
    ["  * 10.0.0.2, via Vlan7", -1, "Vlan7"],
  ])("the hop `%s`", async (hop, age, outgoing_interface) => {
    expect(await ask(routesOf("ospf 1", hop))).toMatchObject({
      "10.1.0.0/24": [{ next_hop: "10.0.0.2", age, outgoing_interface }],
    });
  });

  test("connected routes only for protocol connected, and an empty list for another protocol", async () => {
    const connected = "  * directly connected, via Null0";
    expect(await ask(routesOf("static", connected))).toEqual({ "10.1.0.0/24": [] });
    expect(await ask(routesOf("connected", connected))).toMatchObject({
      "10.1.0.0/24": [{ outgoing_interface: "Null0" }],
    });
    expect(await ask(routesOf("connected", connected), "bgp")).toEqual({ "10.1.0.0/24": [] });
  });

  test("no routes of a VRF whose distinguisher has a dot", async () => {
    const table =
      "  Name    Default RD     Protocols   Interfaces\n  RED     10.0.0.1:1     ipv4        Vl1\n  BLUE    <not set>      ipv4,ipv6   Vl2";
    const commands: string[] = [];
    const device = {
      named: (name: string) => name,
      async ask(command: string) {
        commands.push(command);
        return command === "show vrf" ? table : "% Network not in table";
      },
    };
    await getRouteTo(device, argumentsOf("get_route_to", { destination: "10.1.0.7" }));
    expect(commands).toEqual(["show vrf", "show ip route vrf BLUE 10.1.0.7", "show ip route 10.1.0.7"]);
  });

  test("communities up to an unexpected character", async () => {
    const device = iosSaying({
      "show vrf": "",
      "show ip route 10.1.0.7": routesOf("bgp 65000", "  * 10.0.0.2, from 10.0.0.2, 1d02h ago"),
      "show ip protocols | include bgp": 'Routing Protocol is "bgp 65000.1"',
      "show ip bgp 10.1.0.7": [
        "  Refresh Epoch 1",
        "  65001",
        "    10.0.0.2 from 10.0.0.2 (10.0.0.2)",
        "      Origin IGP, metric 0, localpref 100, valid, external, best",
        "      Community: 65001:1 no-export",
        "      Extended Community: RT:65001:2 SoO:10.0.0.1:3 RT:65001:4",
      ].join("\n"),
      "show ip bgp neighbors | include is 10.0.0.2":
        "BGP neighbor is 10.0.0.2,  remote AS 65001, external link",
    });
    const routes = await getRouteTo(device, argumentsOf("get_route_to", { destination: "10.1.0.7" }));
    expect(routes["10.1.0.0/24"]?.[0]?.protocol_attributes).toMatchObject({
      communities: ["65001:1", "no-export", "RT:65001:2", "SoO:10"],
      local_as: 65_000,
    });
  });
});
