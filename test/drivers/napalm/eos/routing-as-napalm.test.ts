/** BGP and routes of eos: NAPALM's results where the switch's response is ambiguous. */
import { expect, test } from "vitest";
import { createAnswers } from "../../../../plugins/drivers/napalm/answers.ts";
import { createDevice } from "../../../../plugins/drivers/napalm/systems/eos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/eos/getters.ts";
import { taskContext } from "../../../plugin/context.ts";

const switchWith = (said: Readonly<Record<string, unknown>>) =>
  createDevice(async (command) => said[command] ?? {}, createAnswers().of("test"), taskContext());

test("get_bgp_neighbors reports counts, state and time of the neighbour itself", async () => {
  const peer = {
    peerAddress: "192.0.2.1",
    asn: "65001",
    localAsn: 65000,
    routerId: "10.0.0.1",
    state: "Idle",
    idleReason: "Administratively shut down",
    establishedTime: 7.9,
    prefixesReceived: 5,
    prefixesSent: 4,
    v6PrefixesReceived: 3,
    v6PrefixesSent: 2,
  };
  const summary = (routerId: string, prefixAccepted: number) => ({
    vrfs: { default: { routerId, peers: { "192.0.2.1": { prefixReceived: 99, prefixAccepted } } } },
  });
  const device = switchWith({
    "show ip bgp summary vrf all": summary("10.0.0.8", 1),
    "show ipv6 bgp summary vrf all": summary("10.0.0.9", 2),
    "show ip bgp neighbors vrf all": { vrfs: { default: { peerList: [peer] } } },
    "show ipv6 bgp peers vrf all": { vrfs: {} },
  });
  expect(await getters.get_bgp_neighbors(device, {})).toEqual({
    global: {
      router_id: "10.0.0.9",
      peers: {
        "192.0.2.1": {
          local_as: 65000,
          remote_as: 65001,
          remote_id: "10.0.0.1",
          is_up: false,
          is_enabled: false,
          description: "",
          uptime: 7,
          address_family: {
            ipv4: { received_prefixes: 5, accepted_prefixes: 1, sent_prefixes: 4 },
            ipv6: { received_prefixes: 3, accepted_prefixes: 2, sent_prefixes: 2 },
          },
        },
      },
    },
  });
});

test("get_bgp_neighbors_detail adds up both families, and reports one VRF for a given address", async () => {
  const section = (vrf: string) =>
    `BGP neighbor is 192.0.2.1, remote AS 65001, external link\n  BGP version 4, remote router ID 10.0.0.1, VRF ${vrf}\n  BGP state is Established, up for 1d\n  IPv4 Unicast:  4  5  5\n  IPv6 Unicast:  1  2  2\nLocal AS is 65000.7, local router ID 10.0.0.2\n`;
  const device = switchWith({
    "show ip bgp neighbors 192.0.2.1 vrf all": section("default") + section("RED"),
  });
  const found = await getters.get_bgp_neighbors_detail(device, { neighbor_address: "192.0.2.1" });
  expect(found).toMatchObject({
    default: { "65001": [{ received_prefix_count: 7, advertised_prefix_count: 5, local_as: 65000 }] },
  });
  expect(Object.keys(found)).toEqual(["default"]);
});

test("get_bgp_config reads first words only, inherits from groups, and lists all groups", async () => {
  const config = [
    "router bgp 65000",
    "neighbor G peer group",
    "neighbor G description One two",
    "neighbor G password 7 secret",
    "neighbor G route-reflector-client",
    "neighbor G next-hop-self",
    "neighbor 192.0.2.1 peer group G",
    "no neighbor 192.0.2.1 route-map R in",
    "neighbor 192.0.2.2 peer group H",
    "neighbor 192.0.2.3 remote-as 1.10",
  ].join("\n   ");
  const device = switchWith({ "show running-config | section router bgp": config });
  const all = await getters.get_bgp_config(device, { group: "", neighbor: "" });
  expect(all.G).toMatchObject({ description: "One", local_as: 65000 });
  expect(all.G?.neighbors["192.0.2.1"]).toMatchObject({
    description: "One",
    authentication_key: "",
    route_reflector_client: false,
    nhs: true,
    import_policy: "R",
  });
  expect(all._?.neighbors["192.0.2.3"]).toMatchObject({ remote_as: 0 });
  const groups = await getters.get_bgp_config(device, { group: "G", neighbor: "" });
  expect(Object.keys(groups).sort()).toEqual(["G", "H", "_"]);
  expect(
    await getters.get_bgp_config(switchWith({ "show running-config | section router bgp": "" }), {
      group: "",
      neighbor: "",
    }),
  ).toEqual({});
});

test("get_route_to handles tunnels, missing values and protocol aliases", async () => {
  const device = switchWith({
    "show vrf": { vrfs: { default: {} } },
    "show ip route vrf default 192.0.2.0/24  connected detail": {
      vrfs: {
        default: {
          routingDisabled: true,
          routes: {
            "192.0.2.0/24": {
              routeType: "eBGP",
              preference: 200,
              vias: [{ vtepAddr: "10.0.0.5", vlanId: 7 }],
            },
            "198.51.100.0/24": { routeType: "connected", vias: [{ interface: "Vlan1" }] },
          },
        },
      },
    },
    "show ip bgp 192.0.2.0/24  vrf default": {
      vrfs: {
        default: {
          asn: "65000",
          bgpRouteEntries: {
            "192.0.2.0/24": {
              bgpRoutePaths: [
                { nextHop: "10.0.0.5", asPathEntry: { asPath: "65001", asPathType: "External" } },
              ],
            },
          },
        },
      },
    },
  });
  const routes = await getters.get_route_to(device, {
    destination: "192.0.2.0/24",
    protocol: "direct",
    longer: false,
  });
  expect(routes["192.0.2.0/24"]?.[0]).toMatchObject({
    outgoing_interface: "vxlan1",
    protocol_attributes: { metric: null, local_preference: null, preference2: null, remote_as: 65001 },
  });
  expect(routes["198.51.100.0/24"]?.[0]).toMatchObject({ current_active: true, outgoing_interface: "Vlan1" });
});
