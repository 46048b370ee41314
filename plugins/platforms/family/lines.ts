/**
 * What lines of a configuration mean: which of them are one setting, what removes them and what goes with them. From the
 * vendors' command references, FRR's as tried on its daemons.
 */
import type { LineRule } from "patchbay/plugin";

const bgp = /^(?:router bgp|address-family)\b/;
/** Where FRR keeps what is given in `router bgp` itself. */
const ipv4 = "address-family ipv4 unicast";

export const frrSections: readonly RegExp[] = [
  /^(?:interface|router|route-map|vrf|key chain|nexthop-group|pbr-map|line|bfd|segment-routing) ?/,
  /^address-family /,
  /^key \d+$/,
];

export const frrLines: readonly LineRule[] = [
  // Without its autonomous system, or its group, a neighbour is none.
  {
    line: /^neighbor ([\da-fA-F.:]*[.:][\da-fA-F.:]*) remote-as \S+$/,
    within: bgp,
    single: "neighbor {1} remote-as",
    removesAny: true,
    takes: ["neighbor {1} "],
    isNeeded: true,
  },
  { line: /^neighbor (\S+) remote-as \S+$/, within: bgp, single: "neighbor {1} remote-as", removesAny: true },
  {
    line: /^neighbor (\S+) peer-group$/,
    within: bgp,
    takes: ["neighbor {1} "],
    isNeeded: true,
    refusesAbsent: true,
  },
  {
    line: /^neighbor (\S+) peer-group (\S+)$/,
    within: bgp,
    single: "neighbor {1} peer-group",
    refusesSecond: true,
    refusesAbsent: true,
    takes: ["neighbor {1} "],
    isNeeded: true,
    needs: ["neighbor {2} peer-group"],
  },
  {
    line: /^neighbor (\S+) (weight|maximum-prefix) .*$/,
    within: bgp,
    single: "neighbor {1} {2}",
    remove: "no neighbor {1} {2}",
    belongsTo: ipv4,
  },
  {
    line: /^neighbor (\S+) (description|password|update-source|ebgp-multihop|timers|local-as|port) .*$/,
    within: bgp,
    single: "neighbor {1} {2}",
    remove: "no neighbor {1} {2}",
  },
  // Shown is only what is not active there.
  { line: /^neighbor \S+ activate$/, within: /^address-family ipv4 unicast$/, isDefault: true },
  {
    line: /^neighbor \S+ (?:next-hop-self|soft-reconfiguration inbound|route-reflector-client)$/,
    within: bgp,
    belongsTo: ipv4,
  },
  {
    line: /^neighbor (\S+) (route-map|prefix-list|filter-list|distribute-list) \S+ (in|out)$/,
    within: bgp,
    belongsTo: ipv4,
    single: "neighbor {1} {2} {3}",
  },
  {
    line: /^(bgp router-id|ospf6? router-id) \S+$/,
    single: "{1}",
    remove: "no {1}",
    refusesAbsent: true,
  },
  { line: /^(bgp cluster-id) \S+$/, single: "{1}", remove: "no {1}" },
  {
    line: /^redistribute (\S+)(?: .*)?$/,
    within: bgp,
    single: "redistribute {1}",
    keepsMore: true,
    belongsTo: ipv4,
    remove: "no redistribute {1}",
  },
  {
    line: /^redistribute (\S+)(?: .*)?$/,
    single: "redistribute {1}",
    keepsMore: true,
    remove: "no redistribute {1}",
  },
  { line: /^(default-metric|timers bgp|maximum-paths(?: ibgp)?) .*$/, single: "{1}" },
  {
    line: /^(((?:ip|ipv6) prefix-list \S+) seq \d+) (.*)$/,
    single: "{1}",
    distinct: "{2} {3}",
    removesAny: true,
    rewrites: true,
  },
  {
    line: /^(((?:ipv6 )?access-list \S+) seq \d+) (.*)$/,
    single: "{1}",
    distinct: "{2} {3}",
    removesAny: true,
    rewrites: true,
  },
  {
    line: /^((bgp (?:large-|ext)?community-list (?:standard|expanded) \S+) seq \d+) (.*)$/,
    single: "{1}",
    distinct: "{2} {3}",
    refusesAbsent: true,
  },
  { line: /^(route-map \S+) (?:permit|deny) (\d+)$/, single: "{1} {2}", rewrites: true },
  {
    line: /^(set (?:ip next-hop|\S+)) .*$/,
    within: /^route-map /,
    single: "{1}",
    rewrites: true,
    remove: "no {1}",
  },
  {
    line: /^(match (?:ip|ipv6) (?:address|next-hop|route-source) prefix-\w+) .*$/,
    within: /^route-map /,
    single: "{1}",
  },
  {
    line: /^(match (?:(?:ip|ipv6) (?:address|next-hop)|\S+))(?: .*)?$/,
    within: /^route-map /,
    single: "{1}",
  },
  { line: /^ip ospf area(?: \S+)?$/, single: "ip ospf area", remove: "no ip ospf area", refusesAbsent: true },
  { line: /^ip address \S+$/, within: /^interface /, refusesAbsent: true },
  { line: /^(network \S+) area \S+$/, refusesAbsent: true },
  {
    line: /^(network \S+)(?: .*)?$/,
    within: bgp,
    single: "{1}",
    refusesAbsent: true,
    belongsTo: ipv4,
    rewrites: true,
  },
  { line: /^router bgp \S+$/, single: "router bgp", refusesSecond: true, refusesAbsent: true },
  { line: /^router ospf$/, refusesAbsent: true },
  { line: /^ip route \S+ .*$/, rewrites: true },
  {
    line: /^(ip ospf (?:cost|priority|hello-interval|dead-interval|network)) .*$/,
    single: "{1}",
    rewrites: true,
    remove: "no {1}",
  },
  { line: /^description .*$/, single: "description", remove: "no description" },
];

const acl = /^(?:ip|ipv6) access-list /;
const ciscoBgp = /^(?:router bgp|address-family|template)\b/;

/** IOS and its relatives. */
export const ciscoLines: readonly LineRule[] = [
  // Entries that are numbered are refused under a number that is taken.
  { line: /^(\d+) .*$/, within: acl, single: "{1}", refusesSecond: true, remove: "no {1}" },
  { line: /^(?:permit|deny|remark|evaluate) .*$/, within: acl, sequence: { of: "entries", single: true } },
  // Removing one entry of a numbered list removes the list.
  {
    line: /^access-list (\S+) .*$/,
    sequence: { of: "access-list {1}", whole: "no access-list {1}", single: false },
  },
  {
    line: /^((?:ip|ipv6) prefix-list \S+ seq \d+) .*$/,
    single: "{1}",
    refusesSecond: true,
    remove: "no {1}",
  },
  {
    line: /^switchport trunk allowed vlan (?:add )?(?<values>\d[\d,-]*)$/,
    values: {
      of: "switchport trunk allowed vlan",
      group: "values",
      form: "range",
      add: "switchport trunk allowed vlan add {values}",
      remove: "switchport trunk allowed vlan remove {values}",
      none: "no switchport trunk allowed vlan",
    },
  },
  {
    line: /^(switchport (?:mode|access vlan|voice vlan|trunk (?:native vlan|encapsulation)))(?: .*)?$/,
    single: "{1}",
    remove: "no {1}",
  },
  {
    line: /^spanning-tree port type .*$/,
    single: "spanning-tree port type",
    remove: "no spanning-tree port type",
  },
  // Other addresses of an interface are lines of their own.
  { line: /^ip address \S+(?: \S+)? secondary$/ },
  { line: /^ip address .*$/, within: /^interface /, single: "ip address", remove: "no ip address" },
  { line: /^(ip default-gateway|hostname|ip domain(?:-| )name) \S+$/, single: "{1}", remove: "no {1}" },
  {
    line: /^(description|mtu|bandwidth|speed|duplex|encapsulation \S+|channel-group|load-interval|delay)(?: .*)?$/,
    within: /^interface /,
    single: "{1}",
    remove: "no {1}",
  },
  {
    line: /^((?:ip|ipv6) ospf (?:cost|priority|hello-interval|dead-interval|network)) .*$/,
    single: "{1}",
    remove: "no {1}",
  },
  {
    line: /^neighbor ([\da-fA-F.:]*[.:][\da-fA-F.:]*) remote-as \S+$/,
    within: ciscoBgp,
    single: "neighbor {1} remote-as",
    remove: "no neighbor {1}",
    takes: ["neighbor {1} "],
    isNeeded: true,
  },
  { line: /^neighbor (\S+) peer-group$/, within: ciscoBgp, takes: ["neighbor {1} "], isNeeded: true },
  {
    line: /^neighbor (\S+) (description|password|update-source|ebgp-multihop|timers|local-as|weight|maximum-prefix) .*$/,
    within: ciscoBgp,
    single: "neighbor {1} {2}",
    remove: "no neighbor {1} {2}",
  },
  {
    line: /^neighbor (\S+) (route-map|prefix-list|filter-list|distribute-list) \S+ (in|out)$/,
    within: ciscoBgp,
    single: "neighbor {1} {2} {3}",
  },
  { line: /^((?:bgp )?router-id) \S+$/, single: "{1}", remove: "no {1}" },
  { line: /^(route-map \S+) (?:permit|deny) (\d+)$/, single: "{1} {2}" },
  { line: /^(username \S+) .*$/, single: "{1}", remove: "no {1}" },
  {
    line: /^(enable (?:secret|password)|snmp-server (?:location|contact)|clock timezone|logging (?:buffered|source-interface|trap)|ntp source) .*$/,
    single: "{1}",
    remove: "no {1}",
  },
  {
    line: /^(transport (?:input|output)|exec-timeout|access-class \S+ in|session-timeout)(?: .*)?$/,
    within: /^line /,
    single: "{1}",
    remove: "no {1}",
  },
];

/** They show it only where it differs from what they do otherwise. */
export const iosLines: readonly LineRule[] = [
  { line: /^no shutdown$/, within: /^interface /, isDefault: true },
  ...ciscoLines,
];
