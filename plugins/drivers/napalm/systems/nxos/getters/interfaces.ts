/** State of each interface. */
import { macAddress } from "../../../common/addresses.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import type { Row } from "../../nxos-common/tables.ts";
import { rawOf, rowsOf, textOf } from "../rows.ts";

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
