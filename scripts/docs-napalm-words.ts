/** Texts of docs/reference/drivers/napalm.md about fields and systems; a missing entry is a compile error. */
import type { Method } from "../plugins/drivers/napalm/methods.ts";
import type { SystemName } from "../plugins/drivers/napalm/system-names.ts";

const ssh = "SSH (keys, jump hosts and host keys as with netmiko)";

export const systemWords: Readonly<
  Record<SystemName, { readonly transport: string; readonly message: boolean; readonly candidate: string }>
> = {
  eos: {
    transport: "eAPI over https or `http`, or the command line with `transport: ssh`",
    message: false,
    candidate: "a configuration session of the switch",
  },
  ios: {
    transport: "the command line over SSH or `telnet`",
    message: false,
    candidate: "a temporary file on the device, deleted afterwards",
  },
  junos: { transport: `NETCONF over ${ssh}`, message: true, candidate: "the candidate, locked" },
  nxos: {
    transport: "NX-API over https or `http`",
    message: false,
    candidate: "none: a checkpoint is taken before the change and restored on any error",
  },
  nxos_ssh: {
    transport: "the command line over SSH or `telnet`",
    message: false,
    candidate: "none: a checkpoint is taken before the change and restored on any error",
  },
  iosxr: {
    transport: "the XML agent over SSH",
    message: true,
    candidate: "the target configuration of the XML session, locked",
  },
  iosxr_netconf: { transport: `NETCONF over ${ssh}`, message: false, candidate: "the candidate, locked" },
};

/** NAPALM's parsing errors that the driver reproduces: system, method, result. */
export const kept: readonly (readonly [system: SystemName, method: Method, gives: string])[] = [
  ["eos", "get_bgp_config", "a description is cut after its first word; `no … route-map R in` sets `R`"],
  ["eos", "get_bgp_config", "an AS number in dot notation after a neighbour or group is `0`"],
  ["eos", "get_bgp_config", "with `group`, the result also has other groups with neighbours, and `_`"],
  ["eos", "get_bgp_neighbors_detail", "IPv4 and IPv6 counts are added up; `local_as` ends at the dot"],
  ["eos", "get_ntp_servers", "`source_address` is the interface's first address, even if it is link-local"],
  ["eos", "get_ntp_stats", "peers of a type other than `u`, or last heard minutes ago, are missing"],
  ["eos", "get_snmp_information", "communities without a mode are missing"],
  ["eos", "get_users", "keys other than RSA and DSA are missing"],
  [
    "eos",
    "traceroute",
    "a hop with more than times, such as `!H`, or with a name that contains `_`, is missing",
  ],
  ["ios", "get_interfaces_counters", "`rx_multicast_packets` is only the last digit of the count"],
  ["ios", "get_optics", "if an alarm follows the current, the powers are read from the wrong columns"],
  ["ios", "get_vlans", "a VLAN without ports is missing if its line ends in spaces"],
  ["ios", "get_bgp_neighbors", "a neighbour without a description gets the previous neighbour's"],
  ["ios", "get_bgp_neighbors", "`received_prefixes` is the number of accepted prefixes"],
  [
    "ios",
    "get_bgp_config",
    "an interface name is cut at its first special character (`GigabitEthernet0/0` becomes `GigabitEthernet0`), an AS number at its dot; a key ends in `'`",
  ],
  [
    "ios",
    "get_bgp_config",
    "values of several address families of a neighbour are joined into one text, `['A', 'B']`, and numbers are lost; `multihop_ttl` is `0`",
  ],
  [
    "ios",
    "get_route_to",
    "for a VRF whose name is not all lower case, age and interface are missing; VRFs whose route distinguisher has a dot are missing altogether",
  ],
  ["ios", "get_route_to", "directly connected routes of a protocol other than `connected` are missing"],
  ["ios", "get_probes_config", "probes that use a default value are missing"],
  [
    "ios",
    "get_snmp_information",
    "for a community with a view, `mode` is `view` and `acl` is the view's name",
  ],
  [
    "junos",
    "get_environment",
    "the last threshold is used for all sensors; without thresholds there are no temperatures",
  ],
  ["junos", "get_snmp_information", "`mode` is `None` for a community without an authorization"],
  [
    "junos",
    "get_lldp_neighbors",
    "an empty element yields its tag name, here and in other methods; a missing name is `None`",
  ],
  ["junos", "get_lldp_neighbors_detail", "an interface with two neighbours lists both twice"],
  ["junos", "get_interfaces", "the unit of a speed after a space is ignored: `10 Gbps` becomes 10"],
  ["junos", "get_bgp_neighbors_detail", "queues without a table are not counted"],
  [
    "junos",
    "get_route_to",
    "the list is cut to the number of hops that name an interface; a route without a prefix length ends in `/None`",
  ],
  ["junos", "get_ntp_stats", "peers of a type other than `u`, or last heard days ago, are missing"],
  [
    "junos",
    "get_users",
    "several keys of one type are joined into one text, `['…', '…']`; Ed25519 keys are missing",
  ],
  ["nxos", "get_interfaces", "a VLAN interface is up unless it is shut down"],
  ["nxos", "get_interfaces", "a flap time in an unknown format is read as now"],
  ["nxos", "get_bgp_neighbors", "only the last address family of a neighbour is returned"],
  [
    "nxos",
    "get_interfaces_ip",
    "the prefix length of a single IPv6 address is the one printed next to it, or 128",
  ],
  ["nxos", "get_arp_table", "the age of an entry older than a day is `-1`"],
  [
    "nxos",
    "get_environment",
    "of sensors with the same name in modules after the first, only the last one is returned",
  ],
  ["iosxr", "get_environment", "a value missing for a power supply is the previous supply's"],
  ["iosxr", "get_interfaces", "`last_flapped` is the router's time divided by 10⁹"],
  ["iosxr", "get_bgp_config", "policies and limits are those of the first address family that has any"],
  [
    "iosxr_netconf",
    "get_interfaces",
    "`last_flapped` is always `-1`; descriptions are matched by position in the list",
  ],
  ["iosxr_netconf", "get_bgp_neighbors_detail", "a `previous_connection_state` in words is left empty"],
  ["nxos_ssh", "get_route_to", "multicast hops (`**via`) and hops over interfaces with a hyphen are missing"],
  ["nxos_ssh", "get_bgp_neighbors", "only the last address family of a VRF that has neighbours is returned"],
  ["nxos_ssh", "get_interfaces_ip", "the last interface with IPv4 may have an empty `ipv6`"],
  ["nxos_ssh", "get_arp_table", "the age of an entry older than a day is `-1`"],
  ["nxos_ssh", "get_vlans", "a VLAN without ports has one port without a name"],
  ["nxos_ssh", "get_config", "with `sanitized`, the engine ID of an SNMP user appears twice"],
];

/** Differences between NAPALM's result and ours, by system. */
export const differences: readonly (readonly [system: string, napalm: string, here: string])[] = [
  ["all", "an unknown table, address family or state raises an exception", "returned as it is, or left out"],
  [
    "`nxos`",
    "without a chassis the serial number is `None`, without a host name there is no `fqdn`, without SNMP the result is `{}`",
    '`""` in each field',
  ],
  ["`nxos`", "a missing value is the text `None`", '`""`'],
  ["`nxos`", "no version if only `nxos_ver_str` has it", "returns that version"],
  ["`nxos`", "`get_arp_table` does not support `vrf`", "supports it"],
  ["`nxos_ssh`", 'an address without a prefix length gets the length `"N/A"`', "left out"],
  ["`iosxr`", 'a missing number is `""`, the type of an unknown probe is `None`', '`0`, `""`'],
  [
    "`iosxr`",
    "a card that does not respond, or has no processor of type `RSP`, raises an exception",
    "left out; `RP` also counts",
  ],
  [
    "`iosxr`",
    "`get_arp_table` does not support `vrf`; `interface` and `neighbor_address` are ignored, and `group` keeps neighbours without a group",
    "each one filters the result",
  ],
  [
    "`ios`",
    "names and IPv6 addresses in `show ntp associations` are truncated, or repeat the previous line; `ip` and `ipv6` in `ntp server ip …` are read as the server",
    "each is returned as shown",
  ],
  ["`ios`", "values of an interface without a bandwidth are assigned to the next interface", "left out"],
  [
    "`eos`",
    "`neighbor` of `get_bgp_config` is ignored; NTP lines other than `ntp server` are read as servers",
    "it filters the result; they are left out",
  ],
  ["`eos`", "a user has extra fields from the switch", "only the fields of the structure"],
  ["`eos`", "the interface of a path without one is `None`", '`""`'],
  [
    "`junos`",
    "a missing text or number is `None`; a section that is missing altogether has no key",
    '`""`, `0` or `-1`; `{}`',
  ],
  ["`junos`", "`get_snmp_information` without a contact is `{}`", "the other values are returned"],
  [
    "`junos`",
    "a name instead of an address, or an unresolved MAC address, raises an exception",
    'the name is returned; `""`',
  ],
  ["`junos`", 'a ping that fails without an error message has the error `""`', "the device's output"],
  [
    "`junos`",
    "an interface whose LLDP request is rejected gets the previous interface's neighbours",
    "an error",
  ],
  ["`junos`", "`get_arp_table` does not support `vrf`", "supports it"],
  [
    "`iosxr_netconf`",
    '`""` for counters of an interface without statistics, `0.0` for the memory of a router that reports none',
    "`-1`; `0` in each field",
  ],
  ["`iosxr_netconf`", "`interface` and `neighbor_address` are ignored", "each one filters the result"],
];
