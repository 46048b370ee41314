/** `get_interfaces_counters` of nxos_ssh. */
import type { InterfaceCounters } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { numberOf, type Row, rowsOf, textOf } from "../../nxos-common/tables.ts";

type Fields = Readonly<Record<keyof InterfaceCounters, string | undefined>>;

/** Fields of ports and port channels. */
const ofPorts: Fields = {
  tx_errors: "eth_outerr",
  rx_errors: "eth_inerr",
  tx_discards: "eth_outdiscard",
  rx_discards: "eth_indiscard",
  tx_octets: "eth_outbytes",
  rx_octets: "eth_inbytes",
  tx_unicast_packets: "eth_outucast",
  rx_unicast_packets: "eth_inucast",
  tx_multicast_packets: "eth_outmcast",
  rx_multicast_packets: "eth_inmcast",
  tx_broadcast_packets: "eth_outbcast",
  rx_broadcast_packets: "eth_inbcast",
};
const ofManagement: Fields = {
  tx_errors: undefined,
  rx_errors: undefined,
  tx_discards: undefined,
  rx_discards: undefined,
  tx_octets: "mgmt_out_bytes",
  rx_octets: "mgmt_in_bytes",
  tx_unicast_packets: undefined,
  rx_unicast_packets: undefined,
  tx_multicast_packets: "mgmt_out_mcast",
  rx_multicast_packets: "mgmt_in_mcast",
  tx_broadcast_packets: undefined,
  rx_broadcast_packets: undefined,
};

export const getInterfacesCounters: Getter<NxosDevice, "get_interfaces_counters"> = async (device) => {
  // The second structure contains all interfaces and their discards; the first one has more counters.
  const detailed = rowsOf(
    await device.json("show interface counters detailed"),
    "TABLE_interface",
    "ROW_interface",
  );
  const summary = rowsOf(await device.json("show interface"), "TABLE_interface", "ROW_interface");
  const counters: Record<string, InterfaceCounters> = {};
  for (const row of [...summary, ...detailed]) {
    const name = textOf(row, "interface") ?? "";
    const fields = /^(?:Ether|port-channel)/.test(name)
      ? ofPorts
      : name.startsWith("mgm")
        ? ofManagement
        : undefined;
    if (fields !== undefined) counters[name] = countersOf(row, fields, counters[name]);
  }
  return counters;
};

function countersOf(row: Row, fields: Fields, previous: InterfaceCounters | undefined): InterfaceCounters {
  const of = (name: keyof InterfaceCounters) => {
    const field = fields[name];
    return (field === undefined ? undefined : numberOf(row, field)) ?? previous?.[name] ?? 0;
  };
  return {
    tx_errors: of("tx_errors"),
    rx_errors: of("rx_errors"),
    tx_discards: of("tx_discards"),
    rx_discards: of("rx_discards"),
    tx_octets: of("tx_octets"),
    rx_octets: of("rx_octets"),
    tx_unicast_packets: of("tx_unicast_packets"),
    rx_unicast_packets: of("rx_unicast_packets"),
    tx_multicast_packets: of("tx_multicast_packets"),
    rx_multicast_packets: of("rx_multicast_packets"),
    tx_broadcast_packets: of("tx_broadcast_packets"),
    rx_broadcast_packets: of("rx_broadcast_packets"),
  };
}
