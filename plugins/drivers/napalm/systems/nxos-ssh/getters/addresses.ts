/** `get_interfaces_ip` of nxos_ssh. */

import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

type Prefixes = Record<string, { prefix_length: number }>;
interface Addresses {
  ipv4?: Prefixes;
  ipv6?: Prefixes;
}

/** Prefix length of link-local addresses, which NX-OS does not report. */
const linkLocalLength = 64;

export const getInterfacesIp: Getter<NxosDevice, "get_interfaces_ip"> = async (device) => {
  const interfaces: Record<string, Addresses> = {};
  for (const [name, line] of byInterface(await device.text("show ip interface vrf all"))) {
    const [, address, length] =
      /^\s+IP address: ([\d.]+|none)\b(?:.*?IP subnet: [\d.]+\/(\d+))?/.exec(line) ?? [];
    if (address === undefined) continue;
    const of = slot(interfaces, name, () => ({}));
    of.ipv4 ??= {};
    if (address !== "none" && length !== undefined) of.ipv4[address] = { prefix_length: Number(length) };
  }
  const last = Object.keys(interfaces).at(-1);
  // Like NAPALM: lines before the first interface belong to the last interface of the previous table.
  for (const [name, line] of byInterface(await device.text("show ipv6 interface vrf all"), last)) {
    const of = slot(interfaces, name, () => ({}));
    of.ipv6 ??= {};
    const [, address, length] =
      /^\s+(?:IPv6 (?:link-local )?address:\s+)?([0-9a-f:]+:[0-9a-f:.]*)(?:\/(\d+))?\s.*VALID/i.exec(line) ??
      [];
    if (address !== undefined) of.ipv6[address] = { prefix_length: Number(length ?? linkLocalLength) };
  }
  return interfaces;
};

/** Each line with its interface. */
function* byInterface(output: string, before?: string): Generator<readonly [name: string, line: string]> {
  let name = before;
  for (const line of linesOf(output)) {
    const heading = firstGroup(/^([^\s,]+), Interface status/, line);
    if (heading !== undefined) name = heading;
    else if (name !== undefined) yield [name, line];
  }
}
