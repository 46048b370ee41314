/** `get_bgp_neighbors` of nxos_ssh. */
import { asNumber, ipAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { needed, sectionsOf, wordsOf } from "../../../common/text.ts";
import type { BgpInstance, BgpNeighbor } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const command = "show bgp all summary vrf all";
const families = ["ipv4", "ipv6", "l2vpn"];
/** Version, AS, received, sent, table, queues in and out, time, state. */
const columns = 9;

export const getBgpNeighbors: Getter<NxosDevice, "get_bgp_neighbors"> = async (device) => {
  const output = await device.text(command);
  const instances: Record<string, BgpInstance> = {};
  for (const { head, lines } of sectionsOf(output, (line) =>
    line.startsWith("BGP summary information for"),
  )) {
    const [, vrf = "", family = ""] = /for VRF (\S+), address family (\S+) (?:Unicast|EVPN)/.exec(head) ?? [];
    const text = lines.join("\n");
    const [, routerId, localAs] =
      /^BGP router identifier\s+(\d[\d.]+),\s+local AS number\s+([\d.]+)/m.exec(text) ?? [];
    // A family without neighbours has only a title.
    if (routerId === undefined || localAs === undefined || !families.includes(family.toLowerCase())) continue;
    const name = vrf.toLowerCase() === "default" ? "global" : vrf;
    const peers = peersOf(lines, family.toLowerCase(), asNumber(localAs));
    // Like NAPALM: the last family of a VRF with neighbours wins.
    instances[name] = { router_id: routerId, peers };
  }
  return instances;
};

function peersOf(lines: readonly string[], family: string, localAs: number): Record<string, BgpNeighbor> {
  const peers: Record<string, BgpNeighbor> = {};
  let address = "";
  /** A long address, or a long AS after it, ends the line. */
  let row: string[] = [];
  for (const line of lines) {
    const words = wordsOf(line);
    const begins = !line.startsWith(" ") && ipAddress(words[0] ?? "") !== undefined;
    if (begins) {
      address = words.shift() ?? "";
      row = words;
    } else if (address !== "" && line.startsWith(" ")) row = [...row, ...words];
    if (address === "" || row.length < columns) continue;
    const [, remoteAs = "", , , , , , upDown = "", ...state] = row;
    peers[address] = peerOf(localAs, asNumber(remoteAs), upDown, state.join(" "), family);
    address = "";
  }
  return peers;
}

function peerOf(local: number, remote: number, upDown: string, state: string, family: string): BgpNeighbor {
  const isUp = /^\d+$/.test(state);
  return {
    local_as: local,
    remote_as: remote,
    remote_id: "0.0.0.0",
    is_up: isUp,
    is_enabled: isUp || !/Shut.*Admin/.test(state),
    description: "",
    uptime: isUp ? needed(secondsOfClock(upDown), command, upDown) : -1,
    address_family: {
      [family]: { sent_prefixes: -1, accepted_prefixes: -1, received_prefixes: isUp ? Number(state) : -1 },
    },
  };
}
