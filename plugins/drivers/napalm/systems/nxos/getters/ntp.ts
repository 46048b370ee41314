/** NTP servers, peers and their state. */
import { addressOrText } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import type { NtpServer } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import type { Row } from "../../nxos-common/tables.ts";
import { rowsOf, textOf } from "../rows.ts";

export const getNtpPeers: Getter<NxosDevice, "get_ntp_peers"> = (device) => associations(device, "Peer");
export const getNtpServers: Getter<NxosDevice, "get_ntp_servers"> = (device) =>
  associations(device, "Server");

async function associations(device: NxosDevice, kind: "Peer" | "Server"): Promise<Record<string, NtpServer>> {
  const rows = rowsOf(await device.json("show ntp peers"), "peers");
  const matching = rows.filter((row) => textOf(row, "serv_peer") === kind);
  return Object.fromEntries(matching.map((row) => [addressOf(row, "PeerIPAddress"), {}]));
}

export const getNtpStats: Getter<NxosDevice, "get_ntp_stats"> = async (device) =>
  rowsOf(await device.json("show ntp peer-status"), "peersstatus").map((row) => {
    const remote = addressOf(row, "remote");
    return {
      remote,
      referenceid: remote,
      synchronized: textOf(row, "syncmode") === "*",
      stratum: integer(textOf(row, "st"), 0),
      type: "",
      when: "",
      hostpoll: integer(textOf(row, "poll"), 0),
      reachability: integer(textOf(row, "reach"), 0),
      delay: decimal(textOf(row, "delay"), 0),
      offset: 0,
      jitter: 0,
    };
  });

function addressOf(row: Row, field: string): string {
  const text = textOf(row, field);
  return addressOrText(text);
}
