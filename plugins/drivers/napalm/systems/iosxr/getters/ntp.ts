/** NTP servers, peers and their state. */
import type { NtpServer } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { decimalAt, integerAt, isTrue } from "./values.ts";

export const getNtpPeers: Getter<XrDevice, "get_ntp_peers"> = (device) => configured(device, "Peer");
export const getNtpServers: Getter<XrDevice, "get_ntp_servers"> = (device) => configured(device, "Server");

async function configured(device: XrDevice, kind: "Peer" | "Server"): Promise<Record<string, NtpServer>> {
  const response = await device.ask("<Get><Configuration><NTP></NTP></Configuration></Get>");
  const addresses = (["IPV4", "IPV6"] as const).flatMap((family) =>
    response
      .descendants(`Peer${family}Table`)
      .flatMap((table) => table.all(`Peer${family}`))
      .filter((peer) => peer.textOf(`PeerType${family}/Naming/PeerType`) === kind)
      .map((peer) => peer.textOf(`Naming/Address${family}`)),
  );
  return Object.fromEntries(addresses.filter((address) => address !== "").map((address) => [address, {}]));
}

export const getNtpStats: Getter<XrDevice, "get_ntp_stats"> = async (device) => {
  const response = await device.ask(
    "<Get><Operational><NTP><NodeTable></NodeTable></NTP></Operational></Get>",
  );
  return (
    response
      .descendants("NodeTable")
      .flatMap((table) => table.all("Node/Associations/PeerSummaryInfo/Entry/PeerInfoCommon"))
      // Another card of the same router.
      .filter((peer) => peer.textOf("Address") !== "DLRSC node")
      .map((peer) => ({
        remote: peer.textOf("Address"),
        referenceid: peer.textOf("ReferenceID"),
        synchronized: isTrue(peer, "IsSysPeer"),
        stratum: integerAt(peer, "Stratum"),
        type: "",
        when: "",
        hostpoll: integerAt(peer, "HostPoll"),
        reachability: integerAt(peer, "Reachability"),
        delay: decimalAt(peer, "Delay"),
        offset: decimalAt(peer, "Offset"),
        jitter: decimalAt(peer, "Dispersion"),
      }))
  );
};
