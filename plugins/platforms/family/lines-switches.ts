/**
 * What lines mean to AOS-CX and Dell OS10, beside what they share with IOS: from HPE's AOS-CX CLI guides and Dell's
 * SmartFabric OS10 User Guide.
 */
import type { LineRule, Running } from "patchbay/plugin";
import { ciscoLines } from "./lines.ts";
import { peerLines, policyLines, redistributed, vlanLines } from "./lines-cisco.ts";

type Lines = Pick<Running, "lines" | "permanent" | "sections" | "vanishing">;

const port = /^interface /;
const bgp = /^(?:router bgp|address-family)\b/;

/** A list that a line adds to, and that `no` takes values from. */
const additive = (words: string): LineRule => ({
  line: new RegExp(`^${words} (?<values>\\d[\\d,-]*)$`),
  values: {
    ...{ of: words, group: "values", form: "range", isCumulative: true },
    ...{ add: `${words} {values}`, remove: `no ${words} {values}`, none: `no ${words}` },
  },
});

const singles = (form: string, within: RegExp): LineRule => ({
  line: new RegExp(`^(${form})(?: .*)?$`),
  within,
  single: "{1}",
  remove: "no {1}",
});

/** A port has a way to route, or VLANs, or belongs to a lag, which then has both. */
export const aosCxLines: Lines = {
  permanent: [/^interface (?:\d+\/\d+\/\d+|mgmt)$/, /^vlan \d+$/],
  vanishing: [/^vlan \d+$/],
  sections: [
    /^(?:interface|router|access-list|class|policy) |^vrf (?!attach)/,
    /^(?:vlan \d+|route-map \S+ (?:permit|deny) seq \d+|address-family \S+(?: \S+)?|evpn)$/,
  ],
  lines: [
    { line: /^vrf \S+$/, within: /^$/, isNamed: true },
    { line: /^interface lag \d+(?: multi-chassis)?$/, isNamed: true },
    { line: /^access-list (?:ip|ipv6|mac) \S+$/, isNamed: true },
    {
      line: /^(\d+) .*$/,
      within: /^access-list /,
      single: "{1}",
      refusesSecond: true,
      remove: "no {1}",
    },
    ...vlanLines,
    // Each goes with what the port was before.
    {
      line: /^no routing$/,
      within: port,
      takes: ["ip ", "ipv6 ", "vrf ", "vlan "],
      takesWhenSet: true,
    },
    {
      line: /^lag \d+$/,
      within: port,
      single: "lag",
      takes: ["ip ", "ipv6 ", "vrf ", "vlan ", "no routing", "apply "],
      takesWhenSet: true,
    },
    {
      line: /^vrf attach \S+$/,
      within: port,
      single: "vrf attach",
      takes: ["ip address", "ipv6 address", "ip ospf"],
      takesWhenSet: true,
    },
    // Shown on each port with VLANs.
    { line: /^vlan (?:access|trunk native) 1$/, within: port, isDefault: true },
    { line: /^vlan access \d+$/, within: port, single: "vlan access", remove: "no vlan access" },
    {
      line: /^vlan trunk native \d+(?: tag)?$/,
      within: port,
      single: "vlan trunk native",
      remove: "no vlan trunk native",
    },
    additive("vlan trunk allowed"),
    { line: /^(apply access-list \S+) \S+ (in|out|routed-in|routed-out)$/, single: "{1} {2}" },
    singles("lacp (?:mode|rate)|ip ospf cost|spanning-tree port-type", port),
    { line: /^(ip ospf \d+ area) \S+$/, within: port, single: "{1}" },
    {
      line: /^neighbor (\S+) remote-as \S+$/,
      within: bgp,
      single: "neighbor {1} remote-as",
      takes: ["neighbor {1} "],
      isNeeded: true,
    },
    {
      line: /^neighbor (\S+) (description|password|update-source|ebgp-multihop|timers|local-as|weight|maximum-prefix) .*$/,
      within: bgp,
      single: "neighbor {1} {2}",
      remove: "no neighbor {1} {2}",
    },
    { line: /^(route-map \S+) (?:permit|deny) seq (\d+)$/, single: "{1} {2}", refusesSecond: true },
    { line: /^(user \S+) .*$/, single: "{1}", remove: "no {1}" },
    { line: /^(ntp server \S+|logging \d\S+)(?: .*)?$/, single: "{1}", remove: "no {1}" },
    { line: /^(snmp-server system-(?:location|contact|description)) .*$/, single: "{1}", remove: "no {1}" },
    { line: /^(ip route \S+ \S+)(?: .*)?$/, single: "{1}", refusesSecond: true },
    ...[redistributed, ...policyLines, ...ciscoLines.map(({ isNeeded: _, ...rule }) => rule)],
  ],
};

/** VLANs are interfaces; what a port is shut by stands on each. */
export const os10Lines: Lines = {
  permanent: [/^interface (?:ethernet|mgmt)\S+$/, /^interface vlan1$/, /^ip vrf default$/],
  sections: [
    /^(?:interface|router|policy-map|class-map|vlt-domain|template|(?:ip|ipv6|mac) access-list) /,
    /^(?:ip vrf (?!forwarding)\S+|route-map \S+ (?:permit|deny) \d+|address-family \S+(?: \S+)?|neighbor \S+|vrf \S+)$/,
  ],
  lines: [
    { line: /^ip vrf (?!forwarding)\S+$/, within: /^$/, isNamed: true },
    { line: /^interface (?:vlan|port-channel)\d+$/, isNamed: true },
    { line: /^ip access-list \S+$/, isNamed: true },
    { line: /^template \S+$/, within: /^router bgp/, isNamed: true },
    {
      line: /^(seq \d+) .*$/,
      within: /^(?:ip|ipv6|mac) access-list /,
      single: "{1}",
      refusesSecond: true,
      remove: "no {1}",
    },
    // Shown on each interface that is not shut; a neighbour is, unless it says otherwise.
    { line: /^no shutdown$/, within: port, isDefault: true },
    {
      line: /^no switchport$/,
      within: port,
      takes: ["ip ", "ipv6 ", "switchport "],
      takesWhenSet: true,
    },
    {
      line: /^ip vrf forwarding \S+$/,
      within: port,
      single: "ip vrf forwarding",
      remove: "no ip vrf forwarding",
      takes: ["ip address", "ipv6 address"],
      takesWhenSet: true,
    },
    {
      line: /^channel-group \d+(?: mode \S+)?$/,
      within: port,
      single: "channel-group",
      remove: "no channel-group",
      takes: ["ip ", "ipv6 ", "switchport ", "no switchport"],
      takesWhenSet: true,
    },
    { line: /^switchport access vlan 1$/, within: port, isDefault: true },
    additive("switchport trunk allowed vlan"),
    { line: /^(ip access-group) \S+ (in|out)$/, within: port, single: "{1} {2}" },
    { line: /^(ip ospf \d+ area) \S+$/, within: port, single: "{1}" },
    { line: /^inherit template .*$/, within: /^neighbor /, single: "inherit template" },
    { line: /^(ntp server \S+|logging server \S+)(?: .*)?$/, single: "{1}", remove: "no {1}" },
    { line: /^(snmp-server community \S+) .*$/, single: "{1}", remove: "no {1}" },
    { line: /^(ip route \S+ \S+)(?: .*)?$/, single: "{1}", refusesSecond: true },
    { line: /^(route-map \S+) (?:permit|deny) (\d+)$/, single: "{1} {2}", refusesSecond: true },
    ...[redistributed, ...peerLines, ...policyLines, ...ciscoLines],
  ],
};
