/** NAPALM's results where a Junos device's response is ambiguous. */
import { expect, test } from "vitest";
import { asOneText } from "../../../../plugins/drivers/napalm/common/python-text.ts";
import { junosDevice } from "../../../../plugins/drivers/napalm/systems/junos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/junos/getters.ts";
import { taskContext } from "../../../plugin/context.ts";
import { nothingKept } from "../answer-of.ts";
import { answeringSession } from "../answering-session.ts";

/** By the name of the operation, or of the last element of a configuration path. */
function answering(answers: Readonly<Record<string, string>>) {
  const session = answeringSession((operation) => {
    let last = operation;
    if (operation.name === "get-configuration")
      for (; last.children[0] !== undefined; ) last = last.children[0];
    return answers[last.name];
  });
  return junosDevice(session, {}, nothingKept, taskContext());
}

test("get_snmp_information reports mode None for a community without authorization", async () => {
  const device = answering({
    snmp: "<configuration><snmp><community><name>a</name></community></snmp></configuration>",
  });
  expect(await getters.get_snmp_information?.(device, {})).toMatchObject({
    community: { a: { acl: "", mode: "None" } },
  });
});

test("get_bgp_config finds a group by name, with values that its neighbours inherit", async () => {
  const device = answering({
    "autonomous-system":
      "<configuration><routing-options><autonomous-system><as-number>65000</as-number></autonomous-system></routing-options></configuration>",
    name: "<configuration><protocols><bgp><group><name>G</name><apply-groups>A</apply-groups><peer-as>65001</peer-as><neighbor><name>192.0.2.1</name></neighbor><neighbor><name>192.0.2.2</name><peer-as>65002</peer-as></neighbor></group></bgp></protocols></configuration>",
    "policy-statement": "<configuration/>",
  });
  const found = await getters.get_bgp_config?.(device, { group: "G", neighbor: "" });
  expect(found).toMatchObject({
    G: {
      apply_groups: ["A"],
      neighbors: { "192.0.2.1": { remote_as: 65001 }, "192.0.2.2": { remote_as: 65002 } },
    },
  });
  expect(Object.keys(found ?? {})).toEqual(["G"]);
});

test.each([
  ["", "<as-number>65000</as-number>", ["_"]],
  ["_", "<as-number>65000</as-number>", ["_"]],
  ["G", "<as-number>65000</as-number>", []],
  ["", "", []],
])(
  "get_bgp_config for the group `%s` includes ungrouped neighbours only if there is an AS",
  async (group, as, names) => {
    const device = answering({
      "autonomous-system": `<configuration><routing-options><autonomous-system>${as}</autonomous-system></routing-options></configuration>`,
      name: "<configuration/>",
      group: "<configuration/>",
      "policy-statement": "<configuration/>",
    });
    const found = await getters.get_bgp_config?.(device, { group, neighbor: "" });
    expect(Object.keys(found ?? {})).toEqual(names);
    if (names.length > 0) expect(found?._).toMatchObject({ local_as: 65000, neighbors: {} });
  },
);

test("get_environment renames a supply whose power is reported", async () => {
  const supply = (name: string) =>
    `<environment-item><name>${name}</name><class>Power</class><status>OK</status></environment-item>`;
  const device = answering({
    "get-environment-information": `<environment-information>${supply("PEM 0")}${supply("PEM 1")}</environment-information>`,
    "get-route-engine-information": "<route-engine-information/>",
    "get-power-usage-information-detail":
      "<power-usage-information><power-usage-item><name>PEM 0</name><state>Online</state></power-usage-item></power-usage-information>",
  });
  expect(Object.keys((await getters.get_environment?.(device, {}))?.power ?? {})).toEqual([
    "Power Supply 0",
    "PEM 1",
  ]);
});

const item = (name: string, celsius: number) =>
  `<environment-item><name>${name}</name><class>Temp</class><status>OK</status><temperature celsius="${celsius}">x</temperature></environment-item>`;
const threshold = (name: string, yellow: number, red: number) =>
  `<temperature-threshold><name>${name}</name><yellow-alarm>${yellow}</yellow-alarm><red-alarm>${red}</red-alarm></temperature-threshold>`;

test("get_environment applies the last threshold to all sensors", async () => {
  const chassis = {
    "get-environment-information": `<environment-information>${item("CPU", 70)}${item("FPC 0", 90)}</environment-information>`,
    "get-route-engine-information": "<route-engine-information/>",
  };
  const limited = answering({
    ...chassis,
    "get-temperature-threshold-information": `<temperature-threshold-information>${threshold("CPU", 50, 60)}${threshold("FPC 0", 80, 100)}</temperature-threshold-information>`,
  });
  expect((await getters.get_environment?.(limited, {}))?.temperature).toEqual({
    CPU: { temperature: 70, is_alert: false, is_critical: false },
    "FPC 0": { temperature: 90, is_alert: true, is_critical: false },
  });
  const none = { "get-temperature-threshold-information": "<temperature-threshold-information/>" };
  expect((await getters.get_environment?.(answering({ ...chassis, ...none }), {}))?.temperature).toEqual({});
});

const neighbor = (inside: string) =>
  `<lldp-neighbor-information>${inside}<lldp-remote-system-name>r2</lldp-remote-system-name></lldp-neighbor-information>`;
const lldp = answering({
  "get-lldp-neighbors-information": `<lldp-neighbors-information>${neighbor(
    "<lldp-local-interface>ge-0/0/0</lldp-local-interface><lldp-remote-port-description>to r1</lldp-remote-port-description><lldp-remote-port-id>xe-1</lldp-remote-port-id>",
  )}${neighbor(
    "<lldp-local-interface>ge-0/0/0</lldp-local-interface><lldp-remote-port-description/>",
  )}</lldp-neighbors-information>`,
  "get-lldp-interface-neighbors": `<lldp-neighbors-information>${neighbor("<lldp-remote-port-id>xe-1</lldp-remote-port-id>")}</lldp-neighbors-information>`,
});

test("get_lldp_neighbors prefers the port to its description, and reports an empty element's name", async () => {
  expect(await getters.get_lldp_neighbors?.(lldp, {})).toEqual({
    "ge-0/0/0": [
      { hostname: "r2", port: "xe-1" },
      { hostname: "r2", port: "lldp-remote-port-description" },
    ],
  });
});

test("get_lldp_neighbors_detail repeats the neighbours of an interface that is listed twice", async () => {
  const found = await getters.get_lldp_neighbors_detail?.(lldp, { interface: "" });
  expect(found?.["ge-0/0/0"]?.map(({ remote_port }) => remote_port)).toEqual(["xe-1", "xe-1"]);
});

test("get_interfaces reads unusual speeds, MTUs and states", async () => {
  const physical = (name: string, inside: string) =>
    `<physical-interface><name>${name}</name>${inside}</physical-interface>`;
  const device = answering({
    "get-interface-information": `<interface-information>${physical("a", "<speed>Auto</speed><mtu>1514 bytes</mtu><ethernet-autonegotiation><link-partner-speed>10 Gbps</link-partner-speed></ethernet-autonegotiation>")}${physical("b", "<admin-status>down</admin-status><speed>10Gbps</speed><mtu>Unlimited</mtu>")}</interface-information>`,
  });
  expect(await getters.get_interfaces?.(device, {})).toMatchObject({
    a: { is_enabled: true, speed: 10, mtu: 1514, mac_address: "None" },
    b: { is_enabled: false, speed: 10_000, mtu: 0 },
  });
});

test("get_interfaces_ip shifts addresses after one without a local part, like NAPALM", async () => {
  const device = answering({
    "get-interface-information":
      "<interface-information><physical-interface><logical-interface><name>a.0</name><address-family><address-family-name>inet</address-family-name><interface-address><ifa-destination>x</ifa-destination></interface-address></address-family></logical-interface><logical-interface><name>b.0</name><address-family><address-family-name>inet</address-family-name><interface-address><ifa-local>192.0.2.1/24</ifa-local></interface-address></address-family></logical-interface></physical-interface></interface-information>",
  });
  expect(await getters.get_interfaces_ip?.(device, {})).toEqual({
    "a.0": { ipv4: { "192.0.2.1": { prefix_length: 24 } } },
  });
});

test("get_route_to truncates hops without an interface, and reports a missing length as None", async () => {
  const entry = (hops: string) =>
    `<rt-entry><protocol-name>Static</protocol-name><preference>5</preference>${hops}</rt-entry>`;
  const device = answering({
    "get-route-information": `<route-information><route-table><table-name>inet.0</table-name><rt><rt-destination>192.0.2.0</rt-destination>${entry("<nh><to>10.0.0.1</to><via>ge-0</via></nh>")}</rt><rt><rt-destination>198.51.100.0</rt-destination><rt-prefix-length>24</rt-prefix-length>${entry("<nh><nh-type>Discard</nh-type></nh>")}</rt></route-table></route-information>`,
  });
  const routes = await getters.get_route_to?.(device, { destination: "", protocol: "", longer: false });
  expect(Object.keys(routes ?? {})).toEqual(["192.0.2.0/None"]);
});

test("get_bgp_neighbors assigns sent counts to tables in sync, in order", async () => {
  const rib = (name: string, state: string, sent: string) =>
    `<bgp-rib><name>${name}</name><send-state>${state}</send-state><received-prefix-count>1</received-prefix-count><accepted-prefix-count>1</accepted-prefix-count>${sent}</bgp-rib>`;
  const count = (sent: number) => `<advertised-prefix-count>${sent}</advertised-prefix-count>`;
  const device = answering({
    "get-instance-information":
      "<instance-information><instance-core><instance-name>master</instance-name></instance-core></instance-information>",
    "get-bgp-summary-information": "<bgp-information/>",
    "get-bgp-neighbor-information": `<bgp-information><bgp-peer><peer-address>192.0.2.1</peer-address><peer-state>Established</peer-state>${rib("inet.0", "not advertising", count(4))}${rib("inet6.0", "in sync", count(7))}</bgp-peer></bgp-information>`,
  });
  const found = await getters.get_bgp_neighbors?.(device, {});
  expect(found?.global?.peers["192.0.2.1"]?.address_family).toMatchObject({
    ipv4: { sent_prefixes: 0 },
    ipv6: { sent_prefixes: 4 },
  });
});

test("get_ntp_stats omits peers of a type other than u", async () => {
  const device = answering({
    command:
      "<output>\n remote\n====\n*192.0.2.1 .GPS. 1 - 28 64 377 1.5 -0.2 0.1\n 192.0.2.2 .GPS. 1 l 28 64 377 1.5 0.2 0.1\n</output>",
  });
  const stats = await getters.get_ntp_stats?.(device, {});
  expect(stats?.map(({ remote, synchronized }) => [remote, synchronized])).toEqual([["192.0.2.1", true]]);
});

test("traceroute reports an unknown host without a name", async () => {
  const probe = (index: number, host: string) =>
    `<probe-result><probe-index>${index}</probe-index>${host}<rtt>1000</rtt></probe-result>`;
  const device = answering({
    command: `<traceroute-results><hop><ttl-value>1</ttl-value>${probe(1, "")}${probe(2, "<host-name/>")}</hop></traceroute-results>`,
  });
  const args = { destination: "192.0.2.9", source: "", ttl: 3, timeout: 2, vrf: "" };
  expect(await getters.traceroute?.(device, args)).toMatchObject({
    success: { "1": { probes: { "1": { host_name: "" }, "2": { host_name: "*" } } } },
  });
});

test("get_users reports several keys of one kind as one string", async () => {
  const user =
    "<user><name>a</name><authentication><ssh-rsa><name>ssh-rsa A</name></ssh-rsa><ssh-rsa><name>ssh-rsa B</name></ssh-rsa></authentication></user>";
  const device = answering({
    user: `<configuration><system><login>${user}</login></system></configuration>`,
    system: "<configuration/>",
  });
  expect(await getters.get_users?.(device, {})).toMatchObject({
    a: { sshkeys: ["['ssh-rsa A', 'ssh-rsa B']"] },
  });
  expect(asOneText(["it's", "a\"b'"])).toBe(`["it's", 'a"b\\'']`);
});
