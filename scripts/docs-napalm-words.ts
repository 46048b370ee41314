/** Texts of docs/drivers/napalm.md about fields and systems; a missing entry is a compile error. */
import type { Method } from "../plugins/drivers/napalm/methods.ts";
import type { SystemName } from "../plugins/drivers/napalm/system-names.ts";

const ssh = "SSH (its keys, hops and host keys as with netmiko)";

export const systemWords: Readonly<
  Record<SystemName, { readonly transport: string; readonly message: boolean; readonly candidate: string }>
> = {
  eos: {
    transport: "eAPI over https, `http`, or the command line with `transport: ssh`",
    message: false,
    candidate: "a configuration session of the switch",
  },
  ios: {
    transport: "the command line over SSH or `telnet`",
    message: false,
    candidate: "a file of its own on the device, deleted afterwards",
  },
  junos: { transport: `NETCONF over ${ssh}`, message: true, candidate: "the candidate, locked" },
  nxos: {
    transport: "NX-API over https or `http`",
    message: false,
    candidate: "a checkpoint beside the running configuration",
  },
  nxos_ssh: {
    transport: "the command line over SSH or `telnet`",
    message: false,
    candidate: "a checkpoint beside the running configuration",
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
  ["eos", "get_bgp_config", "a description is its first word; `no … route-map R in` sets `R`"],
  ["eos", "get_bgp_config", "an AS with a dot behind a neighbour or a group is `0`"],
  ["eos", "get_bgp_config", "with `group`, other groups that have neighbours stand beside it, and `_`"],
  ["eos", "get_bgp_neighbors_detail", "counts of IPv4 and IPv6 together; `local_as` up to the dot"],
  [
    "eos",
    "get_ntp_servers",
    "`source_address` is the interface's first address, be it one of the link alone",
  ],
  ["eos", "get_ntp_stats", "peers of another type than `u`, or last heard of minutes ago, are missing"],
  ["eos", "get_snmp_information", "communities without a mode are missing"],
  ["eos", "get_users", "keys of other kinds than RSA and DSA are missing"],
  ["eos", "traceroute", "a hop that says more than times, such as `!H`, or has a name with `_`, is missing"],
  ["ios", "get_interfaces_counters", "`rx_multicast_packets` is the last digit of the count"],
  ["ios", "get_optics", "where an alarm stands behind the current, the powers are those of the next columns"],
  ["ios", "get_vlans", "a VLAN without ports is missing where the device ends its line in blanks"],
  ["ios", "get_bgp_neighbors", "a neighbour without a description has that of the one before"],
  ["ios", "get_bgp_neighbors", "`received_prefixes` is what was accepted"],
  [
    "ios",
    "get_bgp_config",
    "an interface ends before its first sign (`GigabitEthernet0/0` is `GigabitEthernet0`), an AS before its dot; a key ends in `'`",
  ],
  [
    "ios",
    "get_bgp_config",
    "what several families say of a neighbour is one text, `['A', 'B']`, of numbers none; `multihop_ttl` is `0`",
  ],
  [
    "ios",
    "get_route_to",
    "behind a VRF in other than small letters age and interface are missing, as are VRFs whose distinguisher has a dot",
  ],
  ["ios", "get_route_to", "what is directly connected and not of the protocol `connected` is missing"],
  ["ios", "get_probes_config", "probes that keep to a default are missing"],
  ["ios", "get_snmp_information", "of a community with a view `mode` is `view`, `acl` the name of the view"],
  [
    "junos",
    "get_environment",
    "the threshold that stands last is that of all sensors; without any there are no temperatures",
  ],
  ["junos", "get_snmp_information", "`mode` of a community without an authorization is `None`"],
  [
    "junos",
    "get_lldp_neighbors",
    "an element without a text says its name, here and in other methods; a name that is not told is `None`",
  ],
  ["junos", "get_lldp_neighbors_detail", "an interface with two neighbours has both twice"],
  ["junos", "get_interfaces", "the unit of a speed behind a blank is not read: `10 Gbps` is 10"],
  ["junos", "get_bgp_neighbors_detail", "queues without a table are not counted"],
  [
    "junos",
    "get_route_to",
    "the list ends at the number of hops that name an interface; a route without a length ends in `/None`",
  ],
  ["junos", "get_ntp_stats", "peers of another type than `u`, or last heard of days ago, are missing"],
  ["junos", "get_users", "several keys of a kind are one text, `['…', '…']`; those of Ed25519 are missing"],
  ["nxos", "get_interfaces", "a VLAN's interface is up once it is not shut down"],
  ["nxos", "get_interfaces", "a flap that is told in an unknown way was just now"],
  ["nxos", "get_bgp_neighbors", "of several address families of a neighbour the last one"],
  ["nxos", "get_interfaces_ip", "the length of a single IPv6 address is the one beside it, or 128"],
  ["nxos", "get_arp_table", "the age of an entry older than a day is `-1`"],
  ["nxos", "get_environment", "of sensors with one name in another module than the first the last one"],
  ["iosxr", "get_environment", "what a supply does not tell is that of the one before"],
  ["iosxr", "get_interfaces", "`last_flapped` is the time that the router tells, divided by 10⁹"],
  ["iosxr", "get_bgp_config", "policies and limits of the first family that has one"],
  [
    "iosxr_netconf",
    "get_interfaces",
    "`last_flapped` is always `-1`; descriptions are taken by their place in the list",
  ],
  ["iosxr_netconf", "get_bgp_neighbors_detail", "`previous_connection_state` in words is left empty"],
  ["nxos_ssh", "get_route_to", "hops of multicast (`**via`) and by interfaces with a hyphen are missing"],
  ["nxos_ssh", "get_bgp_neighbors", "of several address families of a VRF the last one that has neighbours"],
  ["nxos_ssh", "get_interfaces_ip", "the last interface with IPv4 may have an empty `ipv6`"],
  ["nxos_ssh", "get_arp_table", "the age of an entry older than a day is `-1`"],
  ["nxos_ssh", "get_vlans", "a VLAN without ports has one port without a name"],
  ["nxos_ssh", "get_config", "with `sanitized`, the engine of an SNMP user stands there twice"],
];

/** Differences between NAPALM's result and ours, by system. */
export const differences: readonly (readonly [system: string, napalm: string, here: string])[] = [
  ["all", "a table, a family or a state that it does not know is an exception", "is told, or left out"],
  [
    "`nxos`",
    "serial number `None` without a chassis, no `fqdn` without a host name, no SNMP at all: `{}`",
    '`""` in each field',
  ],
  ["`nxos`", "a value that is not there is the text `None`", '`""`'],
  ["`nxos`", "no version where only `nxos_ver_str` has it", "that version"],
  ["`nxos`", "`get_arp_table` takes no `vrf`", "takes one"],
  ["`nxos_ssh`", 'an address without a length has the length `"N/A"`', "is left out"],
  ["`iosxr`", 'a number that is not there is `""`, the type of an unknown probe `None`', '`0`, `""`'],
  [
    "`iosxr`",
    "a card without an answer, or without a processor of the kind `RSP`, is an exception",
    "is left out; `RP` counts",
  ],
  [
    "`iosxr`",
    "`get_arp_table` takes no `vrf`; `interface` and `neighbor_address` are not looked at, and `group` leaves those without a group in",
    "each selects",
  ],
  [
    "`ios`",
    "names and IPv6 addresses in `show ntp associations` are cut short, or repeat the line before; `ip` and `ipv6` in `ntp server ip …` are taken for the server",
    "each is told as it stands",
  ],
  ["`ios`", "what an interface without a bandwidth says is taken for the next one", "is left out"],
  [
    "`eos`",
    "`neighbor` of `get_bgp_config` is not looked at; other lines of NTP than `ntp server` are taken for servers",
    "it selects; they are left out",
  ],
  ["`eos`", "a user has fields of the switch beside those of the structure", "those of the structure"],
  ["`eos`", "the interface of a path that has none is `None`", '`""`'],
  [
    "`junos`",
    "what is not told is `None` in place of a text or number; a kind that is missing altogether has no key",
    '`""`, `0` or `-1`; `{}`',
  ],
  ["`junos`", "`get_snmp_information` without a contact is `{}`", "is told"],
  [
    "`junos`",
    "a name in place of an address, a MAC address that is not resolved, are an exception",
    'stand as they are; `""`',
  ],
  ["`junos`", 'a ping that fails without an error has the error `""`', "what the device said"],
  ["`junos`", "an interface whose LLDP is refused has the neighbours of the one before", "an error"],
  ["`junos`", "`get_arp_table` takes no `vrf`", "takes one"],
  [
    "`iosxr_netconf`",
    '`""` for counters of an interface without statistics, `0.0` for the memory of a router that tells none',
    "`-1`; `0` in each field",
  ],
  ["`iosxr_netconf`", "`interface` and `neighbor_address` are not looked at", "each selects"],
];
