/** Counters of each interface that has any. */
import type { InterfaceCounters } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { integerAt } from "./values.ts";

const question =
  "<Get><Operational><Interfaces><InterfaceTable></InterfaceTable></Interfaces></Operational></Get>";

export const getInterfacesCounters: Getter<XrDevice, "get_interfaces_counters"> = async (device) => {
  const counters: Record<string, InterfaceCounters> = {};
  for (const element of (await device.ask(question)).descendants("Interface")) {
    if (element.find("InterfaceStatistics") === undefined) continue;
    const counter = (name: string) => integerAt(element, `InterfaceStatistics/FullInterfaceStats/${name}`);
    counters[element.textOf("InterfaceHandle")] = {
      tx_errors: counter("OutputErrors"),
      rx_errors: counter("InputErrors"),
      tx_discards: counter("OutputDrops"),
      rx_discards: counter("InputDrops"),
      tx_octets: counter("BytesSent"),
      rx_octets: counter("BytesReceived"),
      tx_unicast_packets: counter("PacketsSent"),
      rx_unicast_packets: counter("PacketsReceived"),
      tx_multicast_packets: counter("MulticastPacketsSent"),
      rx_multicast_packets: counter("MulticastPacketsReceived"),
      tx_broadcast_packets: counter("BroadcastPacketsSent"),
      rx_broadcast_packets: counter("BroadcastPacketsReceived"),
    };
  }
  return counters;
};
