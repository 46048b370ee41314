/** `get_bgp_neighbors_detail` of IOS. */
import { PluginError } from "patchbay/plugin";
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup } from "../../../common/text.ts";
import type { BgpNeighborDetail } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";
import { type SummaryRow, summaryOf } from "./bgp-summary.ts";

const summaryCommand = "show ip bgp all sum";
/** Command keywords for the neighbours of each family. */
const families: Readonly<Record<string, string>> = {
  "IPv4 Unicast": "ipv4 unicast",
  "IPv6 Unicast": "ipv6 unicast",
  "VPNv4 Unicast": "vpnv4 all",
  "VPNv6 Unicast": "vpnv6 unicast all",
  "IPv4 Multicast": "ipv4 multicast",
  "IPv6 Multicast": "ipv6 multicast",
  "IPv4 MDT": "ipv4 mdt all",
  "L2VPN E-VPN": "l2vpn evpn",
  "MVPNv4 Unicast": "ipv4 mvpn all",
  "MVPNv6 Unicast": "ipv6 mvpn all",
  "VPNv4 Flowspec": "ipv4 flowspec",
  "VPNv6 Flowspec": "ipv6 flowspec",
};

export const getBgpNeighborsDetail: Getter<IosDevice, "get_bgp_neighbors_detail"> = async (
  device,
  { neighbor_address },
) => {
  const requestedAddress = addressOrText(neighbor_address);
  const summary = await device.ask(summaryCommand);
  if (isUnknown(summary)) {
    throw new PluginError("CommandError", "BGP is not running on this device.", { command: summaryCommand });
  }
  const instances: Record<string, Record<string, BgpNeighborDetail[]>> = {};
  for (const row of summaryOf(summary)) {
    const words = families[row.family];
    if (words === undefined || (requestedAddress !== "" && row.neighbor !== requestedAddress)) continue;
    const detail = detailOf(row, await device.ask(`show ip bgp ${words} neigh ${row.written}`));
    const byAs = slot(instances, detail.routing_table ?? "global", () => ({}));
    slot(byAs, String(detail.remote_as), () => []).push(detail);
  }
  return instances;
};

const pairOf = (name: string, text: string) => {
  const [, first, second] = new RegExp(`^\\s+${name}\\s+(\\S+)\\s+(\\d+)`, "m").exec(text) ?? [];
  return { out: Number(first ?? 0) || 0, in: Number(second ?? 0) };
};

function detailOf(row: SummaryRow, output: string): BgpNeighborDetail {
  const { session, family, rest } = partsOf(output, row.family);
  const number = (pattern: RegExp, text: string) => Number(firstGroup(pattern, text) ?? 0);
  const address = (pattern: RegExp) => {
    const text = firstGroup(pattern, rest) ?? "";
    return addressOrText(text);
  };
  const fourOctetAs = firstGroup(/^\s+Four-octets ASN Capability:\s+(\S.*)$/m, session)?.trim();
  const named = firstGroup(/^BGP neighbor is ([^\s,]+),/m, session) ?? row.neighbor;
  const messages = pairOf("Total:", session);
  const updates = pairOf("Updates:", session);
  // A session that was never established has no message counters and no counters by family.
  const stood = /^\s+Total:\s+\d+\s+\d+/m.test(session);
  return {
    up: row.upDown !== "never",
    local_as: asNumber(row.localAs),
    remote_as: asNumber(row.remoteAs),
    router_id: firstGroup(/^\s+BGP version 4, remote router ID (\S+)/m, session) ?? "",
    local_address: address(/^Local host: ([^\s,]+), Local port:/m),
    local_address_configured: false,
    local_port: number(/^Local host: \S+ Local port: (\d+)/m, rest),
    routing_table: firstGroup(/^BGP neighbor is \S+\s+vrf ([^\s,]+),/m, session) ?? "global",
    remote_address: addressOrText(named),
    remote_port: number(/^Foreign host: \S+ Foreign port: (\d+)/m, rest),
    multihop: false,
    multipath: false,
    remove_private_as: false,
    input_messages: messages.in,
    output_messages: messages.out,
    input_updates: updates.in,
    output_updates: updates.out,
    messages_queued_out: row.queuedOut,
    connection_state: firstGroup(/^\s+BGP state = (\w+)/m, session) ?? "",
    previous_connection_state: "",
    last_event: "",
    suppress_4byte_as: fourOctetAs !== undefined && fourOctetAs !== "advertised and received",
    local_as_prepend: false,
    holdtime: number(/hold time is (\d+)/, session),
    configured_holdtime: 0,
    keepalive: number(/keepalive interval is (\d+) seconds/, session),
    configured_keepalive: 0,
    active_prefix_count: 0,
    received_prefix_count: 0,
    accepted_prefix_count: 0,
    suppressed_prefix_count: 0,
    advertised_prefix_count: 0,
    flap_count: 0,
    import_policy: firstGroup(/^\s+Route map for incoming advertisements is (\S+)/m, family) ?? "",
    export_policy: firstGroup(/^\s+Route map for outgoing advertisements is (\S+)/m, family) ?? "",
    ...(stood ? countsOf(family, rest) : {}),
  };
}

function countsOf(family: string, rest: string): BgpNeighborDetail {
  const current = pairOf("Prefixes Current:", family);
  const denied = pairOf("Total:", family);
  const event = firstGroup(/^\s+Last reset (\S.*)$/m, rest)?.trim() ?? "";
  return {
    local_address_configured: /^\s+Interface associated: \S+ \(peering address in same link\)/m.test(rest),
    multipath: pairOf("Used as multipath:", family).in > 0,
    last_event: event === "never" ? "" : event,
    active_prefix_count: pairOf("Used as bestpath:", family).in,
    received_prefix_count: current.in + denied.in,
    accepted_prefix_count: current.in,
    suppressed_prefix_count: denied.in,
    advertised_prefix_count: current.out,
    flap_count: Number(firstGroup(/^\s+Connections established\s+\d+;\s+dropped\s+(\d+)/m, rest) ?? 0),
  };
}

/** Splits into the session, the requested family, and everything after the session. */
function partsOf(output: string, name: string) {
  const parts = output.split(/^(?=\s{0,4}For address family: )/m);
  const [session = "", ...families] = parts;
  const begins = `For address family: ${name}`;
  const family = families.find((text) => text.trimStart().startsWith(begins)) ?? families[0] ?? "";
  return { session, family, rest: families.join("") };
}
