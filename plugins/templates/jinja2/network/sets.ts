/** Filters over several addresses: merge networks, select addresses in a network, list the addresses of one. */

import {
  addressText,
  isInt,
  isText,
  itemsOf,
  type Meter,
  PyDict,
  readAddress,
  textOf,
  toInt,
  Undefined,
  type Value,
  type Version,
  WIDTH,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { type Address, cover } from "./address.ts";
import { needNetwork, networkOf } from "./ipaddr.ts";

function listed(value: Value, { meter }: FilterContext): readonly Value[] {
  if (value instanceof Undefined) return value.fail();
  return isText(value) || isInt(value) ? [value] : itemsOf(value, meter);
}

interface Range {
  readonly version: Version;
  readonly from: bigint;
  to: bigint;
  /** The original network, until another is merged into it. */
  alone: Address | undefined;
}

/** Merges adjacent and overlapping ranges, IPv4 first. Unmerged networks keep their host bits. */
function merged(networks: readonly Address[], meter: Meter): Value[] {
  const order = networks
    .map(
      (network): Range => ({
        version: network.version,
        from: network.first,
        to: network.last,
        alone: network,
      }),
    )
    .sort((a, b) => a.version - b.version || (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const ranges: Range[] = [];
  for (const range of order) {
    const before = ranges.at(-1);
    if (before !== undefined && before.version === range.version && range.from <= before.to + 1n) {
      if (range.to > before.to) before.to = range.to;
      before.alone = undefined;
    } else ranges.push(range);
  }
  return ranges
    .flatMap(({ version, from, to, alone }) => alone ?? cover(version, from, to, meter.limits.listItems))
    .map((network) => network.cidr());
}

/** The smallest network that contains all. */
function spanning(networks: readonly Address[]): Value {
  const [first] = networks;
  if (first === undefined) return null;
  if (networks.some(({ version }) => version !== first.version))
    throw filterError("IPv4 and IPv6 cannot be spanned together");
  let { first: from, last: to } = first;
  for (const { first, last } of networks) {
    if (first < from) from = first;
    if (last > to) to = last;
  }
  const differing = from === to ? 0 : (from ^ to).toString(2).length;
  const span = first.withPrefix(WIDTH[first.version] - differing);
  return span.cidr(span.first);
}

function cidrMerge(items: readonly Value[], action: Value, { meter }: FilterContext): Value {
  const name = isText(action) ? textOf(action) : "";
  if (name !== "merge" && name !== "span") throw filterError(`the action is merge or span, not '${name}'`);
  const networks = items.map(needNetwork);
  const [only] = networks;
  if (networks.length === 1 && only !== undefined) return name === "merge" ? [only.cidr()] : only.cidr();
  return name === "merge" ? merged(networks, meter) : spanning(networks);
}

function usableRange(network: Address, { meter }: FilterContext): PyDict {
  const { size, first } = network;
  if (size > 1n && !network.isNetwork) throw filterError(`${network.cidr()} has host bits set`);
  meter.items(Number(size));
  // This filter uses Python's ipaddress, whose texts have no dotted part.
  const ips = Array.from({ length: Number(size) }, (_, i) => addressText(network.version, first + BigInt(i)));
  return PyDict.from([
    ["usable_ips", ips],
    ["number_of_ips", toInt(size)],
  ]);
}

function hexOf(value: Value, delimiter: Value): string {
  const parsed = isText(value) ? readAddress(textOf(value)) : undefined;
  if (parsed?.version !== 4) throw filterError("an IPv4 address without prefix is needed");
  const hex = parsed.ip.toString(16).padStart(8, "0");
  return hex.match(/../g)?.join(isText(delimiter) ? textOf(delimiter) : "") ?? hex;
}

export const setFilters: FilterEntries = [
  define("cidr_merge", listed, "action = 'merge'", cidrMerge),
  define("reduce_on_network", listed, "network", (items, network) => {
    const outer = networkOf(network);
    return items.filter((item) => {
      const inner = networkOf(item);
      return outer !== undefined && inner !== undefined && outer.includes(inner);
    });
  }),
  define("usable_range", needNetwork, "", usableRange),
  define("ip4_hex", "any", "delimiter = ''", hexOf),
].flat();
