/** get_bgp_neighbors_detail: parses the text output, whose format depends on the routing protocol model. */
import { addressOrText, asNumber, ipVersion } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, type Section, sectionsOf } from "../../../common/text.ts";
import type { BgpNeighborDetail } from "../../../models-bgp.ts";
import type { EosDevice, Getter } from "../device.ts";
import { summariesOf } from "./bgp.ts";

export const get_bgp_neighbors_detail: Getter<"get_bgp_neighbors_detail"> = async (device, args) => {
  const [summaries, texts] = await Promise.all([
    summariesOf(device),
    neighborsOf(device, args.neighbor_address),
  ]);
  const details: Record<string, Record<string, BgpNeighborDetail[]>> = {};
  for (const [at, text] of texts.entries()) {
    const sections = sectionsOf(text, (line) => line.startsWith("BGP neighbor is "));
    // If several VRFs have the address, only the first one is reported.
    for (const section of args.neighbor_address === "" ? sections : sections.slice(0, 1)) {
      const neighbor = readNeighbor(section);
      const { routing_table, remote_address, remote_as } = neighbor;
      const accepted = summaries[at]?.vrfs[routing_table]?.peers[remote_address]?.prefixAccepted ?? 0;
      const ofVrf = slot(details, routing_table, () => ({}));
      slot(ofVrf, String(remote_as), () => []).push({ ...neighbor, accepted_prefix_count: accepted });
    }
  }
  return details;
};

/** IPv4, then IPv6. */
async function neighborsOf(device: EosDevice, address: string): Promise<readonly string[]> {
  if (address === "") return device.text("show ip bgp neighbors vrf all", "show ipv6 bgp peers vrf all");
  if (ipVersion(address) === 4)
    return [...(await device.text(`show ip bgp neighbors ${address} vrf all`)), ""];
  return ["", ...(await device.text(`show ipv6 bgp peers ${address} vrf all`))];
}

/** Reads one neighbour's section by pattern. */
function readNeighbor({ head, lines }: Section) {
  const text = [head, ...lines].join("\n");
  const field = (pattern: RegExp) => firstGroup(pattern, text) ?? "";
  const number = (pattern: RegExp) => Number(firstGroup(pattern, text) ?? 0);
  /** A table row: sent and received. */
  const row = (name: string) => {
    const [, sent, received] = new RegExp(`^\\s+${name}:\\s+(\\d+)\\s+(\\d+)`, "m").exec(text) ?? [];
    return { sent: Number(sent ?? 0), received: Number(received ?? 0) };
  };
  const address = (raw: string) => addressOrText(raw);
  const remote_address = address(field(/^BGP neighbor is (\S+), remote AS/));
  const local_address = address(field(/^Local TCP address is ([^\s,]+)/m));
  const updates = row("Updates");
  const messages = row("Total messages");
  const [of4, of6] = [row("IPv4 Unicast"), row("IPv6 Unicast")];
  return {
    up: /^\s+BGP state is Established\b/m.test(text),
    local_as: number(/^Local AS is (\d+)/m),
    remote_as: asNumber(field(/remote AS ([\d.]+)/)) || 0,
    router_id: field(/remote router ID (\S+), VRF/),
    local_address,
    routing_table: field(/remote router ID \S+, VRF (\S+)/),
    local_address_configured: local_address !== "",
    local_port: number(/^Local TCP address is \S+, local port is (\d+)/m),
    remote_address,
    remote_port: number(/, remote port is (\d+)/),
    multihop: number(/Nexthop matches local IP address: (\d+)/) !== 0,
    multipath: false,
    remove_private_as: false,
    import_policy: field(/^\s+Inbound route map is (\S+)/m),
    export_policy: field(/^\s+Outbound route map is (\S+)/m),
    input_messages: messages.received,
    output_messages: messages.sent,
    input_updates: updates.received,
    output_updates: updates.sent,
    messages_queued_out: number(/^\s+(?:OutQ depth is|Send-Q:) +(\d+)/m),
    connection_state: field(/^\s+BGP state is (\w+)/m),
    previous_connection_state: field(/^\s+Last state was (\S+)/m),
    last_event: field(/^\s+Last event was (\S+)/m),
    suppress_4byte_as: false,
    local_as_prepend: false,
    holdtime: number(/^\s+Hold time is (\d+)/m),
    configured_holdtime: number(/^\s+Configured hold time is (\d+)/m),
    keepalive: number(/^\s+Hold time is \d+, keepalive interval is (\d+)/m),
    configured_keepalive: number(/^\s+Configured hold time is \d+, keepalive interval is (\d+)/m),
    active_prefix_count: 0,
    received_prefix_count: of4.received + of6.received,
    suppressed_prefix_count: 0,
    advertised_prefix_count: of4.sent + of6.sent,
    flap_count: 0,
  };
}
