/** `get_arp_table` of nxos_ssh; ages are in seconds. */
import { ipAddress, macAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { decimal, rounded } from "../../../common/numbers.ts";
import { linesOf, needed, unreadable, wordsOf } from "../../../common/text.ts";
import type { ArpEntry } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

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
