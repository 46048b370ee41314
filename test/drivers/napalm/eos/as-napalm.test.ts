/** NAPALM's results where the switch's response is ambiguous. */
import { expect, test } from "vitest";
import { createAnswers } from "../../../../plugins/drivers/napalm/answers.ts";
import { createDevice } from "../../../../plugins/drivers/napalm/systems/eos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/eos/getters.ts";
import { PluginError } from "../../../../src/plugin/index.ts";
import { taskContext } from "../../../plugin/context.ts";

function switchWith(said: Readonly<Record<string, unknown>>) {
  const ask = async (command: string) => {
    if (said[command] === undefined) throw new PluginError("CommandError", `refused: ${command}`);
    return said[command];
  };
  return createDevice(ask, createAnswers().of("test"), taskContext());
}

test("get_arp_table filters by VRF", async () => {
  const entries = (address: string) => ({
    ipV4Neighbors: [{ hwAddress: "001c.7300.0001", address, interface: "Vlan1", age: 3 }],
  });
  const device = switchWith({
    "show arp vrf all": { vrfs: { default: entries("192.0.2.1"), RED: entries("192.0.2.2") } },
  });
  const all = await getters.get_arp_table(device, { vrf: "" });
  expect(all.map(({ ip }) => ip)).toEqual(["192.0.2.1", "192.0.2.2"]);
  const red = await getters.get_arp_table(device, { vrf: "RED" });
  expect(red.map(({ ip }) => ip)).toEqual(["192.0.2.2"]);
});

test('get_network_instances always has the default instance, and no "<not set>" distinguisher', async () => {
  const device = switchWith({
    "show vrf": { vrfs: { RED: { routeDistinguisher: "<not set>", interfaces: ["Vlan1, Vlan2"] } } },
    "show ip interface": { interfaces: { Vlan1: {}, Vlan3: {} } },
    "show ipv6 interface": { interfaces: {} },
  });
  expect(await getters.get_network_instances(device, { name: "" })).toEqual({
    RED: {
      name: "RED",
      type: "L3VRF",
      state: { route_distinguisher: "" },
      interfaces: { interface: { Vlan1: {}, Vlan2: {} } },
    },
    default: {
      name: "default",
      type: "DEFAULT_INSTANCE",
      state: { route_distinguisher: "" },
      interfaces: { interface: { Vlan3: {} } },
    },
  });
});

test("get_environment decides alerts by thresholds and includes board sensors and all supplies", async () => {
  const sensor = (currentTemperature: number) => ({
    name: "S1",
    currentTemperature,
    overheatThreshold: 50,
    criticalThreshold: 60,
    inAlertState: false,
  });
  const device = switchWith({
    "show system environment cooling": { fanTraySlots: [] },
    "show system environment temperature": {
      tempSensors: [sensor(55)],
      cardSlots: [{ tempSensors: [sensor(10)] }],
      powerSupplySlots: [],
    },
    "show system environment power": { powerSupplies: { "1": { capacity: 500 } } },
    "show processes top once":
      "top\nTasks\nCpu(s):  5.2%us,  1.4%sy,  0.0%ni, 92.2%id,  0.6%wa\nMem:   100k total,  60k used,    40k free",
  });
  expect(await getters.get_environment(device, {})).toMatchObject({
    temperature: { S1: { temperature: 55, is_alert: true, is_critical: false } },
    power: { "1": { status: true, capacity: 500, output: -1 } },
  });
});

test("get_interfaces_counters reports -1 for missing counters and omits subinterfaces", async () => {
  const interfaces = { Loopback0: { hardware: "loopback" }, "Ethernet1.7": { hardware: "subinterface" } };
  const counters = await getters.get_interfaces_counters(
    switchWith({ "show interfaces": { interfaces } }),
    {},
  );
  expect(Object.keys(counters)).toEqual(["Loopback0"]);
  expect(counters.Loopback0).toMatchObject({ tx_octets: -1, rx_errors: -1 });
});

test("get_lldp_neighbors_detail uses NAPALM's names of capabilities", async () => {
  const systemCapabilities = { wlanAccessPoint: true, stationOnly: false, docsis: true, bridge: true };
  const device = switchWith({
    "show lldp neighbors  detail": {
      lldpNeighbors: { Ethernet1: { lldpNeighborInfo: [{ systemCapabilities }] } },
    },
  });
  const found = await getters.get_lldp_neighbors_detail(device, { interface: "" });
  expect(found.Ethernet1?.[0]).toMatchObject({
    remote_system_capab: ["bridge", "docsis-cable-device", "station", "wlan-access-point"],
    remote_system_enable_capab: ["bridge", "docsis-cable-device", "wlan-access-point"],
  });
});

test("get_snmp_information removes quotes and omits communities without a mode", async () => {
  const device = switchWith({
    "show snmp v2-mib chassis": { chassisId: "SN1" },
    "show snmp v2-mib location": { location: '"Lab 7"' },
    "show snmp v2-mib contact": { contact: '"ops"' },
    "show running-config | section snmp-server community":
      "snmp-server community none\nsnmp-server community one rw\n",
  });
  expect(await getters.get_snmp_information(device, {})).toEqual({
    chassis_id: "SN1",
    location: "Lab 7",
    contact: "ops",
    community: { one: { mode: "rw", acl: "" } },
  });
});

test("get_users lists only RSA and DSA keys", async () => {
  const users = {
    a: { sshAuthorizedKey: "ssh-rsa AAAA a" },
    b: { sshAuthorizedKey: "ssh-ed25519 AAAA b" },
  };
  const found = await getters.get_users(switchWith({ "show users accounts": { users } }), {});
  expect([found.a?.sshkeys, found.b?.sshkeys]).toEqual([["ssh-rsa AAAA a"], []]);
});

test("NTP getters use the first address of the source interface and omit other types of peers", async () => {
  const device = switchWith({
    "show running-config | section ntp":
      "ntp local-interface Vlan1\nntp server vrf M 2001:db8::1 local-interface Vlan1 key 7 version 3\n",
    "show ip interface": { interfaces: {} },
    "show ipv6 interface": {
      interfaces: {
        Vlan1: {
          linkLocal: { address: "fe80::1", subnet: "fe80::/64" },
          addresses: [{ address: "2001:db8::9", subnet: "2001:db8::/64" }],
        },
      },
    },
    "show ntp associations":
      "head\n====\n*192.0.2.1 .GPS. 1 u 28 64 377 1.5 -0.2 0.1\n+192.0.2.2 .GPS. 1 l 28 64 377 1.5 0.2 0.1\n 192.0.2.3 .INIT. 16 u 5m 64 0 0.0 0.0 0.0\n",
  });
  expect(await getters.get_ntp_servers(device, {})).toMatchObject({
    "2001:db8::1": { network_instance: "M", source_address: "fe80::1", key_id: 7, version: 3 },
  });
  const stats = await getters.get_ntp_stats(device, {});
  expect(stats.map(({ remote, synchronized }) => [remote, synchronized])).toEqual([["192.0.2.1", true]]);
});

test("ping counts only unreachable replies, and traceroute only hops with three probes", async () => {
  const device = switchWith({
    "ping 192.0.2.9 timeout 2 size 100 repeat 2":
      "PING 192.0.2.9\nFrom 192.0.2.1 icmp_seq=1 Destination Host Unreachable\nFrom 192.0.2.1 icmp_seq=2 Time to live exceeded\n2 packets transmitted, 0 received, 100% packet loss",
    "bash timeout 510 traceroute 192.0.2.9  -m 255 -w 2":
      " 1  a (192.0.2.1)  0.5 ms  0.6 ms  0.7 ms\n 2  b (192.0.2.2)  0.5 ms !H  0.6 ms !H  0.7 ms !H\n 3  c_d (192.0.2.3)  0.5 ms  0.6 ms  0.7 ms\n",
  });
  const to = { destination: "192.0.2.9", source: "", timeout: 2, ttl: 255, vrf: "" };
  const answer = await getters.ping(device, { ...to, size: 100, count: 2, source_interface: "" });
  expect(answer).toMatchObject({
    success: { packet_loss: 2, results: [{ ip_address: "192.0.2.1", rtt: 0 }] },
  });
  const hops = await getters.traceroute(device, to);
  expect(Object.keys("success" in hops ? hops.success : {})).toEqual(["1"]);
});

test.each([
  ["   neighbor 192.0.2.1 password 7 AbC=", "   neighbor 192.0.2.1 password <removed>"],
  ["tacacs-server key 7 0822455D0A16", "tacacs-server key <removed>"],
  ["username admin secret 5 $1$abc", "username admin secret 5 <removed>"],
  ["username admin secret sha512 $6$abc", "username admin secret sha512 <removed>"],
  ["snmp-server community public ro", "snmp-server community <removed>"],
])("get_config removes secrets from the startup configuration: `%s`", async (line, clean) => {
  const device = switchWith({ "show startup-config": `${line}\nend\n` });
  const config = await getters.get_config(device, {
    retrieve: "startup",
    full: false,
    sanitized: true,
    format: "text",
  });
  expect(config.startup).toBe(`${clean}\nend\n`);
});
