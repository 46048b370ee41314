/** The getters of iosxr_netconf. */
import type { Getters } from "../../system.ts";
import type { XrDevice } from "./device.ts";
import { get_bgp_neighbors, get_bgp_neighbors_detail } from "./getters/bgp.ts";
import { get_bgp_config } from "./getters/bgp-config.ts";
import { get_config } from "./getters/config-text.ts";
import { get_environment } from "./getters/environment.ts";
import { get_facts } from "./getters/facts.ts";
import { get_interfaces, get_interfaces_counters, get_interfaces_ip } from "./getters/interfaces.ts";
import {
  get_arp_table,
  get_lldp_neighbors,
  get_lldp_neighbors_detail,
  get_mac_address_table,
} from "./getters/neighbors.ts";
import { get_probes_config, get_probes_results } from "./getters/probes.ts";
import { get_route_to, traceroute } from "./getters/routes.ts";
import {
  get_ntp_peers,
  get_ntp_servers,
  get_ntp_stats,
  get_snmp_information,
  get_users,
} from "./getters/services.ts";

export const getters: Getters<XrDevice> = {
  get_arp_table,
  get_bgp_config,
  get_bgp_neighbors,
  get_bgp_neighbors_detail,
  get_config,
  get_environment,
  get_facts,
  get_interfaces,
  get_interfaces_counters,
  get_interfaces_ip,
  get_lldp_neighbors,
  get_lldp_neighbors_detail,
  get_mac_address_table,
  get_ntp_peers,
  get_ntp_servers,
  get_ntp_stats,
  get_probes_config,
  get_probes_results,
  get_route_to,
  get_snmp_information,
  get_users,
  traceroute,
};
