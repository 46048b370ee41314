/** Getters of junos without recordings, on responses that follow the device's models. */
import type { XmlElement } from "patchbay/plugin";
import { describe, expect, test } from "vitest";
import { type JunosDevice, junosDevice } from "../../../../plugins/drivers/napalm/systems/junos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/junos/getters.ts";
import { taskContext } from "../../../plugin/context.ts";
import { nothingKept } from "../answer-of.ts";
import { answeringSession } from "../answering-session.ts";

function device(answer: (operation: XmlElement) => string | undefined): JunosDevice {
  return junosDevice(answeringSession(answer), {}, nothingKept, taskContext());
}

/** Responses by the name of the operation, or of the last element of a configuration path. */
function answering(answers: Readonly<Record<string, string>>): JunosDevice {
  return device((operation) => {
    let last = operation;
    if (operation.name === "get-configuration")
      for (; last.children[0] !== undefined; ) last = last.children[0];
    return answers[last.name];
  });
}

const rib = (name: string, received: number, more = "") =>
  `<bgp-rib><name>${name}</name><send-state>in sync</send-state><active-prefix-count>1</active-prefix-count><received-prefix-count>${received}</received-prefix-count><accepted-prefix-count>2</accepted-prefix-count><suppressed-prefix-count>0</suppressed-prefix-count>${more}</bgp-rib>`;
const sent = (count: number) => `<advertised-prefix-count>${count}</advertised-prefix-count>`;

const bgp = device((operation) => {
  const isMaster = operation.textOf("instance") === "master";
  switch (operation.name) {
    case "get-instance-information":
      return `<instance-information>${["master", "RED", "__juniper_private1__"].map((name) => `<instance-core><instance-name>${name}</instance-name></instance-core>`).join("")}</instance-information>`;
    case "get-bgp-summary-information":
      return '<bgp-information><bgp-peer><peer-address>192.0.2.1</peer-address><elapsed-time seconds="77">1:17</elapsed-time></bgp-peer></bgp-information>';
    case "get-bgp-neighbor-information":
      return isMaster
        ? `<bgp-information>
            <bgp-peer>
              <peer-address>192.0.2.1+179</peer-address><peer-as>65002</peer-as><local-address>192.0.2.2+51000</local-address><local-as>65001</local-as>
              <description>north</description><peer-state>Established</peer-state><last-state>OpenConfirm</last-state><last-event>RecvKeepAlive</last-event>
              <bgp-option-information><bgp-options>Multihop Preference AddressFamily Refresh</bgp-options><holdtime>90</holdtime><import-policy>IN</import-policy><export-policy>OUT</export-policy></bgp-option-information>
              <flap-count>3</flap-count><peer-id>192.0.2.1</peer-id><local-id>192.0.2.2</local-id><active-holdtime>60</active-holdtime><keepalive-interval>20</keepalive-interval>
              <peer-addpath-not-supported/><peer-4byte-as-capability-advertised>65002</peer-4byte-as-capability-advertised>
              ${rib("inet.0", 10, sent(5))}${rib("inet6.0", 20).replace("in sync", "not advertising")}${rib("bgp.l3vpn.0", 30, sent(9))}
              <input-messages>100</input-messages><output-messages>90</output-messages><input-updates>8</input-updates><output-updates>7</output-updates>
              <bgp-output-queue><number>1</number><count>2</count><table-name>inet.0</table-name></bgp-output-queue><bgp-output-queue><count>3</count></bgp-output-queue>
            </bgp-peer>
            <bgp-peer><peer-address>2001:DB8::9</peer-address><peer-as>65003</peer-as><local-address/><peer-state>Active</peer-state></bgp-peer>
          </bgp-information>`
        : "<bgp-information/>";
    default:
      return undefined;
  }
});

describe("BGP getters", () => {
  test("get_bgp_neighbors reads neighbours and their families", async () => {
    const none = { received_prefixes: -1, accepted_prefixes: -1, sent_prefixes: -1 };
    expect(await getters.get_bgp_neighbors?.(bgp, {})).toEqual({
      global: {
        router_id: "192.0.2.2",
        peers: {
          "192.0.2.1": {
            local_as: 65001,
            remote_as: 65002,
            remote_id: "192.0.2.1",
            is_up: true,
            is_enabled: true,
            description: "north",
            uptime: 77,
            address_family: {
              ipv4: { received_prefixes: 10, accepted_prefixes: 2, sent_prefixes: 5 },
              ipv6: { received_prefixes: 20, accepted_prefixes: 2, sent_prefixes: 0 },
            },
          },
          "2001:db8::9": expect.objectContaining({
            is_up: false,
            local_as: 0,
            remote_as: 65003,
            uptime: 0,
            address_family: { ipv4: none, ipv6: none },
          }),
        },
      },
    });
  });

  test("get_bgp_neighbors_detail reads sessions and their options", async () => {
    const found = await getters.get_bgp_neighbors_detail?.(bgp, { neighbor_address: "" });
    expect(Object.keys(found ?? {})).toEqual(["global"]);
    expect(found?.global?.["65002"]).toEqual([
      expect.objectContaining({
        up: true,
        local_port: 51000,
        remote_port: 179,
        multihop: true,
        multipath: false,
        local_address_configured: true,
        import_policy: "IN",
        // The queue without a table has no name and is not counted.
        messages_queued_out: 2,
        previous_connection_state: "OpenConfirm",
        suppress_4byte_as: false,
        local_as_prepend: true,
        holdtime: 60,
        configured_holdtime: 90,
        keepalive: 20,
        received_prefix_count: 60,
        advertised_prefix_count: 14,
        flap_count: 3,
      }),
    ]);
    expect(found?.global?.["65003"]?.[0]).toMatchObject({
      received_prefix_count: -1,
      remote_address: "2001:db8::9",
      // An empty element yields its name.
      local_address: "local-address",
    });
  });
});

test("get_interfaces_counters reads counters and errors", async () => {
  const counted = answering({
    "get-interface-information":
      "<interface-information><physical-interface><name>ge-0/0/0</name><traffic-statistics><input-bytes>1</input-bytes><output-bytes>2</output-bytes></traffic-statistics><input-error-list><input-errors>3</input-errors><input-discards>4</input-discards></input-error-list><output-error-list><output-errors>5</output-errors><output-drops>6</output-drops></output-error-list></physical-interface></interface-information>",
  });
  expect(await getters.get_interfaces_counters?.(counted, {})).toMatchObject({
    "ge-0/0/0": {
      rx_octets: 1,
      tx_octets: 2,
      rx_errors: 3,
      rx_discards: 4,
      tx_errors: 5,
      tx_discards: 6,
      rx_unicast_packets: -1,
    },
  });
});

test("get_ntp_servers and get_snmp_information read the configuration", async () => {
  const configured = answering({
    server:
      "<configuration><system><ntp><server><name>192.0.2.5</name></server><server><name>2001:DB8::5</name></server></ntp></system></configuration>",
    snmp: "<configuration><snmp><location>here</location><community><name>public</name><authorization>read-only</authorization></community><community><name>secret</name><authorization>read-write</authorization></community></snmp></configuration>",
  });
  expect(await getters.get_ntp_servers?.(configured, {})).toEqual({ "192.0.2.5": {}, "2001:db8::5": {} });
  expect(await getters.get_snmp_information?.(configured, {})).toEqual({
    chassis_id: "",
    contact: "",
    location: "here",
    community: { public: { acl: "", mode: "ro" }, secret: { acl: "", mode: "rw" } },
  });
});

test("get_probes_config and get_probes_results read RPM probes", async () => {
  const rtt = (of: string, ms: number) =>
    `<${of}><probe-test-generic-results><loss-percentage>12.5</loss-percentage><probe-test-rtt><probe-summary-results><min-delay>${ms}000</min-delay><max-delay>${ms + 1}000</max-delay><avg-delay>${ms}500</avg-delay></probe-summary-results></probe-test-rtt></probe-test-generic-results></${of}>`;
  const probed = answering({
    test: "<configuration><services><rpm><probe><name>p</name><test><name>t1</name><probe-type>icmp-ping</probe-type><target><address>192.0.2.7</address></target><probe-count>15</probe-count><test-interval>60</test-interval></test><test><name>t2</name></test></probe></rpm></services></configuration>",
    "get-probe-results": `<probe-results><probe-test-results><owner>p</owner><test-name>t1</test-name><target-address>192.0.2.7</target-address><probe-type>icmp-ping</probe-type><test-size>15</test-size><probe-single-results><rtt>1500</rtt><round-trip-jitter>-20</round-trip-jitter></probe-single-results>${rtt("probe-test-current-results", 1)}${rtt("probe-last-test-results", 2)}${rtt("probe-test-global-results", 3)}</probe-test-results></probe-results>`,
  });
  expect(await getters.get_probes_config?.(probed, {})).toEqual({
    p: {
      t1: { probe_type: "icmp-ping", target: "192.0.2.7", source: "", probe_count: 15, test_interval: 60 },
      t2: { probe_type: "", target: "", source: "", probe_count: 0, test_interval: 0 },
    },
  });
  expect(await getters.get_probes_results?.(probed, {})).toMatchObject({
    p: {
      t1: {
        rtt: 1.5,
        round_trip_jitter: -0.02,
        last_test_loss: 12,
        current_test_min_delay: 1,
        last_test_max_delay: 3,
        global_test_avg_delay: 3.5,
      },
    },
  });
});

describe("older switches", () => {
  const summary = (tag: string) => (operation: XmlElement) =>
    operation.find("summary") === undefined ? undefined : `<${tag}/>`;
  test("of the EX series: MAC addresses and VLANs are read", async () => {
    const ex = device((operation) => {
      if (operation.name === "get-vlan-information")
        return "<vlan-information><vlan><vlan-name>v10</vlan-name><vlan-tag>10</vlan-tag><vlan-detail><vlan-member-list><vlan-member><vlan-member-interface>ge-0/0/1.0*</vlan-member-interface></vlan-member></vlan-member-list></vlan-detail></vlan></vlan-information>";
      return (
        summary("ethernet-switching-table-information")(operation) ??
        "<ethernet-switching-table-information><ethernet-switching-table><mac-table-entry><mac-vlan-tag>10</mac-vlan-tag><mac-address>*</mac-address></mac-table-entry><mac-table-entry><mac-vlan-tag>10</mac-vlan-tag><mac-address>00:11:22:33:44:55</mac-address><mac-type>Static</mac-type><mac-interface>ge-0/0/1.0</mac-interface></mac-table-entry></ethernet-switching-table></ethernet-switching-table-information>"
      );
    });
    expect(await getters.get_mac_address_table?.(ex, {})).toEqual([
      {
        mac: "00:11:22:33:44:55",
        interface: "ge-0/0/1.0",
        vlan: 10,
        static: true,
        active: true,
        moves: 0,
        last_move: 0,
      },
    ]);
    expect(await getters.get_vlans?.(ex, {})).toEqual({ "10": { name: "v10", interfaces: ["ge-0/0/1.0"] } });
  });

  test("of the QFX series: MAC addresses are read", async () => {
    const qfx = device(
      (operation) =>
        summary("l2ng-l2ald-rtb-macdb")(operation) ??
        "<l2ng-l2ald-rtb-macdb><l2ng-l2ald-mac-entry-vlan><l2ng-l2-mac-address>00:11:22:33:44:55</l2ng-l2-mac-address><l2ng-l2-vlan-id>7</l2ng-l2-vlan-id><l2ng-l2-mac-logical-interface>xe-0/0/1.0</l2ng-l2-mac-logical-interface></l2ng-l2ald-mac-entry-vlan></l2ng-l2ald-rtb-macdb>",
    );
    expect(await getters.get_mac_address_table?.(qfx, {})).toMatchObject([
      { vlan: 7, interface: "xe-0/0/1.0", static: false },
    ]);
  });
});
