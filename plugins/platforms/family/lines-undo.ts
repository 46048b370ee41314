/**
 * What lines mean to Huawei VRP and HP Comware, from their command references: `undo` takes the words that name a setting,
 * most often without its value.
 */
import type { LineRule, Running } from "patchbay/plugin";

const port = /^interface /;
const bgp = /^(?:bgp|ipv4-family|ipv6-family|address-family|ip vpn-instance|vpn-instance)\b/;

/** `of`: words of a list of VLANs; what has the form of the list adds to it. */
const vlans = (of: string, within: RegExp): LineRule => ({
  line: new RegExp(`^${of} (?<values>\\d[\\d to]*)$`),
  within,
  values: {
    ...{ of, group: "values", form: "to", isCumulative: true },
    ...{ add: `${of} {values}`, remove: `undo ${of} {values}`, none: `undo ${of} {values}` },
  },
});

const undoLines: readonly LineRule[] = [
  { line: /^undo shutdown$/, within: port, isDefault: true },
  vlans("port trunk allow-pass vlan", port),
  vlans("port trunk permit vlan", port),
  vlans("port hybrid tagged vlan", port),
  vlans("port hybrid untagged vlan", port),
  // The link type is refused while settings of the other one are there: they are removed first.
  {
    line: /^(port (?:link-type|default vlan|access vlan|trunk pvid vlan|hybrid pvid vlan|link-mode)) .*$/,
    within: port,
    single: "{1}",
    remove: "undo {1}",
  },
  { line: /^ip address \S+ \S+ sub$/ },
  { line: /^ip address .*$/, within: port, single: "ip address", remove: "undo ip address" },
  // An ACL that is used is not removed, and one that is not there is not used.
  {
    line: /^acl (?:number |name |advanced |basic |ipv6 )*\S+(?: (?:advance|basic))?$/,
    within: /^$/,
    isNamed: true,
  },
  {
    line: /^(traffic-filter (?:inbound|outbound)|packet-filter) .*$/,
    within: port,
    single: "{1}",
    refusesSecond: true,
  },
  {
    line: /^(rule \d+) .*$/,
    within: /^acl /,
    single: "{1}",
    refusesSecond: true,
    remove: "undo {1}",
  },
  {
    line: /^(route-policy \S+) (?:permit|deny) node (\d+)$/,
    single: "{1} node {2}",
    refusesSecond: true,
    remove: "undo {1} node {2}",
    isNamed: true,
  },
  {
    line: /^(if-match (?:ip-prefix|ip address (?:prefix-list|acl)|acl|tag|cost|community-filter)|apply (?:ip-address next-hop|\S+)) .*$/,
    within: /^route-policy /,
    single: "{1}",
    remove: "undo {1}",
  },
  {
    line: /^((?:ip (?:ip-prefix|ipv6-prefix)|ip(?:v6)? prefix-list) \S+ index \d+) .*$/,
    single: "{1}",
    refusesSecond: true,
    remove: "undo {1}",
  },
  {
    line: /^(ip route-static(?: vpn-instance \S+)? \S+ \S+ \S+)(?: .*)?$/,
    single: "{1}",
    refusesSecond: true,
    remove: "undo {1}",
  },
  { line: /^bgp \S+$/, single: "bgp", refusesSecond: true },
  { line: /^(ospf \d+)(?: .*)?$/, single: "{1}", refusesSecond: true, remove: "undo {1}" },
  // Without its autonomous system a peer is none.
  {
    line: /^peer (\S+) as-number \S+$/,
    within: bgp,
    single: "peer {1} as-number",
    refusesSecond: true,
    remove: "undo peer {1}",
    takes: ["peer {1} "],
  },
  {
    line: /^peer (\S+) password .*$/,
    within: bgp,
    single: "peer {1} password",
    remove: "undo peer {1} password",
  },
  {
    line: /^peer (\S+) (description|connect-interface|ebgp-max-hop|timer|route-limit|preferred-value|fake-as|bfd) ?.*$/,
    within: bgp,
    single: "peer {1} {2}",
    remove: "undo peer {1} {2}",
  },
  {
    line: /^peer (\S+) (route-policy|ip-prefix|prefix-list|filter-policy|as-path-filter) \S+ (import|export)$/,
    within: bgp,
    single: "peer {1} {2} {3}",
  },
  { line: /^(import-route \S+)(?: .*)?$/, single: "{1}", remove: "undo {1}" },
  {
    line: /^local-user (\S+) password .*$/,
    within: /^aaa$/,
    single: "local-user {1} password",
    remove: "undo local-user {1}",
    takes: ["local-user {1} "],
  },
  {
    line: /^local-user (\S+) (privilege level|service-type|level|state|idle-timeout) .*$/,
    within: /^aaa$/,
    single: "local-user {1} {2}",
    remove: "undo local-user {1} {2}",
  },
  {
    line: /^password (?:hash|cipher|simple) \S+$/,
    within: /^local-user /,
    single: "password",
    remove: "undo password",
  },
  { line: /^(ntp-service unicast-server \S+)(?: .*)?$/, single: "{1}", remove: "undo {1}" },
  {
    line: /^(sysname|description|name|mtu|router-id|speed|duplex|snmp-agent sys-info (?:location|contact)|header (?:login|shell)|clock timezone|idle-timeout|protocol inbound|authentication-mode) .*$/,
    single: "{1}",
    remove: "undo {1}",
  },
];

const undoSections: readonly RegExp[] = [
  /^(?:interface|vlan|acl|bgp|ospf|ospfv3|isis|route-policy|user-interface|line|ip vpn-instance|traffic (?:classifier|behavior|policy)|area) \S+/,
  /^(?:aaa|ipv[46]-family .*|address-family .*|local-user \S+ class .*|ospf \d+ .*)$/,
];

type Lines = Pick<Running, "negate" | "leave" | "lines" | "permanent" | "sections" | "vanishing">;

export const vrpLines: Lines = {
  ...{ negate: "undo", leave: "quit", sections: undoSections },
  // The list of VLANs has each of them; ports and the section of users are part of the system.
  permanent: [
    /^vlan \d+$/,
    /^aaa$/,
    /^interface (?:\d*GE|\w*Ethernet|MEth)/,
    /^(?:ipv4-family|ipv6-family) unicast$/,
  ],
  vanishing: [/^vlan \d+$/, /^aaa$/, /^(?:ipv4-family|ipv6-family) unicast$/],
  lines: [vlans("vlan batch", /^$/), ...undoLines],
};

export const comwareLines: Lines = {
  ...{ negate: "undo", leave: "quit", sections: undoSections },
  permanent: [/^interface \w*(?:Ethernet|GigE)\d/],
  lines: undoLines,
};
