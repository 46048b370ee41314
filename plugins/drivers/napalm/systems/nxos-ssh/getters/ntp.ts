/** `get_ntp_peers` and `get_ntp_servers` of nxos_ssh, from one table. */
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

async function associationsOf(device: NxosDevice): Promise<Record<string, Record<string, never>>> {
  const peers: Record<string, Record<string, never>> = {};
  for (const line of linesOf(await device.text("show ntp peers"))) {
    const [address] = wordsOf(line);
    if (address !== undefined && !/-{5}|Peer IP Address/.test(line)) peers[address] = {};
  }
  return peers;
}

export const getNtpPeers: Getter<NxosDevice, "get_ntp_peers"> = (device) => associationsOf(device);
export const getNtpServers: Getter<NxosDevice, "get_ntp_servers"> = (device) => associationsOf(device);
