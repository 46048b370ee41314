/** get_mac_address_table of nxos. */
import { macAddress } from "../../../common/addresses.ts";
import { integer } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { rowsOf, textOf } from "../rows.ts";

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
