/** Getters of eos on response formats of real switches that are not in our recordings. */
import { describe, expect, test } from "vitest";
import { createAnswers } from "../../../../plugins/drivers/napalm/answers.ts";
import { createDevice, type EosDevice } from "../../../../plugins/drivers/napalm/systems/eos/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/eos/getters.ts";
import { PluginError } from "../../../../src/plugin/index.ts";
import { quietContext } from "../../../../src/plugin/quiet-context.ts";

const ctx = quietContext();

/** The switch's responses, as text or structured data. */
function switchWith(said: Readonly<Record<string, unknown>>): EosDevice {
  const ask = async (command: string) => {
    const answer = said[command];
    if (answer instanceof PluginError) throw answer;
    if (answer !== undefined) return answer;
    throw new PluginError("CommandError", `refused: ${command}`);
  };
  return createDevice(ask, createAnswers().of("test"), ctx);
}

const bootupTimestamp = 1_700_000_000;

test("get_facts sorts ports naturally and omits subinterfaces", async () => {
  const device = switchWith({
    "show version": {
      modelName: "DCS-7050",
      serialNumber: "SN1",
      internalVersion: "4.31.1F-1",
      version: "4.31.1F",
      bootupTimestamp,
    },
    "show hostname": { hostname: "sw1", fqdn: "sw1.example.net" },
    "show interfaces": { interfaces: { Ethernet10: {}, Ethernet2: {}, "Ethernet2.7": {}, Loopback0: {} } },
  });
  const { uptime, ...facts } = await getters.get_facts(device, {});
  expect(Math.abs(uptime - (Date.now() / 1000 - bootupTimestamp))).toBeLessThan(60);
  expect(facts).toEqual({
    hostname: "sw1",
    fqdn: "sw1.example.net",
    vendor: "Arista",
    model: "DCS-7050",
    serial_number: "SN1",
    os_version: "4.31.1F-1",
    interface_list: ["Ethernet2", "Ethernet10", "Loopback0"],
  });
});

describe("LLDP getters", () => {
  test("get_lldp_neighbors lists several neighbours of one port", async () => {
    const neighbor = (port: string, neighborDevice: string) => ({
      port,
      neighborDevice,
      neighborPort: "Ethernet1",
      ttl: 120,
    });
    const lldpNeighbors = [
      neighbor("Ethernet1", "a"),
      neighbor("Ethernet2", "b"),
      neighbor("Ethernet1", "c"),
    ];
    expect(
      await getters.get_lldp_neighbors(switchWith({ "show lldp neighbors": { lldpNeighbors } }), {}),
    ).toEqual({
      Ethernet1: [
        { hostname: "a", port: "Ethernet1" },
        { hostname: "c", port: "Ethernet1" },
      ],
      Ethernet2: [{ hostname: "b", port: "Ethernet1" }],
    });
  });

  test("get_lldp_neighbors_detail covers one port, without ports that have no neighbour", async () => {
    const neighborInfo = {
      chassisId: "001c.7300.1234",
      chassisIdType: "macAddress",
      systemName: "sw2",
      systemDescription: "Arista",
      systemCapabilities: { router: false, bridge: true },
      neighborInterfaceInfo: { interfaceId: '"Ethernet7"', interfaceDescription: "to sw1" },
    };
    const device = switchWith({
      "show lldp neighbors Ethernet1 detail": {
        lldpNeighbors: {
          Ethernet1: { lldpNeighborInfo: [neighborInfo] },
          Ethernet2: { lldpNeighborInfo: [] },
        },
      },
    });
    expect(await getters.get_lldp_neighbors_detail(device, { interface: "Ethernet1" })).toEqual({
      Ethernet1: [
        {
          parent_interface: "Ethernet1",
          remote_port: "Ethernet7",
          remote_port_description: "to sw1",
          remote_system_name: "sw2",
          remote_system_description: "Arista",
          remote_chassis_id: "00:1C:73:00:12:34",
          remote_system_capab: ["bridge", "router"],
          remote_system_enable_capab: ["bridge"],
        },
      ],
    });
  });
});

test("get_interfaces_ip works on a switch without IPv6", async () => {
  const interfaces = { Vlan10: { interfaceAddress: { primaryIp: { address: "192.0.2.1", maskLen: 24 } } } };
  const refusal = new PluginError("CommandError", "refused", { output: "No IPv6 configured interfaces" });
  const device = switchWith({ "show ip interface": { interfaces }, "show ipv6 interface": refusal });
  expect(await getters.get_interfaces_ip(device, {})).toEqual({
    Vlan10: { ipv4: { "192.0.2.1": { prefix_length: 24 } }, ipv6: {} },
  });
});

test("get_optics reports zeros for a port without light", async () => {
  const interfaces = {
    Ethernet1: { rxPower: -2.5, txPower: -1.5, txBias: 6.25, temperature: 30 },
    Ethernet2: {},
  };
  const optics = await getters.get_optics(switchWith({ "show interfaces transceiver": { interfaces } }), {});
  const [channel] = optics.Ethernet1?.physical_channels.channel ?? [];
  expect(channel).toEqual({
    index: 0,
    state: {
      input_power: { instant: -2.5, avg: 0, min: 0, max: 0 },
      output_power: { instant: -1.5, avg: 0, min: 0, max: 0 },
      laser_bias_current: { instant: 6.25, avg: 0, min: 0, max: 0 },
    },
  });
  expect(optics.Ethernet2?.physical_channels.channel[0]?.state.input_power.instant).toBe(0);
});

test("get_snmp_information reads communities with and without view and access list", async () => {
  const device = switchWith({
    "show snmp v2-mib chassis": { chassisId: "SN1" },
    "show snmp v2-mib location": { location: "Lab 7" },
    "show snmp v2-mib contact": {},
    "show running-config | section snmp-server community":
      "snmp-server community one ro\nsnmp-server community two rw ADMINS\nsnmp-server community three view V ro ipv6 L6 L4\n",
  });
  expect(await getters.get_snmp_information(device, {})).toEqual({
    chassis_id: "SN1",
    location: "Lab 7",
    contact: "",
    community: {
      one: { mode: "ro", acl: "" },
      two: { mode: "rw", acl: "ADMINS" },
      three: { mode: "ro", acl: "L4" },
    },
  });
});

test("get_vlans lists names and interfaces", async () => {
  const vlans = {
    "10": { name: "DATA", status: "active", interfaces: { Ethernet1: {}, Cpu: {} } },
    "20": { name: "NONE" },
  };
  expect(await getters.get_vlans(switchWith({ "show vlan": { vlans } }), {})).toEqual({
    "10": { name: "DATA", interfaces: ["Ethernet1", "Cpu"] },
    "20": { name: "NONE", interfaces: [] },
  });
});

describe("traceroute and ping", () => {
  const command = "bash timeout 510 traceroute 192.0.2.9  -m 255 -w 2";
  const args = { destination: "192.0.2.9", source: "", ttl: 255, timeout: 2, vrf: "" };

  test("return hops with one router, several routers and none", async () => {
    const shown = [
      "traceroute to 192.0.2.9 (192.0.2.9), 255 hops max, 60 byte packets",
      " 1  gw.example.net (192.0.2.1)  0.5 ms  0.6 ms  0.7 ms",
      " 2  a (192.0.2.5)  1.5 ms b (192.0.2.6)  2.5 ms  3.5 ms",
      " 3  * * 192.0.2.9 (192.0.2.9)  9.5 ms",
    ].join("\n");
    const result = await getters.traceroute(switchWith({ [command]: shown }), args);
    const silent = { rtt: 2000, ip_address: "*", host_name: "*" };
    expect(result).toEqual({
      success: {
        "1": {
          probes: Object.fromEntries(
            [0.5, 0.6, 0.7].map((rtt, at) => [
              String(at + 1),
              { rtt, ip_address: "192.0.2.1", host_name: "gw.example.net" },
            ]),
          ),
        },
        "2": {
          probes: {
            "1": { rtt: 1.5, ip_address: "192.0.2.5", host_name: "a" },
            "2": { rtt: 2.5, ip_address: "192.0.2.6", host_name: "b" },
            "3": { rtt: 3.5, ip_address: "192.0.2.6", host_name: "b" },
          },
        },
        "3": {
          probes: {
            "1": silent,
            "2": silent,
            "3": { rtt: 9.5, ip_address: "192.0.2.9", host_name: "192.0.2.9" },
          },
        },
      },
    });
  });

  test("return the switch's refusal as error", async () => {
    expect(await getters.traceroute(switchWith({}), args)).toEqual({ error: `refused: ${command}` });
    const ping = {
      destination: "192.0.2.9",
      source: "",
      ttl: 255,
      timeout: 2,
      size: 100,
      count: 5,
      vrf: "RED",
      source_interface: "Loopback0",
    };
    expect(await getters.ping(switchWith({}), ping)).toEqual({
      error: "refused: ping vrf RED 192.0.2.9 timeout 2 size 100 repeat 5 interface Loopback0",
    });
  });
});

test("a response of another structure fails as ParseError with the path", async () => {
  const device = switchWith({ "show vlan": { vlans: { "10": { name: 7 } } } });
  await expect(getters.get_vlans(device, {})).rejects.toMatchObject({
    kind: "ParseError",
    message: expect.stringMatching(/vlans\.10\.name/),
  });
});
