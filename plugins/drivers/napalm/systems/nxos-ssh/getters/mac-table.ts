/** `get_mac_address_table` of nxos_ssh. */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { linesOf, unreadable, wordsOf } from "../../../common/text.ts";
import type { MacTableEntry } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const command = "show mac address-table";
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
  for (const line of linesOf(await device.text(command))) {
    if (/^-{4}/.test(line)) inTable = true;
    if (!inTable || line.trim() === "" || legend.test(line)) continue;
    const words = wordsOf(line.replace(marks, "").replace("vPC Peer-Link", "vPC-Peer-Link"));
    const [vlan = "", address = "", type = ""] = words;
    if (mac.test(address) && words.length > columns) entry = { vlan, mac: address, type };
    else if (entry === undefined || mac.test(address)) throw unreadable(command, line);
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
