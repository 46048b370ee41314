/** The getters of `iosxr`. */
import type { Getters } from "../../system.ts";
import type { XrDevice } from "./device.ts";
import {
  getConfig,
  getNtpPeers,
  getNtpServers,
  getNtpStats,
  getSnmpInformation,
  getUsers,
} from "./getters/administration.ts";
import { getBgpConfig } from "./getters/bgp-config.ts";
import { getBgpNeighbors } from "./getters/bgp-neighbors.ts";
import { getBgpNeighborsDetail } from "./getters/bgp-neighbors-detail.ts";
import { getEnvironment } from "./getters/environment.ts";
import { getFacts } from "./getters/facts.ts";
import { getInterfaces, getInterfacesCounters, getInterfacesIp } from "./getters/interfaces.ts";
import { getLldpNeighbors, getLldpNeighborsDetail } from "./getters/lldp.ts";
import { getProbesConfig, getProbesResults } from "./getters/probes.ts";
import { getRouteTo } from "./getters/route-to.ts";
import { getArpTable, getMacAddressTable } from "./getters/tables.ts";
import { traceroute } from "./getters/traceroute.ts";

export const getters: Getters<XrDevice> = {
  get_arp_table: getArpTable,
  get_bgp_config: getBgpConfig,
  get_bgp_neighbors: getBgpNeighbors,
  get_bgp_neighbors_detail: getBgpNeighborsDetail,
  get_config: getConfig,
  get_environment: getEnvironment,
  get_facts: getFacts,
  get_interfaces: getInterfaces,
  get_interfaces_counters: getInterfacesCounters,
  get_interfaces_ip: getInterfacesIp,
  get_lldp_neighbors: getLldpNeighbors,
  get_lldp_neighbors_detail: getLldpNeighborsDetail,
  get_mac_address_table: getMacAddressTable,
  get_ntp_peers: getNtpPeers,
  get_ntp_servers: getNtpServers,
  get_ntp_stats: getNtpStats,
  get_probes_config: getProbesConfig,
  get_probes_results: getProbesResults,
  get_route_to: getRouteTo,
  get_snmp_information: getSnmpInformation,
  get_users: getUsers,
  traceroute,
};
