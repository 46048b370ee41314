/** The tables of ARP and of MAC addresses of iosxr. */
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import { linesOf } from "../../../common/text.ts";
import type { ArpEntry } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { anywhere, normalMac } from "./values.ts";

/** The agent's reply covers all VRFs without their names; for one VRF, a CLI command is used. */
export const getArpTable: Getter<XrDevice, "get_arp_table"> = async (device, { vrf }) =>
  vrf === "" ? ofAll(device) : linesOf(await device.exec(`show arp vrf ${vrf}`)).flatMap(shownEntry);

async function ofAll(device: XrDevice): Promise<readonly ArpEntry[]> {
  const response = await device.ask("<Get><Operational><ARP></ARP></Operational></Get>");
  return response.descendants("EntryTable").flatMap((table) =>
    table.all("Entry").map((entry) => ({
      interface: anywhere(entry, "InterfaceName"),
      mac: macAddress(anywhere(entry, "HardwareAddress")) ?? "",
      ip: addressOrText(anywhere(entry, "Address")),
      age: decimal(anywhere(entry, "Age"), -1),
    })),
  );
}

/**
 * `10.0.0.1  00:01:02  0011.2233.4455  Dynamic  ARPA  GigabitEthernet0/0/0/0`; the router's own addresses have no age.
 */
function shownEntry(line: string): readonly ArpEntry[] {
  const [, ip, age = "", mac = "", name = ""] =
    /^([\d.]+)\s+(\S+)\s+([0-9a-f]{4}(?:\.[0-9a-f]{4}){2})\s+\S+\s+\S+\s+(\S+)\s*$/i.exec(line) ?? [];
  if (ip === undefined) return [];
  return [{ interface: name, mac: macAddress(mac) ?? "", ip, age: secondsOfClock(age) ?? -1 }];
}

const question = "<Get><Operational><L2VPNForwarding></L2VPNForwarding></Operational></Get>";

export const getMacAddressTable: Getter<XrDevice, "get_mac_address_table"> = async (device) =>
  (await device.ask(question))
    .descendants("L2FIBMACDetailTable")
    .flatMap((table) => table.all("L2FIBMACDetail"))
    .map((entry) => ({
      mac: normalMac(entry.textOf("Naming/Address")),
      interface: entry.textOf("Segment/AC/InterfaceHandle"),
      // Assumes that bridge domains are named after their VLAN: `vlan100`.
      vlan: integer(entry.textOf("Naming/Name").replaceAll("vlan", ""), 0),
      active: true,
      static: false,
      moves: 0,
      last_move: 0,
    }));
