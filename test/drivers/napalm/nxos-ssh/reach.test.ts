/** ARP, BGP, ping and traceroute of `nxos_ssh` on responses that were not recorded. */

import { describe, expect, test } from "vitest";
import { ping } from "../../../../plugins/drivers/napalm/systems/nxos-common/ping.ts";
import { traceroute } from "../../../../plugins/drivers/napalm/systems/nxos-common/traceroute.ts";
import { structureOf } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/device.ts";
import { getBgpNeighbors } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/bgp.ts";
import { getArpTable } from "../../../../plugins/drivers/napalm/systems/nxos-ssh/getters/tables.ts";
import { argumentsOf, deviceSaying } from "../sayings.ts";

function nexusSaying(answers: Readonly<Record<string, string>>) {
  const text = deviceSaying(answers);
  return { text, json: async (command: string) => structureOf(command, await text(`${command} | json`)) };
}

test("get_arp_table reads ages in every form and ignores flags", async () => {
  const table = [
    "Flags: * - Adjacencies learnt on non-active FHRP router",
    "",
    "IP ARP Table for all contexts",
    "Total number of entries: 4",
    "Address         Age       MAC Address     Interface       Flags",
    "10.0.0.70       00:10:22  406c.8fd1.2440  mgmt0",
    "10.0.0.71       0.411797  406c.8fd1.2441  Ethernet1/1     *",
    "10.0.0.72       -         406c.8fd1.2442  Vlan10          +D",
  ].join("\n");
  const device = nexusSaying({ "show ip arp vrf all | exc INCOMPLETE": table });
  expect(await getArpTable(device, { vrf: "" })).toEqual([
    { ip: "10.0.0.70", age: 622, mac: "40:6C:8F:D1:24:40", interface: "mgmt0" },
    { ip: "10.0.0.71", age: 0.4, mac: "40:6C:8F:D1:24:41", interface: "Ethernet1/1" },
    { ip: "10.0.0.72", age: -1, mac: "40:6C:8F:D1:24:42", interface: "Vlan10" },
  ]);
  await expect(getArpTable(nexusSaying({}), { vrf: "x" })).rejects.toThrow("could not be parsed");
});

describe("nxos_ssh ping and traceroute", () => {
  const command = "ping 8.8.8.8 timeout 2 packet-size 100 count 5";
  const args = argumentsOf("ping", { destination: "8.8.8.8" });

  test("report replies, lost probes and errors", async () => {
    const output = [
      "PING 8.8.8.8 (8.8.8.8): 100 data bytes",
      "108 bytes from 8.8.8.8: icmp_seq=0 ttl=44 time=4.5 ms",
      "Request 1 timed out",
      "36 bytes from 10.0.0.1: icmp_seq 2 Destination Host Unreachable",
      "",
      "--- 8.8.8.8 ping statistics ---",
      "3 packets transmitted, 1 packets received, 66.66% packet loss",
      "round-trip min/avg/max = 4.5/4.6/4.7 ms",
    ].join("\n");
    expect(await ping(nexusSaying({ [command]: output }), args)).toMatchObject({
      success: { probes_sent: 3, packet_loss: 2, rtt_min: 4.5, rtt_avg: 4.6, rtt_max: 4.7 },
    });
    const refused = "connect: No route to host";
    expect(await ping(nexusSaying({ [command]: refused }), args)).toEqual({ error: refused });
  });

  test("support IPv6, source and VRF", async () => {
    const output =
      "PING6 2001:db8::1(2001:db8::1): 100 data bytes\n108 bytes from 2001:db8::1: icmp_seq=0 time=2 ms";
    const device = nexusSaying({
      "ping6 2001:db8::1 timeout 2 packet-size 100 count 5 source lo0 vrf RED": output,
      "traceroute6 2001:db8::1 source lo0 vrf RED":
        " 1  2001:db8::9 (2001:db8::9) (AS 65001)  1.5 ms  2.5 ms *",
    });
    const where = { destination: "2001:db8::1", source: "lo0", vrf: "RED" };
    expect(await ping(device, argumentsOf("ping", where))).toMatchObject({
      success: { results: [{ ip_address: "2001:db8::1", rtt: 2 }] },
    });
    expect(await traceroute(device, argumentsOf("traceroute", where))).toEqual({
      success: {
        "1": {
          probes: {
            "1": { rtt: 1.5, ip_address: "2001:db8::9", host_name: "2001:db8::9" },
            "2": { rtt: 2.5, ip_address: "2001:db8::9", host_name: "2001:db8::9" },
            "3": { rtt: 5000, ip_address: "*", host_name: "*" },
          },
        },
      },
    });
  });
});

test("get_bgp_neighbors reports a shut neighbour, and none without BGP", async () => {
  const output = [
    "BGP summary information for VRF default, address family IPv4 Unicast",
    "BGP router identifier 10.1.0.16, local AS number 1.10",
    "Neighbor        V    AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    "10.2.1.14       4    10       0       0        0    0    0     3w1d Shut (Admin)",
  ].join("\n");
  expect(await getBgpNeighbors(nexusSaying({ "show bgp all summary vrf all": output }), {})).toMatchObject({
    global: { peers: { "10.2.1.14": { is_enabled: false, is_up: false, uptime: -1, local_as: 65_546 } } },
  });
  expect(await getBgpNeighbors(nexusSaying({}), {})).toEqual({});
});
