/** What lines mean to NX-OS, EOS and IOS XR, beside what they share with IOS: from their command references. */
import type { LineRule, Running } from "patchbay/plugin";
import { ciscoLines } from "./lines.ts";

type Lines = Pick<Running, "lines" | "permanent" | "sections" | "vanishing" | "texts">;

const port = /^interface /;
const peer =
  /^(?:neighbor|template peer|template neighbor|peer|neighbor-group|session-group|af-group|address-family)\b/;

/** In the section of a neighbour or of a template. */
export const peerLines: readonly LineRule[] = [
  {
    line: /^(remote-as|description|update-source|timers|ebgp-multihop|local-as|maximum-prefix|inherit peer|use neighbor-group|advertisement-interval|weight)(?: .*)?$/,
    within: peer,
    single: "{1}",
    remove: "no {1}",
  },
  { line: /^password(?: .*)?$/, within: peer, single: "password", remove: "no password" },
  {
    line: /^(route-map|prefix-list|filter-list|route-policy) \S+ (in|out)$/,
    within: peer,
    single: "{1} {2}",
  },
];

/** `vlan 10,20-22` opens the section of these VLANs, and adds them to those that are there. */
const vlanNumbers: LineRule["values"] = {
  ...{ of: "vlan", group: "values", form: "range", isCumulative: true, opensSection: true },
  ...{ add: "vlan {values}", remove: "no vlan {values}", none: "no vlan {values}" },
};

export const vlanLines: readonly LineRule[] = [
  { line: /^vlan (?<values>\d[\d,-]*)$/, within: /^$/, values: vlanNumbers },
  { line: /^name .*$/, within: /^vlan /, single: "name", remove: "no name" },
];

/** A route that is given out under other conditions is refused while the old ones hold. */
export const redistributed: LineRule = {
  line: /^redistribute (\S+)(?: .*)?$/,
  single: "redistribute {1}",
  refusesSecond: true,
};

export const policyLines: readonly LineRule[] = [
  {
    line: /^(set (?:ip next-hop|as-path prepend|\S+)) .*$/,
    within: /^route-map /,
    single: "{1}",
    remove: "no {1}",
  },
  {
    line: /^(match (?:(?:ip|ipv6) (?:address|next-hop)(?: prefix-list)?|\S+))(?: .*)?$/,
    within: /^route-map /,
    single: "{1}",
    refusesSecond: true,
  },
  { line: /^description .*$/, single: "description", remove: "no description" },
];

const routing = /^(?:router (?:bgp|ospf|ospfv3|isis|eigrp)|address-family|vrf)\b/;

/** NX-OS: Interfaces, Unicast Routing and Layer 2 Switching Configuration Guides, and the command references. */
export const nxosLines: Lines = {
  // A port is hardware; the list of VLANs has each of them.
  permanent: [/^interface (?:Ethernet|mgmt)/, /^vlan \d+$/, /^line /],
  vanishing: [/^vlan \d+$/, /^line /],
  sections: [
    /^(?:interface|router|vrf context|line|(?:ip|ipv6) access-list|template|policy-map|class-map) /,
    /^(?:vlan \d+|route-map \S+ (?:permit|deny) \d+|address-family \S+(?: \S+)?|neighbor \S+)$/,
  ],
  lines: [
    // A feature that is used cannot be turned off, and its lines are refused without it.
    { line: /^feature \S+$/, isNamed: true },
    { line: /^vrf context \S+$/, isNamed: true },
    { line: /^interface port-channel\d+$/, isNamed: true },
    { line: /^template \S+ \S+$/, within: /^router bgp/, isNamed: true },
    {
      line: /^vlan (?<values>\d[\d,-]*)$/,
      values: vlanNumbers,
    },
    { line: /^name \S+$/, within: /^vlan /, single: "name", remove: "no name" },
    // A port that becomes a routed one, or the other way round, loses the lines of the other kind.
    {
      line: /^no switchport$/,
      within: port,
      takes: ["ip ", "ipv6 ", "vrf ", "switchport ", "spanning-tree ", "shutdown", "no shutdown"],
      takesWhenSet: true,
    },
    {
      line: /^vrf member \S+$/,
      within: port,
      single: "vrf member",
      takes: ["ip address", "ipv6 address"],
      takesWhenSet: true,
    },
    // Which of the two is shown follows from the kind of the port.
    { line: /^(?:no )?shutdown$/, within: port, single: "shutdown" },
    { line: /^(ip access-group) \S+ (in|out)$/, within: port, single: "{1} {2}" },
    { line: /^(ntp server \S+)(?: .*)?$/, single: "{1}", remove: "no {1}" },
    { line: /^(snmp-server community \S+) .*$/, single: "{1}", remove: "no {1}" },
    { line: /^(ip route \S+ \S+)(?: .*)?$/, single: "{1}", refusesSecond: true },
    { line: /^(maximum-paths(?: ibgp)?) .*$/, within: routing, single: "{1}", remove: "no {1}" },
    { line: /^(route-map \S+) (?:permit|deny) (\d+)$/, single: "{1} {2}", refusesSecond: true },
    { line: /^(session-limit|exec-timeout) .*$/, within: /^line /, single: "{1}", remove: "no {1}" },
    ...[redistributed, ...peerLines, ...policyLines, ...ciscoLines],
  ],
};

/** EOS: its User Manual. Neighbours are lines of the section of BGP, and ports have `no shutdown` unless it is said. */
export const eosLines: Lines = {
  permanent: [/^interface (?:Ethernet|Management)/, /^vlan \d+$/],
  vanishing: [/^vlan \d+$/],
  sections: [
    /^(?:interface|router|vrf instance|vrf definition|(?:ip|ipv6) access-list|management|policy-map|class-map) /,
    /^(?:mlag configuration|vlan \d+|route-map \S+ (?:permit|deny) \d+|address-family \S+(?: \S+)?|line \S+(?: \d+)*)$/,
  ],
  lines: [
    { line: /^no shutdown$/, within: port, isDefault: true },
    { line: /^vrf (?:instance|definition) \S+$/, isNamed: true },
    { line: /^interface Port-Channel\d+$/, isNamed: true },
    { line: /^neighbor \S+ peer group$/, within: /^router bgp/, isNamed: true },
    ...vlanLines,
    {
      line: /^no switchport$/,
      within: port,
      takes: ["ip ", "ipv6 ", "vrf "],
    },
    {
      line: /^vrf \S+$/,
      within: port,
      single: "vrf",
      takes: ["ip address", "ipv6 address"],
      takesWhenSet: true,
    },
    {
      line: /^neighbor (\S+) peer group (\S+)$/,
      within: /^router bgp/,
      single: "neighbor {1} peer group",
    },
    {
      line: /^neighbor (\S+) (remote-as|maximum-routes|send-community|local-as) .*$/,
      within: /^router bgp/,
      single: "neighbor {1} {2}",
      remove: "no neighbor {1} {2}",
    },
    { line: /^(ip access-group) \S+ (in|out)$/, within: port, single: "{1} {2}" },
    { line: /^(ip ospf area) \S+$/, within: port, single: "{1}" },
    { line: /^(ntp server \S+)(?: .*)?$/, single: "{1}", remove: "no {1}" },
    { line: /^(snmp-server community \S+) .*$/, single: "{1}", remove: "no {1}" },
    { line: /^(ip route \S+) .*$/ },
    { line: /^(spanning-tree mode) \S+$/, single: "{1}", remove: "no {1}" },
    {
      line: /^(domain-id|local-interface|peer-address|peer-link|reload-delay) .*$/,
      within: /^mlag /,
      single: "{1}",
      remove: "no {1}",
    },
    { line: /^maximum-paths .*$/, within: routing, single: "maximum-paths", remove: "no maximum-paths" },
    { line: /^(route-map \S+) (?:permit|deny) (\d+)$/, single: "{1} {2}", refusesSecond: true },
    // It takes lines of a neighbour that has no number yet.
    ...[redistributed, ...policyLines, ...ciscoLines.map(({ isNeeded: _, ...rule }) => rule)],
  ],
};

/**
 * IOS XR: its command references. Lines go into a candidate, so that what names others may come first; a policy or a set
 * that is entered again is another one.
 */
export const xrLines: Lines = {
  texts: [
    { start: /^route-policy \S+$/, end: /^\s*end-policy$/ },
    {
      start:
        /^(?:prefix|community|extcommunity|as-path|rd|large-community|mac|etag|ospf-area|tag)-set \S+(?: \S+)?$/,
      end: /^\s*end-set$/,
    },
  ],
  sections: [
    /^(?:interface|router|vrf|(?:ipv4|ipv6) access-list|neighbor-group|session-group|af-group|area|policy-map|class-map|line) /,
    /^(?:ntp|aaa|ssh|snmp-server|lldp|mpls ldp|import route-target|export route-target)$/,
    /^(?:address-family \S+(?: \S+)?|neighbor \S+)$/,
  ],
  lines: [
    { line: /^(ipv[46] address) \S+(?: \S+)? secondary$/ },
    { line: /^ipv4 address .*$/, within: port, single: "ipv4 address", remove: "no ipv4 address" },
    { line: /^(ipv[46] access-group) \S+ (ingress|egress)$/, within: port, single: "{1} {2}" },
    {
      line: /^(network \S+)(?: route-policy .*)?$/,
      within: /^address-family /,
      single: "{1}",
      remove: "no {1}",
    },
    { line: /^(redistribute \S+)(?: .*)?$/, single: "{1}", remove: "no {1}" },
    { line: /^(server \S+)(?: .*)?$/, within: /^ntp$/, single: "{1}", remove: "no {1}" },
    { line: /^domain name \S+$/, single: "domain name", remove: "no domain name" },
    {
      line: /^(cost|network|hello-interval|dead-interval|priority) .*$/,
      within: port,
      single: "{1}",
      remove: "no {1}",
    },
    { line: /^(bgp router-id) \S+$/, single: "{1}", remove: "no {1}" },
    { line: /^router bgp \S+$/, single: "router bgp", refusesSecond: true },
    ...[...peerLines, ...policyLines, ...ciscoLines],
  ],
};
