/** Addresses of each interface. */
import { addressOrText } from "../../../common/addresses.ts";
import { integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { InterfaceAddresses } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { isRow, type Row } from "../../nxos-common/tables.ts";
import { fieldLike, rowsOf, textOf, textsOf } from "../rows.ts";

type Prefix = readonly [address: string, length: number];
type Addresses = {
  -readonly [Family in keyof InterfaceAddresses]: Record<string, { prefix_length: number }>;
};

export const getInterfacesIp: Getter<NxosDevice, "get_interfaces_ip"> = async (device) => {
  const ipv4 = rowsOf(await device.json("show ip interface"), "intf");
  // A switch without IPv6 refuses the command.
  const ipv6 = rowsOf(await unlessRefused(device.json("show ipv6 interface"), () => undefined), "intf");
  const interfaces: Record<string, Addresses> = {};
  const add = (name: string, family: "ipv4" | "ipv6", prefixes: readonly Prefix[]) => {
    for (const [address, length] of prefixes) {
      interfaces[name] ??= {};
      interfaces[name][family] ??= {};
      interfaces[name][family][addressOrText(address)] = { prefix_length: length };
    }
  };
  for (const row of ipv4)
    add(textOf(row, "intf-name"), "ipv4", [...primaryOf(row, ipv4), ...secondaryOf(row)]);
  for (const row of ipv6) {
    const name = textOf(row, "intf-name");
    // An interface with IPv6 enabled is listed even without an address.
    slot(interfaces, name, (): Addresses => ({})).ipv6 ??= {};
    add(name, "ipv6", ipv6Of(row));
  }
  return interfaces;
};

/** An unnumbered interface has the address of its parent interface. */
function primaryOf(row: Row, rows: readonly Row[]): readonly Prefix[] {
  const lender = textOf(row, "unnum-intf");
  const owner =
    textOf(row, "prefix") === "" && lender !== ""
      ? rows.find((other) => textOf(other, "intf-name") === lender)
      : row;
  const address = textOf(owner ?? {}, "prefix");
  return address === "" ? [] : [[address, integer(textOf(owner ?? {}, "masklen"), 32)]];
}

function secondaryOf(row: Row): readonly Prefix[] {
  return rowsOf(row, "secondary_address").map((secondary) => [
    textOf(secondary, "prefix1"),
    integer(textOf(secondary, "masklen1"), 32),
  ]);
}

/** Addresses are in the row or in a nested table: a list with prefix lengths, or one with a separate length. */
function ipv6Of(row: Row): readonly Prefix[] {
  const rows = fieldLike(fieldLike(row, "TABLE_addr"), "ROW_addr");
  const inTable = isRow(rows) ? rows.addr : rowsOf(row, "addr").flatMap((entry) => textsOf(entry, "addr"));
  const addresses = row.addr ?? inTable;
  if (typeof addresses === "string") {
    const beside = integer(textOf(row, "prefix").split("/").at(-1), 128);
    const [address = ""] = addresses.split("/");
    return address === "" ? [] : [[address.trim(), beside]];
  }
  return textsOf({ addresses }, "addresses").map((text) => {
    const [address = "", length] = text.split("/");
    return [address.trim(), integer(length, 128)];
  });
}
