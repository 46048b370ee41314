/** get_arp_table of nxos. */
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { decimal, rounded } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
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
