/** BGP neighbours of several systems as records with one fixed set of fields, prefix counts by address family. */
import { PyDict } from "../../python/dict.ts";
import { toInteger } from "../../python/numbers.ts";
import { truth, type Value } from "../../python/values.ts";
import { capturedJson, dictsOf, field, intOrNone, isDict, listOf, orElse, textOf } from "./values.ts";

const STATES = ["idle", "connect", "active", "opensent", "openconfirm", "established"];
const TYPES = ["external", "internal"];

const among = (value: Value, known: readonly string[]): Value => {
  const text = textOf(orElse(value, "")).trim().toLowerCase();
  return known.includes(text) ? text : null;
};
const listed = (value: Value): Value[] => (truth(value) ? [value] : []);

function neighbour(values: Readonly<Record<string, Value>>, counts: PyDict): PyDict {
  const names =
    "name vrf state peering_type remote_address remote_as local_address local_as local_interface router_id peer_group " +
    "description hold_time keepalive uptime_seconds max_ttl afi import_policies export_policies prefix_list_in prefix_list_out";
  const made = PyDict.from(names.split(" ").map((name): [string, Value] => [name, values[name] ?? null]));
  for (const [name, count] of counts.entries()) made.set(name, count);
  return made;
}

const nameOf = (vrf: string, address: Value): Value => (truth(address) ? `${vrf}_${textOf(address)}` : null);
/** Records name no VRF for the default one. */
const vrfOf = (vrf: string): Value => (vrf === "default" ? null : vrf);

const ARISTA_FAMILIES: Readonly<Record<string, string>> = {
  ipv4Unicast: "ipv4_unicast",
  ipv6Unicast: "ipv6_unicast",
  ipv4Multicast: "ipv4_multicast",
  ipv6Multicast: "ipv6_multicast",
  ipv4LabeledUnicast: "ipv4_labeled_unicast",
  ipv6LabeledUnicast: "ipv6_labeled_unicast",
  ipv4MplsVpn: "ipv4_mpls_vpn",
  ipv6MplsVpn: "ipv6_mpls_vpn",
  ipv4SrTe: "ipv4_sr_te",
  ipv6SrTe: "ipv6_sr_te",
  l2VpnEvpn: "l2vpn_evpn",
  l2VpnVpls: "l2vpn_vpls",
  linkState: "link_state",
  ipv4FlowSpec: "ipv4_flow_spec",
  ipv6FlowSpec: "ipv6_flow_spec",
};

/** Family -> fields with what was sent and received. */
const ARISTA_COUNTS: Readonly<Record<string, readonly [string, string]>> = {
  ipv4_unicast: ["prefixesSent", "prefixesReceived"],
  ipv6_unicast: ["v6PrefixesSent", "v6PrefixesReceived"],
  l2vpn_evpn: ["evpnSent", "evpnReceived"],
  ipv4_labeled_unicast: ["v4LabeledUnicastPrefixesSent", "v4LabeledUnicastPrefixesReceived"],
  ipv6_labeled_unicast: ["v6LabeledUnicastPrefixesSent", "v6LabeledUnicastPrefixesReceived"],
};

export function aristaBgp(payload: Value): Value {
  const vrfs = capturedJson(payload).get("vrfs");
  if (!isDict(vrfs)) return [];
  return vrfs
    .entries()
    .flatMap(([vrf, data]) =>
      isDict(data) ? dictsOf(data.get("peerList")).map((peer) => aristaPeer(peer, textOf(vrf))) : [],
    );
}

function aristaPeer(peer: PyDict, vrf: string): PyDict {
  const capabilities = peer.get("neighborCapabilities");
  const families = isDict(capabilities) ? capabilities.get("multiprotocolCaps") : undefined;
  const afi = (isDict(families) ? families.entries() : [])
    .filter(([, caps]) => isDict(caps) && truth(field(caps, "enabled")))
    .map(([name]) => ARISTA_FAMILIES[textOf(name)] ?? textOf(name));
  const counts = new PyDict();
  for (const family of afi) {
    const [sent, received] = ARISTA_COUNTS[family] ?? [];
    if (sent !== undefined && field(peer, sent) !== null)
      counts.set(`${family}_prefixes_sent`, field(peer, sent));
    if (received !== undefined && field(peer, received) !== null)
      counts.set(`${family}_prefixes_received`, field(peer, received));
  }
  const lists = peer.get("prefixListInfo");
  const address = field(peer, "peerAddress");
  return neighbour(
    {
      name: nameOf(vrf, address),
      vrf: vrfOf(vrf),
      state: among(field(peer, "state"), STATES),
      peering_type: among(field(peer, "linkType"), TYPES),
      remote_address: address,
      remote_as: toInteger(field(peer, "asn")),
      local_address: field(peer, "updateSource"),
      local_as: toInteger(field(peer, "localAsn")),
      local_interface: field(peer, "ifName"),
      router_id: field(peer, "routerId"),
      peer_group: field(peer, "peerGroupName"),
      description: field(peer, "description"),
      hold_time: field(peer, "holdTime"),
      keepalive: field(peer, "keepaliveTime"),
      uptime_seconds: field(peer, "establishedTime"),
      max_ttl: field(peer, "maxTtlHops"),
      afi,
      import_policies: listed(field(peer, "routeMapInbound")),
      export_policies: listed(field(peer, "routeMapOutbound")),
      prefix_list_in: isDict(lists) ? field(lists, "inboundIpv4Uni") : null,
      prefix_list_out: isDict(lists) ? field(lists, "outboundIpv4Uni") : null,
    },
    counts,
  );
}

const XR_FAMILIES: Readonly<Record<string, string>> = {
  "IPv4 Unicast": "ipv4_unicast",
  "IPv6 Unicast": "ipv6_unicast",
  "IPv4 Multicast": "ipv4_multicast",
  "IPv6 Multicast": "ipv6_multicast",
  "VPNv4 Unicast": "ipv4_mpls_vpn",
  "VPNv6 Unicast": "ipv6_mpls_vpn",
  "IPv4 Labeled-unicast": "ipv4_labeled_unicast",
  "IPv6 Labeled-unicast": "ipv6_labeled_unicast",
  "L2VPN EVPN": "l2vpn_evpn",
  "L2VPN Vpls": "l2vpn_vpls",
  "IPv4 MDT": "ipv4_mdt",
  "IPv4 Flowspec": "ipv4_flow_spec",
  "IPv6 Flowspec": "ipv6_flow_spec",
  "IPv4 SR policy": "ipv4_sr_te",
  "IPv6 SR policy": "ipv6_sr_te",
  "Link-state Link-state": "link_state",
};

/** `1:02:03`, or weeks, days and hours as in `1w2d3h`. */
function uptimeSeconds(text: string | undefined): Value {
  if (text === undefined || text === "") return null;
  const clock = /^(\d+):(\d+):(\d+)$/.exec(text);
  if (clock !== null) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const [, weeks = "0", days = "0", hours = "0"] = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?/.exec(text) ?? [];
  return Number(weeks) * 604_800 + Number(days) * 86_400 + Number(hours) * 3600;
}

export function xrBgp(payload: Value): Value {
  const [first] = isDict(payload) ? [payload] : listOf(payload);
  if (!isDict(first)) return [];
  return dictsOf(first.get("neighbors")).map(xrPeer);
}

function xrPeer(peer: PyDict): PyDict {
  const state = textOf(orElse(field(peer, "bgp_state"), ""));
  const uptime = /up for\s+(\S+)/.exec(state)?.[1];
  const address = field(peer, "remote_address");
  const vrf = textOf(orElse(field(peer, "vrf"), "default"));
  const number = (name: string): Value => (truth(field(peer, name)) ? toInteger(field(peer, name)) : null);
  const afi: string[] = [];
  const counts = new PyDict();
  let [importPolicy, exportPolicy]: Value[] = [null, null];
  let local = field(peer, "local_address");
  for (const family of dictsOf(peer.get("address_families"))) {
    const raw = textOf(orElse(field(family, "afi_name"), ""));
    const name = XR_FAMILIES[raw] ?? raw.toLowerCase().replaceAll(" ", "_");
    if (raw !== "") {
      if (!afi.includes(name)) afi.push(name);
      const received = intOrNone(field(family, "accepted_prefixes"));
      const sent = intOrNone(field(family, "prefixes_sent"));
      if (received !== null) counts.set(`${name}_prefixes_received`, received);
      if (sent !== null) counts.set(`${name}_prefixes_sent`, sent);
    }
    const policy = (key: string): Value => orElse(textOf(orElse(field(family, key), "")).trim(), null);
    importPolicy ??= policy("import_policy");
    exportPolicy ??= policy("export_policy");
    local ??= field(family, "local_address");
  }
  return neighbour(
    {
      name: nameOf(vrf, address),
      vrf: vrfOf(vrf),
      state: among(state.split(",")[0] ?? "", STATES),
      peering_type: among(field(peer, "peering_type"), TYPES),
      remote_address: address,
      remote_as: toInteger(field(peer, "remote_as")),
      local_address: local,
      local_as: toInteger(field(peer, "local_as")),
      router_id: field(peer, "router_id"),
      description: field(peer, "description"),
      hold_time: number("hold_time"),
      keepalive: number("keepalive"),
      uptime_seconds: uptimeSeconds(uptime),
      afi,
      import_policies: listed(importPolicy ?? null),
      export_policies: listed(exportPolicy ?? null),
    },
    counts,
  );
}

const RIB_ENDS: readonly (readonly [string, string])[] = [
  ["inet6.0", "ipv6_unicast"],
  ["inet.0", "ipv4_unicast"],
  ["inet.2", "ipv4_multicast"],
  ["inet6.2", "ipv6_multicast"],
];

const RIBS: Readonly<Record<string, string>> = {
  "bgp.l3vpn.0": "ipv4_mpls_vpn",
  "bgp.l3vpn-inet6.0": "ipv6_mpls_vpn",
  "bgp.evpn.0": "l2vpn_evpn",
  "bgp.l2vpn.0": "l2vpn_vpls",
  "bgp.labeled-unicast.0": "ipv4_labeled_unicast",
  "bgp.labeled-unicast6.0": "ipv6_labeled_unicast",
  "bgp.flow.0": "ipv4_flow_spec",
  "bgp.flow6.0": "ipv6_flow_spec",
  "lsdist.0": "link_state",
};

/** Junos puts a value into the `data` of a list's first item. */
export function junosData(node: PyDict, name: string): Value {
  const [first] = listOf(node.get(name));
  return isDict(first) ? field(first, "data") : null;
}

export function junosBgp(payload: Value): Value {
  return dictsOf(capturedJson(payload).get("bgp-information"))
    .flatMap((info) => dictsOf(info.get("bgp-peer")))
    .map(junosPeer);
}

/** Without the port after `+`. */
const bare = (address: Value): Value => (truth(address) ? (textOf(address).split("+")[0] ?? "") : null);

function junosPeer(peer: PyDict): PyDict {
  const instance = orElse(junosData(peer, "peer-cfg-rti"), "master");
  const vrf = instance === "master" ? "default" : textOf(instance);
  const [first] = listOf(peer.get("bgp-option-information"));
  const options = isDict(first) ? first : new PyDict();
  const words = (name: string): Value[] =>
    textOf(orElse(junosData(options, name), ""))
      .split(/\s+/)
      .filter(Boolean);
  const number = (value: Value): Value => (value === null ? null : toInteger(value));
  const elapsed = junosData(peer, "elapsed-time");
  const afi: string[] = [];
  const counts = new PyDict();
  for (const rib of dictsOf(peer.get("bgp-rib"))) {
    const name = textOf(orElse(junosData(rib, "name"), ""));
    const family = RIBS[name] ?? RIB_ENDS.find(([end]) => name.endsWith(end))?.[1];
    if (family === undefined || name === "") continue;
    if (!afi.includes(family)) afi.push(family);
    const received = junosData(rib, "received-prefix-count");
    const sent = junosData(rib, "advertised-prefix-count");
    if (received !== null) counts.set(`${family}_prefixes_received`, toInteger(received));
    if (sent !== null) counts.set(`${family}_prefixes_sent`, toInteger(sent));
  }
  const address = bare(junosData(peer, "peer-address"));
  return neighbour(
    {
      name: nameOf(vrf, address),
      vrf: vrfOf(vrf),
      state: among(junosData(peer, "peer-state"), STATES),
      peering_type: among(junosData(peer, "peer-type"), TYPES),
      remote_address: address,
      remote_as: number(junosData(peer, "peer-as")),
      local_address: bare(junosData(peer, "local-address")),
      local_as: number(junosData(peer, "local-as")),
      local_interface: junosData(peer, "local-interface-name"),
      router_id: junosData(peer, "peer-id"),
      peer_group: junosData(peer, "peer-group"),
      description: junosData(peer, "description"),
      hold_time: number(orElse(junosData(options, "holdtime"), junosData(peer, "active-holdtime"))),
      keepalive: number(junosData(peer, "keepalive-interval")),
      uptime_seconds: elapsed !== null && /^\d+$/.test(textOf(elapsed)) ? toInteger(elapsed) : null,
      afi,
      import_policies: words("import-policy"),
      export_policies: words("export-policy"),
    },
    counts,
  );
}
