/** The getters of eos. */

import type { Getters } from "../../system.ts";
import type { EosDevice } from "./device.ts";
import { get_config, get_snmp_information, get_users } from "./getters/administration.ts";
import { get_bgp_neighbors } from "./getters/bgp.ts";
import { get_bgp_config } from "./getters/bgp-config.ts";
import { get_bgp_neighbors_detail } from "./getters/bgp-detail.ts";
import { get_environment } from "./getters/environment.ts";
import { get_facts } from "./getters/facts.ts";
import {
  get_interfaces,
  get_interfaces_counters,
  get_interfaces_ip,
  get_optics,
} from "./getters/interfaces.ts";
import { get_lldp_neighbors, get_lldp_neighbors_detail } from "./getters/lldp.ts";
import { get_ntp_servers, get_ntp_stats } from "./getters/ntp.ts";
import { ping, traceroute } from "./getters/probes.ts";
import { get_route_to } from "./getters/routes.ts";
import { get_arp_table, get_mac_address_table, get_network_instances, get_vlans } from "./getters/tables.ts";

export const getters = {
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
  get_network_instances,
  get_ntp_servers,
  get_ntp_stats,
  get_optics,
  get_route_to,
  get_snmp_information,
  get_users,
  get_vlans,
  ping,
  traceroute,
} satisfies Getters<EosDevice>;
