/** The getters of nxos_ssh. */
import type { Getters } from "../../system.ts";
import { getSnmpInformation, getUsers } from "../nxos-common/administration.ts";
import { getConfig } from "../nxos-common/config.ts";
import type { NxosDevice } from "../nxos-common/device.ts";
import { getNetworkInstances } from "../nxos-common/instances.ts";
import { getLldpNeighbors, getLldpNeighborsDetail } from "../nxos-common/lldp.ts";
import { ping } from "../nxos-common/ping.ts";
import { traceroute } from "../nxos-common/traceroute.ts";
import { getVlans } from "../nxos-common/vlans.ts";
import { getBgpNeighbors } from "./getters/bgp.ts";
import { getEnvironment } from "./getters/environment.ts";
import { getFacts } from "./getters/facts.ts";
import { getInterfaces, getInterfacesCounters, getInterfacesIp, getOptics } from "./getters/interfaces.ts";
import { getRouteTo } from "./getters/routes.ts";
import { getArpTable, getMacAddressTable, getNtpPeers, getNtpServers } from "./getters/tables.ts";

export const nxosSshGetters: Getters<NxosDevice> = {
  get_arp_table: getArpTable,
  get_bgp_neighbors: getBgpNeighbors,
  get_config: getConfig,
  get_environment: getEnvironment,
  get_facts: getFacts,
  get_interfaces: getInterfaces,
  get_interfaces_counters: getInterfacesCounters,
  get_interfaces_ip: getInterfacesIp,
  get_lldp_neighbors: getLldpNeighbors,
  get_lldp_neighbors_detail: getLldpNeighborsDetail,
  get_mac_address_table: getMacAddressTable,
  get_network_instances: getNetworkInstances,
  get_ntp_peers: getNtpPeers,
  get_ntp_servers: getNtpServers,
  get_optics: getOptics,
  get_route_to: getRouteTo,
  get_snmp_information: getSnmpInformation,
  get_users: getUsers,
  get_vlans: getVlans,
  ping,
  traceroute,
};
