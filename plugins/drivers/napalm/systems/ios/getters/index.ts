/** The getters of IOS. */
import type { Getters } from "../../../system.ts";
import type { IosDevice } from "../device.ts";
import { getInterfacesIp } from "./addresses.ts";
import { getBgpConfig } from "./bgp-config.ts";
import { getBgpNeighborsDetail } from "./bgp-detail.ts";
import { getBgpNeighbors } from "./bgp-neighbors.ts";
import { getConfig } from "./config.ts";
import { getInterfacesCounters } from "./counters.ts";
import { getEnvironment } from "./environment.ts";
import { getFacts } from "./facts.ts";
import { getNetworkInstances } from "./instances.ts";
import { getInterfaces } from "./interfaces.ts";
import { getLldpNeighbors, getLldpNeighborsDetail } from "./lldp.ts";
import { getMacAddressTable } from "./mac-table.ts";
import { getArpTable, getIpv6NeighborsTable } from "./neighbors.ts";
import { getNtpPeers, getNtpServers, getNtpStats } from "./ntp.ts";
import { getOptics } from "./optics.ts";
import { ping } from "./ping.ts";
import { getProbesConfig } from "./probes.ts";
import { getRouteTo } from "./routes.ts";
import { getSnmpInformation } from "./snmp.ts";
import { traceroute } from "./traceroute.ts";
import { getUsers } from "./users.ts";
import { getVlans } from "./vlans.ts";

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
