/** Interfaces of nxos: their state and addresses. */
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { Interface, InterfaceAddresses } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { isRow, type Row } from "../../nxos-common/tables.ts";
import { fieldLike, rawOf, rowsOf, textOf, textsOf } from "../rows.ts";

export const getInterfaces: Getter<NxosDevice, "get_interfaces"> = async (device) => {
  const now = Date.now() / 1000;
  const rows = rowsOf(await device.json("show interface"), "interface");
  return Object.fromEntries(rows.map((row) => [textOf(row, "interface"), interfaceOf(row, now)]));
};

/** Fields of a VLAN interface start with `svi_`. Like NAPALM: it is up unless it is shut down. */
function interfaceOf(row: Row, now: number): Interface {
  const state = rawOf(row, "state");
  const ofVlan = rawOf(row, "svi_admin_state");
  return {
    is_up: state === "up" || ofVlan === "up",
    is_enabled: (rawOf(row, "admin_state") ?? ofVlan ?? state) === "up",
    description: (rawOf(row, "desc") ?? rawOf(row, "svi_desc") ?? "").replace(/^"+|"+$/g, ""),
    last_flapped: flappedAt(rawOf(row, "eth_link_flapped") ?? "", now),
    mtu: integer(textOf(row, "eth_mtu", "svi_mtu"), 0),
    speed: decimal(textOf(row, "eth_bw", "svi_bw"), 0) / 1000,
    mac_address: macAddress(textOf(row, "eth_hw_addr", "svi_mac")) ?? "",
  };
}

/** NX-OS uses years of 365.25 days. */
const unitSeconds: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  year: 31_557_600,
};

/**
 * Unix time of a flap that was `2week(s) 2day(s)`, `1d02h` or `00:12:13` ago; -1 if none is reported. Like NAPALM:
 * unreadable parts count as zero.
 */
function flappedAt(text: string, now: number): number {
  if (text === "" || text === "never") return -1;
  const counts = new Map<string, number>();
  for (const [, count, unit = ""] of inWords(text).matchAll(
    /(?<!\S)(\d{1,9})(second|minute|hour|day|week|year)\(s\)/g,
  )) {
    counts.set(unit, Number(count));
  }
  return [...counts].reduce((at, [unit, count]) => at - count * (unitSeconds[unit] ?? 0), now);
}

function inWords(text: string): string {
  if (text.includes("(s)")) return text;
  const [hours, minutes, seconds] = text.split(":");
  if (minutes !== undefined) return `${hours}hour(s) ${minutes}minute(s) ${seconds ?? ""}second(s)`;
  return text.replaceAll("d", "day(s) ").replaceAll("h", "hour(s)");
}

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
