/** Tables of nxos_ssh: MAC addresses, ARP, NTP peers. */
import { ipAddress, macAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { decimal, rounded } from "../../../common/numbers.ts";
import { linesOf, needed, unreadable, wordsOf } from "../../../common/text.ts";
import type { ArpEntry, MacTableEntry } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const macCommand = "show mac address-table";
const mac = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/i;
const marks = /^(?:[*+GOCE]|\([RTF]\))/;
/** The legend is repeated every 500 entries. */
const legend = /^\s*(?:Legend|\* - primary|age - |\([TF]\) - |VLAN\b|-{6}|Note:)|primary entry/;
/** VLAN, address, type, age, secure, notify. */
const columns = 6;

interface Entry {
  readonly vlan: string;
  readonly mac: string;
  readonly type: string;
}

export const getMacAddressTable: Getter<NxosDevice, "get_mac_address_table"> = async (device) => {
  const table: MacTableEntry[] = [];
  let entry: Entry | undefined;
  let inTable = false;
  for (const line of linesOf(await device.text(macCommand))) {
    if (/^-{4}/.test(line)) inTable = true;
    if (!inTable || line.trim() === "" || legend.test(line)) continue;
    const words = wordsOf(line.replace(marks, "").replace("vPC Peer-Link", "vPC-Peer-Link"));
    const [vlan = "", address = "", type = ""] = words;
    if (mac.test(address) && words.length > columns) entry = { vlan, mac: address, type };
    else if (entry === undefined || mac.test(address)) throw unreadable(macCommand, line);
    // Continuation lines contain only ports.
    const ports = mac.test(address) ? words.slice(columns) : words;
    table.push(...rowsOf(entry, ports));
  }
  return table;
};

function rowsOf({ vlan, mac, type }: Entry, ports: readonly string[]): MacTableEntry[] {
  const kind = type.toLowerCase();
  const isStatic = ["self", "static", "system"].includes(kind);
  return ports.map((name) => ({
    mac: macAddress(mac) ?? mac,
    interface: isStatic && /^cpu$|router|switch/i.test(name) ? "" : canonicalInterface(name),
    vlan: /^\d+$/.test(vlan) ? Number(vlan) : 0,
    static: isStatic,
    active: kind === "dynamic",
    moves: -1,
    last_move: -1,
  }));
}

/** Ages in seconds. */
export const getArpTable: Getter<NxosDevice, "get_arp_table"> = async (device, { vrf }) => {
  const command = `show ip arp vrf ${vrf === "" ? "all" : vrf} | exc INCOMPLETE`;
  const table: ArpEntry[] = [];
  let inTable = false;
  for (const line of linesOf(await device.text(command))) {
    if (/^Address\s+Age.*Interface/.test(line)) inTable = true;
    else if (inTable && line.trim() !== "") {
      // Flags may follow the interface.
      const [address = "", age = "", mac = "", name] = wordsOf(line);
      if (name === undefined) throw unreadable(command, line);
      table.push({
        interface: name,
        mac: needed(macAddress(mac), command, line),
        ip: needed(ipAddress(address), command, line),
        age: ageOf(age),
      });
    }
  }
  if (!inTable) throw unreadable(command, "no table");
  return table;
};

/** `00:10:12`, or `0.411797` within the first second; -1 for more than a day (`1d02h`). */
function ageOf(text: string): number {
  const seconds = text.includes(":") ? secondsOfClock(text) : decimal(text, undefined);
  return seconds === undefined ? -1 : rounded(seconds, 1);
}

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
