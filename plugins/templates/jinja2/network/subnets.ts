/** Subnet arithmetic: subnets, the nth host, the next usable address. */
import { indexError, isInt, isText, textOf, type Value, WIDTH } from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { Address } from "./address.ts";
import { anyNetwork, needNetwork } from "./ipaddr.ts";
import { usableAt } from "./queries.ts";

/** @throws if the value is not an integer. */
function wholeNumber(value: Value): number {
  if (isInt(value)) return Number(value);
  if (isText(value) && /^\s*[-+]?\d{1,15}\s*$/.test(textOf(value))) return Number(textOf(value));
  throw filterError("a whole number is needed");
}

function wholeBig(value: Value): bigint {
  return typeof value === "bigint" ? value : BigInt(wholeNumber(value));
}

/** The supernets of a network, from the requested prefix length to the next larger one. */
function supernet(network: Address, prefix: number, index: number): Value {
  const count = network.prefix - prefix;
  const at = index < 0 ? count + index : index;
  if (at < 0 || at >= count) return false;
  const around = network.withPrefix(prefix + at);
  return around.cidr(around.first);
}

function subnetAt(network: Address, prefix: number, index: number | undefined): Value {
  if (prefix < 0 || prefix > WIDTH[network.version]) return false;
  const subnet = network.withPrefix(prefix);
  if (prefix < network.prefix) {
    if (network.size > 1n && index !== undefined) return index === 0 && subnet.cidr(network.first);
    if (index !== undefined) return supernet(network, prefix, index);
    if (network.size === 1n) return subnet.cidr(subnet.first);
    throw filterError(`no subnets of length ${prefix} in ${network.cidr()}`);
  }
  const count = 1n << BigInt(prefix - network.prefix);
  if (index === undefined) return String(count);
  const at = index < 0 ? count + BigInt(index) : BigInt(index);
  return at < 0n || at >= count ? false : subnet.cidr(network.first + at * subnet.size);
}

/** The 1-based index of the network among the equal parts of `outer`. */
function rank(network: Address, outer: Address): string {
  if (!outer.includes(network))
    throw filterError(`${network.cidr(network.first)} is not in ${outer.cidr(outer.first)}`);
  return String((network.first - outer.first) / network.size + 1n);
}

function ipsubnet(network: Address | undefined, query: Value, index: Value): Value {
  if (network === undefined) return false;
  const text = isText(query) ? textOf(query) : query;
  if (text === "") return network.cidr(network.first);
  if ((isInt(text) && text >= 0) || (typeof text === "string" && /^\d{1,3}$/.test(text)))
    return subnetAt(network, wholeNumber(text), index === "x" ? undefined : wholeNumber(index));
  // A negative number is no prefix length; it is read as an address, and is none.
  return rank(network, needNetwork(query));
}

/** Fails outside the address range of the version. */
function shifted(network: Address, amount: Value): string {
  const ip = network.ip + wholeBig(amount);
  if (ip < 0n || ip >> BigInt(WIDTH[network.version]) > 0n)
    throw filterError(`no address ${wholeBig(amount)} from ${network.text()}`);
  return network.text(ip);
}

function nthHost(network: Address | undefined, query: Value): Value {
  if (network === undefined || query === "") return false;
  if (isText(query) && !/^-?\d{1,15}$/.test(textOf(query))) return false;
  const index = BigInt(wholeNumber(query));
  const ip = (index < 0n ? network.last + 1n : network.first) + index;
  if (ip < network.first) throw indexError("index out range for address range size!");
  return ip > network.last ? false : network.text(ip);
}

function stepped(network: Address | undefined, offset: Value, sign: 1n | -1n): Value {
  if (network === undefined) return false;
  const ip = network.ip + sign * BigInt(wholeNumber(offset));
  return network.written ? usableAt(network, ip) : null;
}

/** A single address counts as usable. */
function isUsable(outer: Address | undefined, test: Value): boolean {
  const inner = anyNetwork(test);
  if (outer === undefined || inner === undefined || outer.version !== inner.version) return false;
  const [from, to] = outer.usable ?? [outer.ip, outer.ip];
  return from <= inner.first && inner.last <= to;
}

export const subnetFilters: FilterEntries = [
  define("ipsubnet", anyNetwork, "query = '', index = 'x'", ipsubnet),
  define("ipmath", needNetwork, "amount", shifted),
  define("nthhost", anyNetwork, "query = ''", nthHost),
  define("next_nth_usable", anyNetwork, "offset", (network, offset) => stepped(network, offset, 1n)),
  define("previous_nth_usable", anyNetwork, "offset", (network, offset) => stepped(network, offset, -1n)),
  define("network_in_network", anyNetwork, "test", (outer, test) => {
    const inner = anyNetwork(test);
    return outer !== undefined && inner !== undefined && outer.includes(inner);
  }),
  define("network_in_usable", anyNetwork, "test", isUsable),
].flat();
