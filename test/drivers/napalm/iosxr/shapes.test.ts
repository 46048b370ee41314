/** XML agent responses that are not in the recordings. */
import { describe, expect, test } from "vitest";
import { callGetter, configuration, operational, values } from "./call-getter.ts";

describe("iosxr interface getters", () => {
  const all = (inside: string) =>
    operational(`<Interfaces><InterfaceTable>${inside}</InterfaceTable></Interfaces>`);
  const named = (name: string) => `<Naming><InterfaceName>${name}</InterfaceName></Naming>`;

  test("read states, speeds and MAC addresses", async () => {
    const up = values({
      LineState: "IM_STATE_UP",
      State: "IM_STATE_UP",
      MTU: 1514,
      Bandwidth: 1_000_000,
      Description: " uplink ",
      LastStateTransitionTime: 2_000_000_000,
    });
    const down = values({ LineState: "IM_STATE_ADMINDOWN", State: "IM_STATE_ADMINDOWN" });
    const { result } = await callGetter(
      "get_interfaces",
      all(
        `<Interface>${named("Te0/0/0/1")}${up}<MACAddress><Address>0011.2233.4455</Address></MACAddress></Interface><Interface>${named("Null0")}${down}</Interface><Interface/>`,
      ),
    );
    expect(result).toEqual({
      "Te0/0/0/1": {
        is_up: true,
        is_enabled: true,
        description: "uplink",
        last_flapped: 2,
        mtu: 1514,
        speed: 1000,
        mac_address: "00:11:22:33:44:55",
      },
      Null0: {
        is_up: false,
        is_enabled: false,
        description: "",
        last_flapped: -1,
        mtu: 0,
        speed: 0,
        mac_address: "",
      },
    });
  });

  test("read counters of interfaces that have any", async () => {
    const counters = values({
      PacketsReceived: 1,
      BytesReceived: 2,
      PacketsSent: 3,
      BytesSent: 4,
      InputErrors: 5,
      OutputDrops: 6,
    });
    const { result } = await callGetter(
      "get_interfaces_counters",
      all(
        `<Interface><InterfaceHandle>Gi0</InterfaceHandle><InterfaceStatistics><FullInterfaceStats>${counters}</FullInterfaceStats></InterfaceStatistics></Interface><Interface><InterfaceHandle>Null0</InterfaceHandle></Interface>`,
      ),
    );
    expect(result).toEqual({
      Gi0: expect.objectContaining({
        rx_unicast_packets: 1,
        rx_octets: 2,
        tx_unicast_packets: 3,
        tx_octets: 4,
        rx_errors: 5,
        tx_discards: 6,
        tx_errors: 0,
      }),
    });
  });

  test("read addresses of both families", async () => {
    const entry = (address: string, length: number) =>
      `<Entry>${values({ Address: address, PrefixLength: length })}</Entry>`;
    const detail = `<Detail>${values({ PrimaryAddress: "10.0.0.1", PrefixLength: 24 })}<SecondaryAddress>${entry("10.0.1.1", 25)}</SecondaryAddress></Detail>`;
    const ipv4 = `<IPV4Network><InterfaceTable><Interface>${named("Gi0")}<VRFTable><VRF>${detail}</VRF></VRFTable></Interface></InterfaceTable></IPV4Network>`;
    const global = `<GlobalDetail>${named("Gi0")}<AddressList>${entry("2001:DB8::1", 64)}</AddressList></GlobalDetail><GlobalDetail>${named("Gi1")}</GlobalDetail>`;
    const ipv6 = `<IPV6Network><NodeTable><Node><InterfaceData><VRFTable><VRF><GlobalDetailTable>${global}</GlobalDetailTable></VRF></VRFTable></InterfaceData></Node></NodeTable></IPV6Network>`;
    expect((await callGetter("get_interfaces_ip", operational(ipv4 + ipv6))).result).toEqual({
      Gi0: {
        ipv4: { "10.0.0.1": { prefix_length: 24 }, "10.0.1.1": { prefix_length: 25 } },
        ipv6: { "2001:db8::1": { prefix_length: 64 } },
      },
      Gi1: { ipv6: {} },
    });
  });
});

test("get_users, get_snmp_information, NTP and MAC getters read their responses", async () => {
  const user = `<Username><Naming><Name>ann</Name></Naming><UsergroupsUnderUsername><UsergroupUnderUsername><Naming><Name>root-lr</Name></Naming></UsergroupUnderUsername></UsergroupsUnderUsername><Password><Password>$1$x</Password></Password></Username>`;
  expect((await callGetter("get_users", configuration(`<AAA>${user}</AAA>`))).result).toEqual({
    ann: { level: 15, password: "$1$x", sshkeys: [] },
  });
  const community = `<DefaultCommunity><Naming><CommunityName>public</CommunityName></Naming>${values({ Priviledge: "ReadOnly", AccessList: "99" })}</DefaultCommunity>`;
  expect(
    (
      await callGetter(
        "get_snmp_information",
        configuration(
          `<SNMP><System>${values({ Contact: "ops", ChassisID: "c1" })}</System>${community}</SNMP>`,
        ),
      )
    ).result,
  ).toEqual({
    chassis_id: "c1",
    contact: "ops",
    location: "",
    community: { public: { mode: "ro", acl: "99" } },
  });
  const peer = (family: string, kind: string, address: string) =>
    `<Peer${family}Table><Peer${family}><Naming><Address${family}>${address}</Address${family}></Naming><PeerType${family}><Naming><PeerType>${kind}</PeerType></Naming></PeerType${family}></Peer${family}></Peer${family}Table>`;
  const ntp = configuration(
    `<NTP>${peer("IPV4", "Server", "10.0.0.1")}${peer("IPV6", "Peer", "2001:db8::1")}</NTP>`,
  );
  expect((await callGetter("get_ntp_servers", ntp)).result).toEqual({ "10.0.0.1": {} });
  expect((await callGetter("get_ntp_peers", ntp)).result).toEqual({ "2001:db8::1": {} });
  const mac = `<L2FIBMACDetail><Naming><Name>vlan20</Name><Address>0011.2233.4455</Address></Naming><Segment><AC><InterfaceHandle>Gi0.20</InterfaceHandle></AC></Segment></L2FIBMACDetail>`;
  expect(
    (
      await callGetter(
        "get_mac_address_table",
        operational(`<L2VPNForwarding><L2FIBMACDetailTable>${mac}</L2FIBMACDetailTable></L2VPNForwarding>`),
      )
    ).result,
  ).toEqual([
    {
      mac: "00:11:22:33:44:55",
      interface: "Gi0.20",
      vlan: 20,
      active: true,
      static: false,
      moves: 0,
      last_move: 0,
    },
  ]);
});

test("get_arp_table queries a single VRF through the CLI", async () => {
  const shown = [
    "-----------------------",
    "0/RSP0/CPU0",
    "Address         Age        Hardware Addr   State      Type  Interface",
    "10.0.0.1        00:01:02   0011.2233.4455  Dynamic    ARPA  Gi0/0/0/0",
    "10.0.0.2        -          0011.2233.4466  Interface  ARPA  Gi0/0/0/0",
  ].join("\n");
  const answer = (request: string) => (request === "show arp vrf red" ? shown : undefined);
  expect((await callGetter("get_arp_table", answer, { vrf: "red" })).result).toEqual([
    { interface: "Gi0/0/0/0", mac: "00:11:22:33:44:55", ip: "10.0.0.1", age: 62 },
    { interface: "Gi0/0/0/0", mac: "00:11:22:33:44:66", ip: "10.0.0.2", age: -1 },
  ]);
});

describe("iosxr routes", () => {
  const route = `<Route>${values({ ProtocolName: "Connected", Prefix: "2001:db8::", PrefixLength: 32, RouteAge: 7, Priority: 3 })}<RoutePath><Entry>${values({ Address: "::", InterfaceName: "Gi0" })}</Entry></RoutePath></Route>`;

  test("for IPv6 come from the table by its other name, filtered by protocol", async () => {
    const answer = (request: string) => (request.includes("<IP_RIBRoute>") ? undefined : route);
    const { result, requests } = await callGetter("get_route_to", answer, {
      destination: "2001:db8::/32",
      protocol: "direct",
    });
    expect(result).toEqual({
      "2001:db8::/32": [
        expect.objectContaining({
          protocol: "connected",
          age: 7,
          preference: 3,
          current_active: true,
          outgoing_interface: "Gi0",
        }),
      ],
    });
    expect(requests[1]).toMatch(/<IPV6_RIB>.*<AFName>IPv6<.*<IP_RIBRouteTableName>.*<PrefixLength>32</);
    expect(
      (await callGetter("get_route_to", () => route, { destination: "2001:db8::1", protocol: "bgp" })).result,
    ).toEqual({});
  });

  test.each([
    [{ destination: "sw1" }, /is not an address or prefix/],
    [{ destination: "10.0.0.0/x" }, /is not an address or prefix/],
    [{ destination: "10.0.0.0/8", longer: true }, /does not report longer prefixes/],
  ])("are not queried for %j", async (args, message) => {
    await expect(callGetter("get_route_to", () => "", args)).rejects.toThrow(message);
  });
});

test("traceroute sends all arguments and returns names and errors", async () => {
  const hop = values({ HopIndex: 1, HopAddress: "10.0.0.1", ProbeIndex: 0, DeltaTime: 3 });
  const results = (inside: string) => () =>
    `<Set><Action><TraceRoute><IPV6><Results>${inside}</Results></IPV6></TraceRoute></Action></Set>`;
  const args = { destination: "::1", source: "::2", vrf: "mgmt", ttl: 9, timeout: 3 };
  const { result, requests } = await callGetter("traceroute", results(hop), args);
  expect(result).toEqual({
    success: { 1: { probes: { 1: { ip_address: "10.0.0.1", host_name: "10.0.0.1", rtt: 3 } } } },
  });
  expect(requests).toEqual([
    "<Set><Action><TraceRoute><IPV6><Destination>::1</Destination><VRFName>mgmt</VRFName><Source>::2</Source><MaxTTL>9</MaxTTL><Timeout>3</Timeout></IPV6></TraceRoute></Action></Set>",
  ]);
  const silent = values({ HopIndex: 1 }) + values({ HopIndex: 2, ProbeIndex: 0 });
  expect((await callGetter("traceroute", results(silent), args)).result).toEqual({
    success: {
      1: { probes: {} },
      2: { probes: { 1: { ip_address: "*", host_name: "*", rtt: 3000 } } },
    },
  });
  expect((await callGetter("traceroute", results(values({ Error: "no route" })), args)).result).toEqual({
    error: "no route",
  });
  expect((await callGetter("traceroute", results(""), { destination: "a.b" })).result).toEqual({
    error: expect.stringContaining("is not an address"),
  });
});

test("get_probes_config, a single BGP neighbour, and get_environment of a virtual router work", async () => {
  const definition = `<Definition><Naming><OperationID>7</OperationID></Naming><OperationType><UDPJitter>${values({ Tag: "t", SourceAddress: "1.1.1.1", DestAddress: "2.2.2.2", Frequency: 30 })}<History><Buckets>5</Buckets></History></UDPJitter></OperationType></Definition>`;
  expect((await callGetter("get_probes_config", configuration(definition))).result).toEqual({
    7: {
      t: {
        probe_type: "udp-ping-timestamp",
        source: "1.1.1.1",
        target: "2.2.2.2",
        probe_count: 5,
        test_interval: 30,
      },
    },
  });
  const neighbor = (address: string) =>
    `<Neighbor>${values({ RemoteAS: 65_001, ConnectionState: "BGP_ST_IDLE" })}<ConnectionRemoteAddress><IPV4Address>${address}</IPV4Address></ConnectionRemoteAddress></Neighbor>`;
  const vrf = `<VRF><Naming><VRFName>default</VRFName></Naming><NeighborTable>${neighbor("10.0.0.1")}${neighbor("10.0.0.2")}</NeighborTable></VRF>`;
  const detail = operational(
    `<BGP><InstanceTable><Instance><InstanceActive><VRFTable>${vrf}</VRFTable></InstanceActive></Instance></InstanceTable></BGP>`,
  );
  expect(
    (await callGetter("get_bgp_neighbors_detail", detail, { neighbor_address: "10.0.0.2" })).result,
  ).toEqual({
    global: {
      65001: [expect.objectContaining({ remote_address: "10.0.0.2", connection_state: "Idle", up: false })],
    },
  });
  const { result } = await callGetter(
    "get_environment",
    operational(
      `<PlatformInventory><BasicInfo><ModelName>XRv 9000</ModelName></BasicInfo></PlatformInventory>`,
    ),
  );
  expect(result).toEqual({
    power: {},
    fans: {},
    temperature: {},
    cpu: {},
    memory: { available_ram: 0, used_ram: 0 },
  });
});
