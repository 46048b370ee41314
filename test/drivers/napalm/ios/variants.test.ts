/** The getters of `ios` on responses of other releases and devices, and on nonsensical ones. */

import { describe, expect, test } from "vitest";
import {
  type ArgumentsOf,
  type Method,
  methodArguments,
} from "../../../../plugins/drivers/napalm/methods.ts";
import { createDevice } from "../../../../plugins/drivers/napalm/systems/ios/device.ts";
import {
  getNtpStats,
  getSnmpInformation,
} from "../../../../plugins/drivers/napalm/systems/ios/getters/administration.ts";
import { getInterfacesCounters } from "../../../../plugins/drivers/napalm/systems/ios/getters/interfaces.ts";
import { getProbesConfig, ping } from "../../../../plugins/drivers/napalm/systems/ios/getters/reach.ts";
import { getVlans } from "../../../../plugins/drivers/napalm/systems/ios/getters/tables.ts";
import { iosGetters } from "../../../../plugins/drivers/napalm/systems/ios/getters.ts";
import { nothingKept } from "../answer-of.ts";
import { job } from "../open.ts";
import { argumentsOf, deviceSaying, hostileTexts } from "../sayings.ts";

const iosSaying = (answers: Readonly<Record<string, string>>) => ({
  ask: deviceSaying(answers),
  named: (name: string) => name,
});

test("ping reports sent and lost probes and times, or the device's error", async () => {
  const command = "ping 8.8.8.8 timeout 2 size 100 repeat 5";
  const outputOf = (rate: string) =>
    `Sending 5, 100-byte ICMP Echos to 8.8.8.8, timeout is 2 seconds:\n!!.!!\n${rate}`;
  const device = iosSaying({
    [command]: outputOf("Success rate is 80 percent (4/5), round-trip min/avg/max = 1/2/4 ms"),
  });
  const args = argumentsOf("ping", { destination: "8.8.8.8" });
  expect(await ping(device, args)).toEqual({
    success: {
      probes_sent: 5,
      packet_loss: 1,
      rtt_min: 1,
      rtt_avg: 2,
      rtt_max: 4,
      rtt_stddev: 0,
      results: Array.from({ length: 4 }, () => ({ ip_address: "8.8.8.8", rtt: 0 })),
    },
  });
  const silent = iosSaying({ [command]: outputOf("Success rate is 0 percent (0/5)") });
  expect(await ping(silent, args)).toMatchObject({ success: { packet_loss: 5, rtt_avg: 0, results: [] } });
  const unknown = iosSaying({ [command]: "% Unrecognized host or address, or protocol not running." });
  expect(await ping(unknown, args)).toEqual({
    error: "% Unrecognized host or address, or protocol not running.",
  });
});

test("ping sends VRF and source in the order of the device's syntax", async () => {
  const commands: string[] = [];
  const device = {
    named: (name: string) => name,
    async ask(command: string) {
      commands.push(command);
      return "";
    },
  };
  await ping(
    device,
    argumentsOf("ping", { destination: "10.0.0.1", vrf: "RED", source_interface: "Loopback0" }),
  );
  expect(commands).toEqual(["ping vrf RED 10.0.0.1 timeout 2 size 100 repeat 5 source Loopback0"]);
});

describe("get_vlans", () => {
  const table = [
    "VLAN Name                             Status    Ports",
    "---- -------------------------------- --------- -------------------------------",
    "1    default                          active    Gi1/0/1, Gi1/0/2",
    "                                                Te1/1/1, Po1",
    "20   servers and more                 act/lshut Gi1/0/3",
    "1002 fddi-default                     act/unsup",
    "",
    "VLAN Type  SAID       MTU   Parent RingNo BridgeNo Stp  BrdgMode Trans1 Trans2",
    "1    enet  100001     1500  -      -      -        -    -        0      0",
  ].join("\n");

  test("reads all ports from one table", async () => {
    expect(await getVlans(iosSaying({ "show vlan all-ports": table }), {})).toEqual({
      "1": {
        name: "default",
        interfaces: [
          "GigabitEthernet1/0/1",
          "GigabitEthernet1/0/2",
          "TenGigabitEthernet1/1/1",
          "Port-channel1",
        ],
      },
      "20": { name: "servers and more", interfaces: ["GigabitEthernet1/0/3"] },
      "1002": { name: "fddi-default", interfaces: [] },
    });
  });

  test("queries each VLAN if that table is not supported", async () => {
    const device = iosSaying({
      "show vlan brief":
        "1    default                          active    Gi0/1\n30   empty                            active    ",
      "show vlan id 1": "1    default                          active    Gi0/1, Gi0/2",
      "show vlan id 30": "30   empty                            active    ",
    });
    expect(await getVlans(device, {})).toEqual({
      "1": { name: "default", interfaces: ["GigabitEthernet0/1", "GigabitEthernet0/2"] },
      "30": { name: "empty                            ", interfaces: [] },
    });
  });
});

test("get_ntp_stats joins wrapped addresses, and is empty without NTP", async () => {
  const table = [
    "  address         ref clock       st   when   poll reach  delay  offset   disp",
    "*~10.0.0.1        .GPS.            1     54     64   377  1.186   0.122 18.659",
    "+~2001:DB8::1",
    "                  10.0.0.9         2      -   1024     0  0.000   0.000 15937.",
    " * sys.peer, # selected, + candidate, - outlyer, x falseticker, ~ configured",
  ].join("\n");
  const stats = await getNtpStats(iosSaying({ "show ntp associations": table }), {});
  expect(stats).toMatchObject([
    { remote: "10.0.0.1", synchronized: true, referenceid: ".GPS.", hostpoll: 64, reachability: 377 },
    { remote: "2001:DB8::1", synchronized: false, when: "-", jitter: 15_937 },
  ]);
  expect(await getNtpStats(iosSaying({ "show ntp associations": "%NTP is not enabled." }), {})).toEqual([]);
});

test("get_probes_config lists only named ICMP operations of IP SLA", async () => {
  const config = [
    "ip sla 10",
    " icmp-echo 192.0.2.1 source-ip 192.0.2.2",
    " tag edge probe",
    " frequency 30",
    " history buckets-kept 20",
    "ip sla schedule 10 life forever start-time now",
    "ip sla 11",
    " udp-jitter 192.0.2.3 5000",
    " tag jitter",
    "ip sla 12",
    " icmp-echo 192.0.2.4 source-interface Loopback0",
    " tag plain",
  ].join("\n");
  expect(await getProbesConfig(iosSaying({ "show run | section ip sla [0-9]": config }), {})).toEqual({
    "10": {
      "edge probe": {
        probe_type: "icmp-ping",
        target: "192.0.2.1",
        source: "192.0.2.2",
        probe_count: 20,
        test_interval: 30,
      },
    },
  });
});

test("get_snmp_information reports a view as mode, like NAPALM", async () => {
  const device = iosSaying({
    "show run | include snmp-server":
      "snmp-server community public RO 11\nsnmp-server community v view Inner RO 12\nsnmp-server chassis-id c1",
  });
  expect(await getSnmpInformation(device, {})).toMatchObject({
    community: { public: { mode: "ro", acl: "11" }, v: { mode: "view", acl: "Inner" } },
  });
});

test("get_interfaces_counters and get_vlans repeat NAPALM's documented misreadings", async () => {
  const output = [
    "GigabitEthernet1 is up, line protocol is up",
    "     297 packets input, 25963 bytes, 0 no buffer",
    "     Received 264071 broadcasts (39327 IP multicasts)",
    "     2 input errors, 0 CRC",
    "     160 packets output, 26812 bytes, 0 underruns",
    "     3 output errors, 0 collisions",
  ].join("\n");
  const summary = "* GigabitEthernet1   0  4  0  5  0  0  0  0  0";
  const device = iosSaying({ "show interfaces": output, "show interface summary": summary });
  expect(await getInterfacesCounters(device, {})).toMatchObject({
    GigabitEthernet1: {
      rx_octets: 25_963,
      rx_broadcast_packets: 264_071,
      rx_multicast_packets: 7,
      rx_errors: 2,
      tx_errors: 3,
      rx_discards: 4,
      tx_discards: 5,
    },
  });
  const table =
    "1    default                          active    \n2    used                             active    Gi1/0/1";
  expect(Object.keys(await getVlans(iosSaying({ "show vlan all-ports": table }), {}))).toEqual(["2"]);
});

describe("a nonsensical response", () => {
  const methods = Object.keys(iosGetters) as Method[];
  test.each(methods)("is handled in time by %s, with a result or an error", async (method) => {
    for (const text of hostileTexts) {
      const cli = { send: async () => text };
      const device = createDevice(cli as never, { whole: true }, nothingKept, job());
      const getter = iosGetters[method] as (device: unknown, args: unknown) => Promise<unknown>;
      const args: ArgumentsOf<Method> = argumentsOf(method, { destination: "10.0.0.1" });
      const result = await getter(device, args).catch((error) => error.kind);
      expect(result).toBeDefined();
      expect(result === "CommandError" || result === "ParseError" || typeof result === "object").toBe(true);
    }
  });
  test("has arguments for each method", () => {
    expect(methods.every((method) => method in methodArguments)).toBe(true);
  });
});
