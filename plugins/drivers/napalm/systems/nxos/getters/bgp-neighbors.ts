/** BGP neighbours of every VRF. */
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { integer } from "../../../common/numbers.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { BgpInstance } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import type { Row } from "../../nxos-common/tables.ts";
import { rowsOf, textOf } from "../rows.ts";

type Peer = BgpInstance["peers"][string];

/** Keyed by the numbers of family and subsequent family. */
const families: Readonly<Record<string, string>> = {
  "1/1": "ipv4",
  "1/128": "vpnv4",
  "2/1": "ipv6",
  "2/128": "vpnv6",
  "25/70": "l2vpn",
};

export const getBgpNeighbors: Getter<NxosDevice, "get_bgp_neighbors"> = async (device) => {
  // A switch without BGP refuses the command.
  const answer = await unlessRefused(device.json("show bgp all summary vrf all"), () => undefined);
  const instances: Record<string, BgpInstance> = {};
  for (const vrf of rowsOf(answer, "vrf")) {
    const name = textOf(vrf, "vrf-name-out");
    const peers: Record<string, Peer> = {};
    instances[instanceName(name)] = { router_id: textOf(vrf, "vrf-router-id"), peers };
    const localAs = numberOf(vrf, "vrf-local-as");
    for (const family of rowsOf(vrf, "af"))
      for (const subsequent of rowsOf(family, "saf"))
        for (const neighbor of rowsOf(subsequent, "neighbor")) {
          const peer = peerOf(neighbor, familyName(family, subsequent), localAs);
          // Like NAPALM: the last family of a neighbour wins.
          peers[peer.remote_id] = peer;
        }
  }
  return instances;
};

function instanceName(vrf: string): string {
  return vrf === "default" ? "global" : vrf;
}

function familyName(family: Row, subsequent: Row): string {
  const numbers = `${textOf(family, "af-id")}/${textOf(subsequent, "safi")}`;
  return families[numbers] ?? textOf(subsequent, "af-name").toLowerCase();
}

function peerOf(neighbor: Row, family: string, localAs: number): Peer {
  const address = textOf(neighbor, "neighborid");
  const state = textOf(neighbor, "state");
  return {
    local_as: localAs,
    remote_as: numberOf(neighbor, "neighboras"),
    remote_id: addressOrText(address),
    is_up: state === "Established" || state === "Closing",
    is_enabled: !/shut/i.test(state),
    description: "",
    uptime: -1,
    address_family: {
      [family]: {
        sent_prefixes: -1,
        accepted_prefixes: -1,
        received_prefixes: integer(textOf(neighbor, "prefixreceived"), -1),
      },
    },
  };
}

function numberOf(row: Row, field: string): number {
  const number = asNumber(textOf(row, field));
  return Number.isNaN(number) ? 0 : number;
}
