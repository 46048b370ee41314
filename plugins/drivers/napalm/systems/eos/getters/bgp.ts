/** get_bgp_neighbors, and the BGP summaries used by other getters. */
import * as v from "valibot";
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { shaped } from "../../../common/shape.ts";
import type { BgpNeighbor } from "../../../models-bgp.ts";
import type { EosDevice, Getter } from "../device.ts";

/** `65001`, `65002.2048` or a number, depending on the release. */
const as = v.optional(v.union([v.number(), v.string()]), 0);
const text = v.nullish(v.string(), "");
const count = v.optional(v.number(), 0);

const summary = v.object({
  vrfs: v.optional(
    v.record(
      v.string(),
      v.object({
        routerId: text,
        asn: as,
        peers: v.optional(
          v.record(
            v.string(),
            v.object({
              prefixReceived: count,
              prefixAccepted: count,
              peerStateIdleReason: text,
            }),
          ),
          {},
        ),
      }),
    ),
    {},
  ),
});
const peers = v.object({
  vrfs: v.optional(
    v.record(
      v.string(),
      v.object({
        peerList: v.optional(
          v.array(
            v.object({
              peerAddress: v.string(),
              asn: as,
              localAsn: as,
              routerId: text,
              description: text,
              state: text,
              idleReason: v.optional(v.string()),
              establishedTime: v.optional(v.number(), -1),
              prefixesSent: count,
              prefixesReceived: v.optional(v.number()),
              v6PrefixesSent: count,
              v6PrefixesReceived: v.optional(v.number()),
            }),
          ),
          [],
        ),
      }),
    ),
    {},
  ),
});
type Summary = v.InferOutput<typeof summary>;
type Peer = v.InferOutput<typeof peers>["vrfs"][string]["peerList"][number];

export const asOf = (value: number | string): number => asNumber(String(value));

/** IPv4 and IPv6. */
export async function summariesOf(device: EosDevice): Promise<readonly [Summary, Summary]> {
  const [v4, v6] = await device.json("show ip bgp summary vrf all", "show ipv6 bgp summary vrf all");
  return [shaped(summary, v4), shaped(summary, v6)];
}

interface Instance {
  router_id: string;
  readonly peers: Record<string, BgpNeighbor>;
}

export const get_bgp_neighbors: Getter<"get_bgp_neighbors"> = async (device) => {
  const [summaries, peerResponses] = await Promise.all([
    summariesOf(device),
    device.json("show ip bgp neighbors vrf all", "show ipv6 bgp peers vrf all"),
  ]);
  const instances: Record<string, Instance> = {};
  const instanceOf = (vrf: string) =>
    slot(instances, vrf === "default" ? "global" : vrf, () => ({ router_id: "", peers: {} }));
  // If both report one, the IPv6 router ID wins.
  for (const { vrfs } of summaries)
    for (const [vrf, { routerId }] of Object.entries(vrfs))
      if (routerId !== "") instanceOf(vrf).router_id = routerId;
      else instanceOf(vrf);
  for (const response of peerResponses)
    for (const [vrf, { peerList }] of Object.entries(shaped(peers, response).vrfs))
      for (const peer of peerList) {
        const address = addressOrText(peer.peerAddress);
        instanceOf(vrf).peers[address] = neighborOf(peer, address, vrf, summaries);
      }
  return instances;
};

function neighborOf(
  peer: Peer,
  address: string,
  vrf: string,
  [v4, v6]: readonly [Summary, Summary],
): BgpNeighbor {
  const of4 = v4.vrfs[vrf]?.peers[address];
  const of6 = v6.vrfs[vrf]?.peers[address];
  const idleReason = peer.idleReason ?? (of4 ?? of6)?.peerStateIdleReason;
  return {
    local_as: asOf(peer.localAsn),
    remote_as: asOf(peer.asn),
    remote_id: peer.routerId,
    is_up: peer.state === "Established",
    is_enabled: peer.state !== "Idle" || idleReason !== "Administratively shut down",
    description: peer.description,
    uptime: Math.trunc(peer.establishedTime),
    address_family: {
      ipv4: prefixesOf(of4, peer.prefixesSent, peer.prefixesReceived),
      ipv6: prefixesOf(of6, peer.v6PrefixesSent, peer.v6PrefixesReceived),
    },
  };
}

function prefixesOf(
  counts: { prefixReceived: number; prefixAccepted: number } | undefined,
  sent: number,
  received: number | undefined,
) {
  return {
    received_prefixes: received ?? counts?.prefixReceived ?? 0,
    accepted_prefixes: counts?.prefixAccepted ?? 0,
    sent_prefixes: sent,
  };
}
