/** `get_mac_address_table` of IOS; its format depends on the switch family. */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { linesOf, unreadable, wordsOf } from "../../../common/text.ts";
import type { MacTableEntry } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

/** Later releases use the second one. */
const commands = ["show mac-address-table", "show mac address-table"] as const;
const mac = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/i;
const anywhere = /[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}/i;
/** Ports that do not fit are on continuation lines below the first port. */
const below = /^\s{28,64}[A-Z][A-Za-z-]{1,24}[\d,/.]/;
const port = /^[A-Z][A-Za-z]\w{0,2}\d[\d/.]*$/;

interface Entry {
  readonly vlan: string;
  readonly mac: string;
  readonly type: string;
  readonly ports: readonly string[];
}

export const getMacAddressTable: Getter<IosDevice, "get_mac_address_table"> = async (device) => {
  let command: string = commands[0];
  let output = await device.ask(command);
  if (isUnknown(output)) {
    command = commands[1];
    output = await device.ask(command);
  }
  const table: MacTableEntry[] = [];
  let last: Entry | undefined;
  let inTable = false;
  for (const line of linesOf(output)) {
    if (/^\s*-{4}/.test(line)) inTable = true;
    // Titles and legends are repeated within the table.
    if (!inTable || !(anywhere.test(line) || below.test(line))) continue;
    const entry: Entry | undefined = below.test(line)
      ? last && { ...last, ports: portsIn(line) }
      : entryOf(line);
    if (entry === undefined) throw unreadable(command, line);
    last = entry;
    table.push(...rowsOf(entry, device));
  }
  return table;
};

const portsIn = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Parses by the position of the address and the number of words. */
function entryOf(line: string): Entry | undefined {
  const words = wordsOf(line.replace(/^\s*(?:\*\s*|R\s+)/, " "));
  const [first = "", second = ""] = words;
  if (mac.test(first)) {
    const [address = "", type = "", vlan = "", name = ""] = words;
    return words.length === 4 ? { vlan, mac: address, type, ports: [name] } : undefined;
  }
  if (!mac.test(second) || words.length < 3) return undefined;
  const [vlan = "", address = "", type = ""] = words;
  // Between type and port are the protocols, or learning and age.
  const ports = words.length === 3 ? [""] : portsIn(words.at(-1) ?? "");
  if (!port.test(vlan)) return { vlan, mac: address, type, ports };
  // A routed port instead of a VLAN; in the unicast table it is also the port.
  return { vlan: "-1", mac: address, type, ports: words.length === 5 ? [canonicalInterface(vlan)] : ports };
}

function rowsOf({ vlan, mac, type, ports }: Entry, device: IosDevice): MacTableEntry[] {
  const isStatic = ["self", "static", "system"].includes(type.toLowerCase());
  return ports.map((name) => ({
    mac: macAddress(mac) ?? mac,
    interface: device.named(isStatic && /^cpu$|router|switch/i.test(name) ? "" : name),
    vlan: /^-?\d+$/.test(vlan) ? Number(vlan) : 0,
    static: isStatic,
    active: true,
    moves: -1,
    last_move: -1,
  }));
}
