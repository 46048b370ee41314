/** Filters over several addresses: merging networks, picking those in one, listing those of one. */
import { PyDict } from "../../python/dict.ts";
import { first, includes, last, type Network, size } from "../../python/ip/network.ts";
import { type Version, WIDTH } from "../../python/ip/numbers.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { isInt, isText, textOf, toInt, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter } from "../filters/define.ts";
import { addressError, cidr, cover, isNetwork, parseAddress, show } from "./address.ts";
import { needNetwork, networkOf } from "./ipaddr.ts";

function listed(value: Value, meter: Meter): readonly Value[] {
  if (value instanceof Undefined) return value.fail();
  return isText(value) || isInt(value) ? [value] : itemsOf(value, meter);
}

interface Range {
  readonly version: Version;
  readonly from: bigint;
  to: bigint;
  /** The network it comes from, as long as no other has been merged into it. */
  alone: Network | undefined;
}

/** Neighbouring and overlapping ranges become one; IPv4 comes first. What stays alone keeps its host bits. */
function merged(networks: readonly Network[], meter: Meter): Value[] {
  const order = networks
    .map((one): Range => ({ version: one.version, from: first(one), to: last(one), alone: one }))
    .sort((a, b) => a.version - b.version || (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const ranges: Range[] = [];
  for (const one of order) {
    const before = ranges.at(-1);
    if (before !== undefined && before.version === one.version && one.from <= before.to + 1n) {
      if (one.to > before.to) before.to = one.to;
      before.alone = undefined;
    } else ranges.push(one);
  }
  return ranges.flatMap(({ version, from, to, alone }) =>
    alone === undefined
      ? cover(version, from, to, meter.limits.listItems).map((one) => cidr(one))
      : [cidr(alone)],
  );
}

const ascending = (numbers: bigint[]): bigint[] => numbers.sort((a, b) => (a < b ? -1 : 1));

/** The smallest network around all. */
function spanning(networks: readonly Network[]): Value {
  const [one] = networks;
  if (one === undefined) return null;
  if (networks.some(({ version }) => version !== one.version))
    throw addressError("IPv4 and IPv6 cannot be spanned together");
  const from = ascending(networks.map(first))[0] ?? 0n;
  const to = ascending(networks.map(last)).at(-1) ?? 0n;
  const prefix = WIDTH[one.version] - (from ^ to).toString(2).length + (from === to ? 1 : 0);
  const span = { ...one, prefix };
  return cidr(span, first(span));
}

function cidrMerge(value: Value, action: Value, { meter }: FilterContext): Value {
  const name = isText(action) ? textOf(action) : "";
  if (name !== "merge" && name !== "span") throw addressError(`the action is merge or span, not '${name}'`);
  const networks = listed(value, meter).map((one) => needNetwork(one));
  const [only] = networks;
  if (networks.length === 1 && only !== undefined) return name === "merge" ? [cidr(only)] : cidr(only);
  return name === "merge" ? merged(networks, meter) : spanning(networks);
}

function usableRange(value: Value, meter: Meter): PyDict {
  const network = needNetwork(value);
  if (size(network) > 1n && !isNetwork(network)) throw addressError(`${cidr(network)} has host bits set`);
  meter.items(Number(size(network)));
  const ips = Array.from({ length: Number(size(network)) }, (_, i) =>
    show(network, first(network) + BigInt(i)),
  );
  return PyDict.from([
    ["usable_ips", ips],
    ["number_of_ips", toInt(size(network))],
  ]);
}

function hexOf(value: Value, delimiter: string): string {
  const parsed = isText(value) ? parseAddress(textOf(value)) : undefined;
  if (parsed?.version !== 4) throw addressError("an IPv4 address without prefix is needed");
  const hex = parsed.ip.toString(16).padStart(8, "0");
  return hex.match(/../g)?.join(delimiter) ?? hex;
}

export const setFilters: readonly Entry[] = [
  filter("cidr_merge", ["action?"], (value, [action = "merge"], context) =>
    cidrMerge(value, action, context),
  ),
  filter("reduce_on_network", ["network"], (value, [network = null], { meter }) => {
    const outer = networkOf(network);
    return listed(value, meter).filter((one) => {
      const inner = networkOf(one);
      return outer !== undefined && inner !== undefined && includes(outer, inner);
    });
  }),
  filter("usable_range", [], (value, _given, { meter }) => usableRange(value, meter)),
  filter("ip4_hex", ["delimiter?"], (value, [delimiter = ""]) =>
    hexOf(value, isText(delimiter) ? textOf(delimiter) : ""),
  ),
];
