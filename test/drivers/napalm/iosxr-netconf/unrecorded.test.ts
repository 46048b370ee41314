/** Getters of iosxr_netconf without recordings, on responses that follow the router's models. */
import { expect, test } from "vitest";
import { xrDevice } from "../../../../plugins/drivers/napalm/systems/iosxr-netconf/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/iosxr-netconf/getters.ts";
import { taskContext } from "../../../plugin/context.ts";
import { nothingKept } from "../answer-of.ts";
import { answeringSession } from "../answering-session.ts";

/** Returns the data of one model for any request. */
const having = (data: string) =>
  xrDevice(
    answeringSession(() => `<data>${data}</data>`),
    {},
    nothingKept,
    taskContext(),
  );

test("get_arp_table and get_lldp_neighbors read their responses", async () => {
  const device = having(
    "<arp><nodes><node><entries><entry><interface-name>Gi0/0/0/1</interface-name><address>192.0.2.1</address><age>12</age><hardware-address>00:11:22:33:44:55</hardware-address></entry></entries></node></nodes></arp><lldp><nodes><node><neighbors><details><detail><lldp-neighbor><receiving-interface-name>Gi0/0/0/1</receiving-interface-name><port-id-detail>xe-0/0/1</port-id-detail><detail><system-name>r2</system-name></detail></lldp-neighbor></detail></details></neighbors></node></nodes></lldp>",
  );
  expect(await getters.get_arp_table?.(device, { vrf: "" })).toEqual([
    { interface: "Gi0/0/0/1", mac: "00:11:22:33:44:55", ip: "192.0.2.1", age: 12 },
  ]);
  await expect(async () => getters.get_arp_table?.(device, { vrf: "RED" })).rejects.toThrow(
    /cannot filter by VRF/,
  );
  expect(await getters.get_lldp_neighbors?.(device, {})).toEqual({
    "Gi0/0/0/1": [{ hostname: "r2", port: "xe-0/0/1" }],
  });
});

test("get_interfaces_counters reports -1 for missing counters", async () => {
  const device = having(
    "<interfaces><interface-xr><interface><interface-name>Loopback0</interface-name></interface><interface><interface-name>Gi0</interface-name><interface-statistics><full-interface-stats><bytes-sent>7</bytes-sent><packets-received>9</packets-received></full-interface-stats></interface-statistics></interface><interface><interface-name>Null0</interface-name><interface-statistics><stats-type>basic</stats-type></interface-statistics></interface></interface-xr></interfaces>",
  );
  const counters = await getters.get_interfaces_counters?.(device, {});
  expect(Object.keys(counters ?? {})).toEqual(["Gi0", "Null0"]);
  expect(counters).toMatchObject({
    Gi0: { tx_octets: 7, rx_unicast_packets: 9, rx_errors: 0 },
    Null0: { tx_octets: -1 },
  });
});

test("get_interfaces_ip reads primary, secondary and IPv6 addresses", async () => {
  const v4 =
    "<detail><interface-name>Gi0</interface-name><primary-address>192.0.2.1</primary-address><prefix-length>24</prefix-length><secondary-address><address>198.51.100.1</address><prefix-length>30</prefix-length></secondary-address></detail>";
  const v6 =
    "<global-detail><interface-name>Gi0</interface-name><address><address>2001:DB8::1</address><prefix-length>64</prefix-length></address></global-detail>";
  const within = (root: string, details: string, inside: string) =>
    `<${root}><nodes><node><interface-data><vrfs><vrf><${details}>${inside}</${details}></vrf></vrfs></interface-data></node></nodes></${root}>`;
  const device = having(within("ipv4-network", "details", v4) + within("ipv6-network", "global-details", v6));
  expect(await getters.get_interfaces_ip?.(device, {})).toEqual({
    Gi0: {
      ipv4: { "192.0.2.1": { prefix_length: 24 }, "198.51.100.1": { prefix_length: 30 } },
      ipv6: { "2001:db8::1": { prefix_length: 64 } },
    },
  });
});

const neighbor = `<neighbor><neighbor-address>192.0.2.9</neighbor-address><local-as>65001</local-as><remote-as>65002</remote-as><router-id>10.0.0.9</router-id><description>north</description><connection-state>bgp-st-estab</connection-state><connection-established-time>500</connection-established-time>
  <connection-local-address><afi>ipv4</afi><ipv4-address>192.0.2.1</ipv4-address></connection-local-address><connection-local-port>179</connection-local-port><connection-remote-address><afi>ipv4</afi><ipv4-address>192.0.2.9</ipv4-address></connection-remote-address><connection-remote-port>40000</connection-remote-port>
  <messges-received>11</messges-received><hold-time>0</hold-time><previous-connection-state>5</previous-connection-state>
  <af-data><prefixes-accepted>4</prefixes-accepted><prefixes-denied>1</prefixes-denied><prefixes-advertised>2</prefixes-advertised><route-policy-in>PASS</route-policy-in></af-data></neighbor>`;
const process =
  "<global-process-info><vrf><router-id>10.0.0.1</router-id><hold-time>180</hold-time><keep-alive-time>60</keep-alive-time></vrf></global-process-info>";
const running = having(
  `<bgp><instances><instance><instance-active><default-vrf>${process}<neighbors>${neighbor}</neighbors></default-vrf><vrfs><vrf><vrf-name>RED</vrf-name>${process}<neighbors>${neighbor.replace("bgp-st-estab", "bgp-st-idle")}</neighbors></vrf></vrfs></instance-active></instance></instances></bgp>`,
);

test("get_bgp_neighbors reads the neighbours of all VRFs", async () => {
  const peer = {
    local_as: 65001,
    remote_as: 65002,
    remote_id: "10.0.0.9",
    description: "north",
    is_enabled: true,
    address_family: { ipv4: { received_prefixes: 5, accepted_prefixes: 4, sent_prefixes: 2 } },
  };
  expect(await getters.get_bgp_neighbors?.(running, {})).toEqual({
    global: { router_id: "10.0.0.1", peers: { "192.0.2.9": { ...peer, is_up: true, uptime: 500 } } },
    RED: { router_id: "10.0.0.1", peers: { "192.0.2.9": { ...peer, is_up: false, uptime: -1 } } },
  });
  expect(await getters.get_bgp_neighbors?.(having(""), {})).toEqual({ global: { router_id: "", peers: {} } });
});

test("get_bgp_neighbors_detail reads the neighbours of all VRFs", async () => {
  const found = await getters.get_bgp_neighbors_detail?.(running, { neighbor_address: "" });
  expect(found).toMatchObject({
    global: {
      "65002": [
        {
          up: true,
          routing_table: "default",
          connection_state: "Established",
          previous_connection_state: "Active",
          holdtime: 180,
          keepalive: 60,
          remote_port: 40000,
          input_messages: 11,
          import_policy: "PASS",
          received_prefix_count: 5,
        },
      ],
    },
    RED: { "65002": [{ up: false, routing_table: "RED", connection_state: "Idle" }] },
  });
  expect(await getters.get_bgp_neighbors_detail?.(running, { neighbor_address: "192.0.2.8" })).toEqual({
    global: {},
    RED: {},
  });
});

test("get_bgp_config reads groups and neighbours", async () => {
  const family =
    "<neighbor-af><af-name>ipv4-unicast</af-name><maximum-prefixes><prefix-limit>500</prefix-limit><warning-percentage>80</warning-percentage><restart-time>5</restart-time></maximum-prefixes><route-policy-out>OUT</route-policy-out></neighbor-af>";
  const member = (address: string, group: string) =>
    `<neighbor><neighbor-address>${address}</neighbor-address>${group}<remote-as><as-xx>1</as-xx><as-yy>2</as-yy></remote-as><neighbor-afs>${family}</neighbor-afs></neighbor>`;
  const device = having(
    `<bgp><instance><instance-as><four-byte-as><as>65001</as><default-vrf><bgp-entity><neighbors>${member("192.0.2.1", "<neighbor-group-add-member>G</neighbor-group-add-member>")}${member("192.0.2.2", "")}</neighbors><neighbor-groups><neighbor-group><neighbor-group-name>G</neighbor-group-name><ebgp-multihop><max-hop-count>4</max-hop-count></ebgp-multihop></neighbor-group></neighbor-groups></bgp-entity></default-vrf></four-byte-as></instance-as></instance></bgp>`,
  );
  const config = await getters.get_bgp_config?.(device, { group: "", neighbor: "" });
  expect(config).toMatchObject({
    G: {
      local_as: 65001,
      multihop_ttl: 4,
      neighbors: {
        "192.0.2.1": {
          remote_as: 65538,
          export_policy: "OUT",
          prefix_limit: { inet: { unicast: { limit: 500, teardown: { threshold: 80, timeout: 5 } } } },
        },
      },
    },
    _: { local_as: 65001, neighbors: { "192.0.2.2": { local_as: 65001 } } },
  });
  expect(Object.keys((await getters.get_bgp_config?.(device, { group: "X", neighbor: "" })) ?? {})).toEqual([
    "_",
  ]);
  expect(await getters.get_bgp_config?.(having(""), { group: "", neighbor: "" })).toEqual({});
});

test("get_ntp_servers and get_users read their responses", async () => {
  const device = having(
    "<ntp><peer-vrfs><peer-vrf><peer-ipv4s><peer-ipv4><address-ipv4>192.0.2.5</address-ipv4><peer-type-ipv4><peer-type>server</peer-type></peer-type-ipv4></peer-ipv4><peer-ipv4><address-ipv4>192.0.2.6</address-ipv4><peer-type-ipv4><peer-type>peer</peer-type></peer-type-ipv4></peer-ipv4></peer-ipv4s></peer-vrf></peer-vrfs></ntp><aaa><usernames><username><name>ops</name><usergroup-under-usernames><usergroup-under-username><name>operator</name></usergroup-under-username></usergroup-under-usernames><password>hash</password></username><username><name>other</name></username></usernames></aaa>",
  );
  expect(await getters.get_ntp_servers?.(device, {})).toEqual({ "192.0.2.5": {} });
  expect(await getters.get_users?.(device, {})).toEqual({
    ops: { level: 5, password: "hash", sshkeys: [] },
    other: { level: 0, password: "", sshkeys: [] },
  });
});

test("get_interfaces assigns descriptions by position, like NAPALM", async () => {
  const interfaceOf = (name: string) => `<interface><interface-name>${name}</interface-name></interface>`;
  const device = having(
    `<interfaces><interfaces><interface><interface-name>B</interface-name><description>to r2</description></interface></interfaces><interface-xr>${interfaceOf("A")}${interfaceOf("B")}</interface-xr></interfaces>`,
  );
  const found = await getters.get_interfaces?.(device, {});
  expect(Object.entries(found ?? {}).map(([name, { description }]) => [name, description])).toEqual([
    ["A", "to r2"],
  ]);
});

test("get_route_to lists a route without a path as an empty list", async () => {
  const device = having(
    "<rib><vrfs><vrf><afs><af><safs><saf><ip-rib-route-table-names><ip-rib-route-table-name><routes><route><prefix>192.0.2.0</prefix><prefix-length-xr>24</prefix-length-xr></route></routes></ip-rib-route-table-name></ip-rib-route-table-names></saf></safs></af></afs></vrf></vrfs></rib>",
  );
  expect(
    await getters.get_route_to?.(device, { destination: "192.0.2.0/24", protocol: "", longer: false }),
  ).toEqual({ "192.0.2.0/24": [] });
});

test("get_bgp_neighbors accepts sessions without times", async () => {
  const silent = neighbor
    .replace("<connection-established-time>500</connection-established-time>", "")
    .replace("<previous-connection-state>5<", "<previous-connection-state>bgp-st-idle<");
  const device = having(
    `<bgp><instances><instance><instance-active><default-vrf><neighbors>${silent}</neighbors></default-vrf></instance-active></instance></instances></bgp>`,
  );
  expect(await getters.get_bgp_neighbors?.(device, {})).toMatchObject({
    global: { peers: { "192.0.2.9": { is_up: true, uptime: 0 } } },
  });
  const details = await getters.get_bgp_neighbors_detail?.(device, { neighbor_address: "" });
  expect(details?.global?.["65002"]?.[0]?.previous_connection_state).toBe("");
});

test("get_probes_results ignores buckets without time or outcome", async () => {
  const bucket = (time: string, code: string) => `<bucket>${time}${code}</bucket>`;
  const time = (ms: number) => `<response-time>${ms}</response-time>`;
  const code = (name: string) => `<return-code>ipsla-ret-code-${name}</return-code>`;
  const buckets = [
    bucket(time(4), code("ok")),
    bucket(time(8), ""),
    bucket("", code("timeout")),
    bucket("", ""),
  ].join("");
  const device = having(
    `<ipsla><operation-data><operations><operation><operation-id>1</operation-id><history><target><lifes><life><buckets>${buckets}</buckets></life></lifes></target></history></operation></operations></operation-data></ipsla>`,
  );
  expect(await getters.get_probes_results?.(device, {})).toMatchObject({
    "1": { "": { rtt: 6, last_test_loss: 50 } },
  });
});
