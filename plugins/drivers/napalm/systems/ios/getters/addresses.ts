/** `get_interfaces_ip` of IOS. */
import { addressOrText } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

type Prefixes = Record<string, { prefix_length: number }>;
interface Addresses {
  ipv4?: Prefixes;
  ipv6?: Prefixes;
}

const ipv4 = /^\s+(?:Internet address is|Secondary address) ([\d.]+)\/(\d+)/;
const linkLocal = /^\s+IPv6 is enabled, link-local address is ([0-9a-f:]+)/i;
const global = /^\s+([0-9a-f:]+), subnet is [0-9a-f:]+\/(\d+)/i;
/** NAPALM's prefix length for link-local addresses. */
const linkLocalLength = 10;

export const getInterfacesIp: Getter<IosDevice, "get_interfaces_ip"> = async (device) => {
  const interfaces: Record<string, Addresses> = {};
  for (const [name, line] of byInterface(await device.ask("show ip interface"))) {
    const [, address = "", length] = ipv4.exec(line) ?? [];
    if (length === undefined) continue;
    const of = slot(interfaces, name, () => ({}));
    of.ipv4 ??= {};
    of.ipv4[addressOrText(address)] = { prefix_length: Number(length) };
  }
  const second = await device.ask("show ipv6 interface");
  if (isUnknown(second)) return interfaces;
  for (const [name, line] of byInterface(second)) {
    const of = slot(interfaces, name, () => ({}));
    of.ipv6 ??= {};
    const link = linkLocal.exec(line)?.[1];
    if (link !== undefined) of.ipv6[addressOrText(link)] = { prefix_length: linkLocalLength };
    const [, address = "", length] = global.exec(line) ?? [];
    if (length !== undefined) of.ipv6[addressOrText(address)] = { prefix_length: Number(length) };
  }
  return interfaces;
};

/** Each line with its interface; interface names start at column 0. */
function* byInterface(output: string): Generator<readonly [name: string, line: string]> {
  let name = "";
  for (const line of linesOf(output)) {
    if (line.trim() === "") continue;
    if (!line.startsWith(" ")) name = wordsOf(line)[0] ?? "";
    yield [name, line];
  }
}
