/** Queries of `ipaddr("...")`: one function each. */
import type { Network } from "../../python/ip/network.ts";
import { prefixOfMask, reversePointer, WIDTH } from "../../python/ip/numbers.ts";
import { netaddrRanges, within } from "../../python/ip/ranges.ts";
import { toInt, type Value } from "../../python/values.ts";
import { filterError } from "../filters/define.ts";
import { type Address, addressText } from "./address.ts";

/** @param given the value as given, which some queries return. */
export type Query = (network: Address, given: Value) => Value;

/** A public address that reads as a netmask most likely is one, so it does not count as public. */
const isMask = ({ version, ip }: Network): boolean => prefixOfMask(version, ip) !== undefined;

const addressOnly = ({ version, ip }: Network): Network => ({ version, ip, prefix: WIDTH[version] });

const isMulticast = (network: Network): boolean => within(network, netaddrRanges.multicast);
const isUnicast = (network: Network): boolean => !isMulticast(network);
const isPrivate = (network: Network): boolean => within(network, netaddrRanges.private);
/** These test the address alone and ignore the prefix length. */
const isLinkLocal = (network: Network): boolean => within(addressOnly(network), netaddrRanges.link_local);
const isLoopback = (network: Network): boolean => within(addressOnly(network), netaddrRanges.loopback);
const isPublic = (network: Network): boolean => {
  const address = addressOnly(network);
  return isUnicast(address) && !isPrivate(address) && !isLoopback(address) && !isMask(address);
};

/** A network address is not a host address unless the network has at most two addresses. */
const isHost = (one: Address): boolean => !one.isNetwork || one.size <= 2n;

function when(holds: (network: Address) => boolean): Query {
  return (network, given) => (holds(network) ? given : null);
}

const hostCidr: Query = (one) => {
  const atEnd = one.ip === one.first || one.ip === one.last;
  return one.size > 2n && atEnd ? false : one.cidr();
};

/** A query that needs a network. */
function ofNetwork(answer: (network: Address) => Value): Query {
  return (network) => {
    if (!network.written) throw filterError("Not a network address");
    return answer(network);
  };
}

/** A query on the usable host range. */
function ofUsable(answer: (range: readonly [bigint, bigint], network: Address) => Value): Query {
  return ofNetwork((network) => (network.usable === undefined ? null : answer(network.usable, network)));
}

function interfaceOnly(answer: (network: Address) => string): Query {
  return (one) => (one.size === 2n || (one.size > 1n && !one.isNetwork) ? answer(one) : null);
}

/** The address if it is in the usable range. */
export function usableAt(network: Address, ip: bigint): Value {
  const { usable } = network;
  return usable !== undefined && usable[0] <= ip && ip <= usable[1] ? network.text(ip) : null;
}

function peer(one: Address): Value {
  const position = one.ip - one.first;
  if (one.size === 2n) return one.text(one.ip ^ 1n);
  if (one.size !== 4n) throw filterError("Not a point-to-point network");
  if (position === 0n) throw filterError("Network address of /30 has no peer");
  if (position === 3n) throw filterError("Broadcast address of /30 has no peer");
  return one.text(one.ip ^ 3n);
}

const sixToFour: Query = (one, given) => {
  if (one.version === 6) return one.ip >> 112n === 0x2002n ? given : false;
  const address = one.withPrefix(32);
  if (one.isNetwork || !(isPublic(address) || isPrivate(address))) return false;
  const hex = one.ip.toString(16).padStart(8, "0");
  return `2002:${hex.slice(0, 4)}:${hex.slice(4)}::1/48`;
};

const asIpv4: Query = (one, given) => {
  if (one.version === 4) return given;
  const mapped = one.ip >> 32n === 0xffffn || one.ip >> 32n === 0n;
  if (!mapped || one.prefix < 96) return false;
  return `${addressText(4, one.ip & 0xffffffffn)}/${one.prefix - 96}`;
};

const asIpv6: Query = (one, given) =>
  one.version === 6 ? given : `${addressText(6, (0xffffn << 32n) | one.ip)}/${one.prefix + 96}`;

/** In normal form, with a prefix length only if one was given. */
export function shown(one: Address): string {
  return one.written ? one.cidr() : one.text();
}

const wrapped: Query = (one, given) => {
  if (one.version === 4) return given;
  return one.written ? `[${one.text()}]/${one.prefix}` : `[${one.text()}]`;
};

const usableCount = ({ usable }: Address): bigint => (usable === undefined ? 0n : usable[1] - usable[0] + 1n);

/** All queries with their aliases. */
const QUERIES: readonly (readonly [string, Query])[] = [
  ["", shown],
  ["6to4", sixToFour],
  ["address ip", (one) => (isHost(one) || one.version === 6 ? one.text() : null)],
  ["address/prefix gateway gw host/prefix hostnet router router/prefix", hostCidr],
  ["bool", () => true],
  ["broadcast", (one) => (one.size > 2n ? one.text(one.last) : null)],
  ["cidr", (one) => one.cidr()],
  ["first_usable", ofUsable(([from], one) => one.text(from))],
  ["host", (one) => (isHost(one) && !(one.isNetwork && one.version === 6) ? one.cidr() : null)],
  ["hostmask wildcard", (one) => one.text(one.hostMask)],
  ["int", (one) => (one.written ? `${one.ip}/${one.prefix}` : toInt(one.ip))],
  ["ip/prefix", interfaceOnly((one) => one.cidr())],
  ["ip_netmask", interfaceOnly((one) => `${one.text()} ${one.text(one.netMask)}`)],
  ["ip_wildcard", interfaceOnly((one) => `${one.text()} ${one.text(one.hostMask)}`)],
  ["ipv4 v4", asIpv4],
  ["ipv6 v6", asIpv6],
  ["last_usable", ofUsable(([, to], one) => one.text(to))],
  ["link-local", when(isLinkLocal)],
  ["lo loopback", when(isLoopback)],
  ["multicast", when(isMulticast)],
  ["net", (one) => (one.isNetwork ? one.cidr() : null)],
  ["netmask", (one) => one.text(one.netMask)],
  ["network network_id", (one) => one.text(one.first)],
  ["network/prefix subnet", (one) => one.cidr(one.first)],
  ["network_netmask", (one) => `${one.text(one.first)} ${one.text(one.netMask)}`],
  ["network_wildcard", (one) => `${one.text(one.first)} ${one.text(one.hostMask)}`],
  ["next_usable", ofNetwork((one) => usableAt(one, one.ip + 1n))],
  ["peer", ofNetwork(peer)],
  ["prefix", (one) => one.prefix],
  ["previous_usable", ofNetwork((one) => usableAt(one, one.ip - 1n))],
  ["private", when(isPrivate)],
  ["public", when(isPublic)],
  ["range_usable", ofUsable(([from, to], one) => `${one.text(from)}-${one.text(to)}`)],
  ["revdns", ({ version, ip }) => `${reversePointer(version, ip)}.`],
  ["size", (one) => toInt(one.size)],
  ["size_usable", (one) => toInt(usableCount(one))],
  ["type", (one) => (one.isNetwork ? "network" : "address")],
  ["unicast", when(isUnicast)],
  ["version", (one) => one.version],
  ["wrap", wrapped],
];

export const queries: ReadonlyMap<string, Query> = new Map(
  QUERIES.flatMap(([names, query]) => names.split(" ").map((name) => [name, query] as const)),
);
