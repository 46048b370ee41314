/** Filters that count within networks: subnets, the n-th host, the next usable address. */

import { first, includes, last, size } from "../../python/ip/network.ts";
import { WIDTH } from "../../python/ip/numbers.ts";
import { isInt, isText, textOf, Undefined, type Value } from "../../python/values.ts";
import { type Entry, filter } from "../filters/define.ts";
import { addressError, cidr, show, usable, type WrittenNetwork } from "./address.ts";
import { needNetwork, networkOf } from "./ipaddr.ts";

/** @throws where the value is no whole number. */
function wholeNumber(value: Value | undefined): number {
  if (value !== undefined && isInt(value)) return Number(value);
  if (value !== undefined && isText(value) && /^\s*[-+]?\d{1,15}\s*$/.test(textOf(value))) {
    return Number(textOf(value));
  }
  throw addressError("a whole number is needed");
}

/** The network of a value that may also be none: `undefined` then. */
function anyNetwork(value: Value): WrittenNetwork | undefined {
  return value instanceof Undefined ? value.fail() : networkOf(value);
}

const subnetText = (network: WrittenNetwork): string => cidr(network, first(network));

/** The larger networks around one, from the largest asked for down to twice its size. */
function supernet(network: WrittenNetwork, prefix: number, index: number): Value {
  const count = network.prefix - prefix;
  const at = index < 0 ? count + index : index;
  return at < 0 || at >= count ? false : subnetText({ ...network, prefix: prefix + at });
}

function subnetAt(network: WrittenNetwork, prefix: number, index: number | undefined): Value {
  if (prefix < 0 || prefix > WIDTH[network.version]) return false;
  if (prefix < network.prefix) {
    if (size(network) > 1n && index !== undefined)
      return index === 0 && cidr({ ...network, prefix }, first(network));
    if (index !== undefined) return supernet(network, prefix, index);
    if (size(network) === 1n) return subnetText({ ...network, prefix });
    throw addressError(`no subnets of length ${prefix} in ${cidr(network)}`);
  }
  const count = 1n << BigInt(prefix - network.prefix);
  if (index === undefined) return String(count);
  const at = index < 0 ? count + BigInt(index) : BigInt(index);
  if (at < 0n || at >= count) return false;
  const step = 1n << BigInt(WIDTH[network.version] - prefix);
  return cidr({ ...network, prefix }, first(network) + at * step);
}

/** Which of the equal parts of `outer` the network is, counted from 1. */
function rank(network: WrittenNetwork, outer: WrittenNetwork): string {
  if (!includes(outer, network)) {
    throw addressError(`${subnetText(network)} is not in ${subnetText(outer)}`);
  }
  return String((first(network) - first(outer)) / size(network) + 1n);
}

function ipsubnet(value: Value, query: Value, index: Value): Value {
  const network = anyNetwork(value);
  if (network === undefined) return false;
  const text = isText(query) ? textOf(query) : query;
  if (text === "") return subnetText(network);
  if (isInt(text) || (typeof text === "string" && /^\d{1,3}$/.test(text))) {
    const at = index === "x" ? undefined : wholeNumber(index);
    return subnetAt(network, wholeNumber(text), at);
  }
  return rank(network, needNetwork(query));
}

/** Never outside what addresses of the version can be. */
function moved(network: WrittenNetwork, amount: number): string {
  const ip = network.ip + BigInt(amount);
  if (ip < 0n || ip >> BigInt(WIDTH[network.version]) > 0n) {
    throw addressError(`no address ${amount} from ${show(network, network.ip)}`);
  }
  return show(network, ip);
}

function nthHost(value: Value, query: Value): Value {
  const network = anyNetwork(value);
  if (network === undefined || query === "") return false;
  const text = isText(query) ? textOf(query) : query;
  if (typeof text === "string" && !/^-?\d{1,15}$/.test(text)) return false;
  const index = BigInt(wholeNumber(query));
  const ip = index < 0n ? last(network) + 1n + index : first(network) + index;
  return ip < first(network) || ip > last(network) ? false : show(network, ip);
}

function stepped(value: Value, offset: Value | undefined, sign: 1n | -1n): Value {
  const network = anyNetwork(value);
  if (network === undefined) return false;
  const ip = network.ip + sign * BigInt(wholeNumber(offset));
  const range = network.written ? usable(network) : undefined;
  return range !== undefined && range[0] <= ip && ip <= range[1] ? show(network, ip) : null;
}

function isWithin(value: Value, test: Value): boolean {
  const outer = anyNetwork(value);
  const inner = anyNetwork(test);
  return outer !== undefined && inner !== undefined && includes(outer, inner);
}

/** A single address counts as usable itself. */
function isUsable(value: Value, test: Value): boolean {
  const outer = anyNetwork(value);
  const inner = anyNetwork(test);
  if (outer === undefined || inner === undefined || outer.version !== inner.version) return false;
  const [from, to] = usable(outer) ?? [outer.ip, outer.ip];
  return from <= first(inner) && last(inner) <= to;
}

export const subnetFilters: readonly Entry[] = [
  filter("ipsubnet", ["query?", "index?"], (value, [query = "", index = "x"]) =>
    ipsubnet(value, query, index),
  ),
  filter("ipmath", ["amount"], (value, [amount]) => moved(needNetwork(value), wholeNumber(amount))),
  filter("nthhost", ["query?"], (value, [query = ""]) => nthHost(value, query)),
  filter("next_nth_usable", ["offset"], (value, [offset]) => stepped(value, offset, 1n)),
  filter("previous_nth_usable", ["offset"], (value, [offset]) => stepped(value, offset, -1n)),
  filter("network_in_network", ["test"], (value, [test = null]) => isWithin(value, test)),
  filter("network_in_usable", ["test"], (value, [test = null]) => isUsable(value, test)),
];
