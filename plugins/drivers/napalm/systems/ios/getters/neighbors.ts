/** `get_arp_table` and `get_ipv6_neighbors_table` of IOS. */
import { ipAddress, macAddress } from "../../../common/addresses.ts";
import { linesOf, needed, unreadable, wordsOf } from "../../../common/text.ts";
import type { ArpEntry, Ipv6Neighbor } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

/** Ages in minutes. */
export const getArpTable: Getter<IosDevice, "get_arp_table"> = async (device, { vrf }) => {
  const command = `show arp ${vrf === "" ? "" : `vrf ${vrf} `}| exclude Incomplete`;
  const table: ArpEntry[] = [];
  for (const line of linesOf(await device.ask(command))) {
    const words = wordsOf(line);
    if (words.length === 0 || words[0] === "Protocol") continue;
    const [, address = "", age = "", mac = "", , name = ""] = words;
    if (words.length < 5 || words.length > 6) throw unreadable(command, line);
    table.push({
      interface: name,
      mac: needed(macAddress(mac), command, line),
      ip: needed(ipAddress(address), command, line),
      age: age === "-" ? -1 : needed(/^\d+(?:\.\d+)?$/.test(age) ? Number(age) : undefined, command, line),
    });
  }
  return table;
};

/** Ages in minutes, 0 below one minute. */
export const getIpv6NeighborsTable: Getter<IosDevice, "get_ipv6_neighbors_table"> = async (device) => {
  const command = "show ipv6 neighbors";
  const output = await device.ask(command);
  if (isUnknown(output)) return [];
  const table: Ipv6Neighbor[] = [];
  let inTable = false;
  for (const line of linesOf(output)) {
    if (/^IPv6\s+Address\s.*Interface\s*$/i.test(line)) inTable = true;
    else if (inTable && line.trim() !== "") {
      const [address = "", age = "", mac = "", state = "", name = ""] = wordsOf(line);
      table.push({
        interface: name,
        mac: mac === "-" ? "" : needed(macAddress(mac), command, line),
        ip: needed(ipAddress(address), command, line),
        age: Number(age) || 0,
        state,
      });
    }
  }
  return table;
};
