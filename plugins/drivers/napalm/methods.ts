/** NAPALM's methods that query a device: arguments with defaults, and result types. */
import { laxBoolean, laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import type * as models from "./models.ts";
import type * as bgp from "./models-bgp.ts";

const oneLine = v.pipe(
  v.string("must be a string"),
  v.maxLength(1024, "is too long"),
  v.regex(/^[^\x00-\x1f\x7f]*$/, "must be one line"),
);
const text = v.optional(oneLine, "");
/** Typed into device commands and shells: it can neither end a command nor redirect its output. */
const typed = v.pipe(
  oneLine,
  v.regex(/^[^\s|;&<>"'`$\\!?(){}]*$/, "must be one word without signs that act in a command"),
  v.regex(/^(?!-)/, "must not begin with -"),
);
const optionalWord = v.optional(typed, "");
/** Some names have a blank before the number. */
const interfaceName = v.optional(
  v.pipe(oneLine, v.regex(/^[\w./:@-]*(?: [\w./:@-]+)?$/, "must be the name of an interface")),
  "",
);
const needed = v.pipe(typed, v.nonEmpty("must not be empty"));
const count = (value: number, max: number) =>
  v.optional(v.pipe(laxNumber(), v.integer(), v.minValue(0), v.maxValue(max)), value);

/** Arguments of each method, with NAPALM's names. */
export const methodArguments = {
  get_arp_table: v.strictObject({ vrf: optionalWord }),
  get_bgp_config: v.strictObject({ group: text, neighbor: text }),
  get_bgp_neighbors: v.strictObject({}),
  get_bgp_neighbors_detail: v.strictObject({ neighbor_address: optionalWord }),
  get_config: v.strictObject({
    retrieve: v.optional(v.picklist(["all", "running", "startup", "candidate"]), "all"),
    full: v.optional(laxBoolean(), false),
    sanitized: v.optional(laxBoolean(), false),
    format: v.optional(oneLine, "text"),
  }),
  get_environment: v.strictObject({}),
  get_facts: v.strictObject({}),
  get_interfaces: v.strictObject({}),
  get_interfaces_counters: v.strictObject({}),
  get_interfaces_ip: v.strictObject({}),
  get_ipv6_neighbors_table: v.strictObject({}),
  get_lldp_neighbors: v.strictObject({}),
  get_lldp_neighbors_detail: v.strictObject({ interface: interfaceName }),
  get_mac_address_table: v.strictObject({}),
  get_network_instances: v.strictObject({ name: optionalWord }),
  get_ntp_peers: v.strictObject({}),
  get_ntp_servers: v.strictObject({}),
  get_ntp_stats: v.strictObject({}),
  get_optics: v.strictObject({}),
  get_probes_config: v.strictObject({}),
  get_probes_results: v.strictObject({}),
  get_route_to: v.strictObject({
    destination: optionalWord,
    protocol: optionalWord,
    longer: v.optional(laxBoolean(), false),
  }),
  get_snmp_information: v.strictObject({}),
  get_users: v.strictObject({}),
  get_vlans: v.strictObject({}),
  ping: v.strictObject({
    destination: needed,
    source: optionalWord,
    ttl: count(255, 255),
    timeout: count(2, 3600),
    size: count(100, 65_535),
    count: count(5, 10_000),
    vrf: optionalWord,
    source_interface: interfaceName,
  }),
  traceroute: v.strictObject({
    destination: needed,
    source: optionalWord,
    ttl: count(255, 255),
    timeout: count(2, 3600),
    vrf: optionalWord,
  }),
} as const;

export type Method = keyof typeof methodArguments;
export type ArgumentsOf<M extends Method> = v.InferOutput<(typeof methodArguments)[M]>;

/** Result type of each method. */
export interface Results {
  get_arp_table: readonly models.ArpEntry[];
  get_bgp_config: models.ByName<bgp.BgpConfigGroup>;
  /** By VRF (`global` for the default one). */
  get_bgp_neighbors: models.ByName<bgp.BgpInstance>;
  /** By VRF, then by AS. */
  get_bgp_neighbors_detail: models.ByName<models.ByName<readonly bgp.BgpNeighborDetail[]>>;
  get_config: models.Configurations;
  get_environment: models.Environment;
  get_facts: models.Facts;
  get_interfaces: models.ByName<models.Interface>;
  get_interfaces_counters: models.ByName<models.InterfaceCounters>;
  get_interfaces_ip: models.ByName<models.InterfaceAddresses>;
  get_ipv6_neighbors_table: readonly models.Ipv6Neighbor[];
  get_lldp_neighbors: models.ByName<readonly models.LldpNeighbor[]>;
  get_lldp_neighbors_detail: models.ByName<readonly models.LldpNeighborDetail[]>;
  get_mac_address_table: readonly models.MacTableEntry[];
  get_network_instances: models.ByName<models.NetworkInstance>;
  get_ntp_peers: models.ByName<models.NtpServer>;
  get_ntp_servers: models.ByName<models.NtpServer>;
  get_ntp_stats: readonly models.NtpStats[];
  get_optics: models.ByName<models.Optics>;
  /** By probe, then by test. */
  get_probes_config: models.ByName<models.ByName<models.ProbeConfig>>;
  get_probes_results: models.ByName<models.ByName<models.ProbeResult>>;
  /** By prefix. */
  get_route_to: models.ByName<readonly models.Route[]>;
  get_snmp_information: models.Snmp;
  get_users: models.ByName<models.User>;
  get_vlans: models.ByName<models.Vlan>;
  ping: models.Ping;
  traceroute: models.Traceroute;
}
