/** Tables of nxos: ARP, MAC addresses, NTP. */
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { decimal, integer, rounded } from "../../../common/numbers.ts";
import type { NtpServer } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import type { Row } from "../../nxos-common/tables.ts";
import { rowsOf, textOf } from "../rows.ts";

export const getArpTable: Getter<NxosDevice, "get_arp_table"> = async (device, { vrf }) => {
  const answer = await device.json(vrf === "" ? "show ip arp" : `show ip arp vrf ${vrf}`);
  return rowsOf(answer, "vrf")
    .slice(0, 1)
    .flatMap((row) => rowsOf(row, "adj"))
    .map((entry) => {
      const ip = textOf(entry, "ip-addr-out", "ip-addr");
      return {
        interface: textOf(entry, "intf-out"),
        mac: macAddress(textOf(entry, "mac")) ?? "",
        ip: addressOrText(ip),
        age: ageOf(textOf(entry, "time-stamp")),
      };
    });
};

/** `00:09:43`, or seconds. Like NAPALM: -1 for `-` (no age) and for `1d02h`. */
function ageOf(text: string): number {
  const clock = text.includes(":") ? secondsOfClock(text) : undefined;
  return rounded(decimal(text, undefined) ?? clock ?? -1, 1);
}

export const getMacAddressTable: Getter<NxosDevice, "get_mac_address_table"> = async (device) =>
  rowsOf(await device.json("show mac address-table"), "mac_address").map((row) => {
    const mac = textOf(row, "disp_mac_addr");
    return {
      mac: macAddress(mac) ?? mac,
      interface: textOf(row, "disp_port"),
      // `-` for an address of the switch itself.
      vlan: integer(textOf(row, "disp_vlan"), 0),
      active: true,
      // Like NAPALM: the number 0 differs from the text "0".
      static: row.disp_is_static !== "0",
      moves: 0,
      last_move: 0,
    };
  });

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
