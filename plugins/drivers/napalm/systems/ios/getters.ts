/** The getters of IOS. */
import type { Getters } from "../../system.ts";
import type { IosDevice } from "./device.ts";
import {
  getConfig,
  getNtpPeers,
  getNtpServers,
  getNtpStats,
  getSnmpInformation,
  getUsers,
} from "./getters/administration.ts";
import { getBgpConfig } from "./getters/bgp-config.ts";
import { getBgpNeighborsDetail } from "./getters/bgp-detail.ts";
import { getBgpNeighbors } from "./getters/bgp-neighbors.ts";
import { getEnvironment } from "./getters/environment.ts";
import { getFacts } from "./getters/facts.ts";
import { getInterfaces, getInterfacesCounters, getInterfacesIp, getOptics } from "./getters/interfaces.ts";
import { getLldpNeighbors, getLldpNeighborsDetail } from "./getters/lldp.ts";
import { getProbesConfig, ping, traceroute } from "./getters/reach.ts";
import { getRouteTo } from "./getters/routes.ts";
import {
  getArpTable,
  getIpv6NeighborsTable,
  getMacAddressTable,
  getNetworkInstances,
  getVlans,
} from "./getters/tables.ts";

export const iosGetters: Getters<IosDevice> = {
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
  get_ipv6_neighbors_table: getIpv6NeighborsTable,
  get_lldp_neighbors: getLldpNeighbors,
  get_lldp_neighbors_detail: getLldpNeighborsDetail,
  get_mac_address_table: getMacAddressTable,
  get_network_instances: getNetworkInstances,
  get_ntp_peers: getNtpPeers,
  get_ntp_servers: getNtpServers,
  get_ntp_stats: getNtpStats,
  get_optics: getOptics,
  get_probes_config: getProbesConfig,
  get_route_to: getRouteTo,
  get_snmp_information: getSnmpInformation,
  get_users: getUsers,
  get_vlans: getVlans,
  ping,
  traceroute,
};
