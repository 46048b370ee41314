/** get_mac_address_table of iosxr. */
import { integer } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { normalMac } from "./values.ts";

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
