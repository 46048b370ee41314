/** Queries of `ipaddr("...")`: one function each. */
import {
  type Network,
  netaddrRanges,
  prefixOfMask,
  reversePointer,
  toInt,
  type Value,
  WIDTH,
  within,
} from "../../python/index.ts";
import { filterError } from "../filters/define.ts";
import { type Address, addressText } from "./address.ts";

/** @param original the value as given, which some queries return. */
export type Query = (network: Address, original: Value) => Value;

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
const isHost = (network: Address): boolean => !network.isNetwork || network.size <= 2n;

function when(holds: (network: Address) => boolean): Query {
  return (network, original) => (holds(network) ? original : null);
}

const hostCidr: Query = (network) => {
  const atEnd = network.ip === network.first || network.ip === network.last;
  return network.size > 2n && atEnd ? false : network.cidr();
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
  return (network) =>
    network.size === 2n || (network.size > 1n && !network.isNetwork) ? answer(network) : null;
}

/** The address if it is in the usable range. */
export function usableAt(network: Address, ip: bigint): Value {
  const { usable } = network;
  return usable !== undefined && usable[0] <= ip && ip <= usable[1] ? network.text(ip) : null;
}

function peer(network: Address): Value {
  const position = network.ip - network.first;
  if (network.size === 2n) return network.text(network.ip ^ 1n);
  if (network.size !== 4n) throw filterError("Not a point-to-point network");
  if (position === 0n) throw filterError("Network address of /30 has no peer");
  if (position === 3n) throw filterError("Broadcast address of /30 has no peer");
  return network.text(network.ip ^ 3n);
}

const sixToFour: Query = (network, original) => {
  if (network.version === 6) return network.ip >> 112n === 0x2002n ? original : false;
  const address = network.withPrefix(32);
  if (network.isNetwork || !(isPublic(address) || isPrivate(address))) return false;
  const hex = network.ip.toString(16).padStart(8, "0");
  return `2002:${hex.slice(0, 4)}:${hex.slice(4)}::1/48`;
};

const asIpv4: Query = (network, original) => {
  if (network.version === 4) return original;
  const mapped = network.ip >> 32n === 0xffffn || network.ip >> 32n === 0n;
  if (!mapped || network.prefix < 96) return false;
  return `${addressText(4, network.ip & 0xffffffffn)}/${network.prefix - 96}`;
};

const asIpv6: Query = (network, original) =>
  network.version === 6
    ? original
    : `${addressText(6, (0xffffn << 32n) | network.ip)}/${network.prefix + 96}`;

/** In normal form, with a prefix length only if one was given. */
export function displayText(network: Address): string {
  return network.written ? network.cidr() : network.text();
}

const wrapped: Query = (network, original) => {
  if (network.version === 4) return original;
  return network.written ? `[${network.text()}]/${network.prefix}` : `[${network.text()}]`;
};

const usableCount = ({ usable }: Address): bigint => (usable === undefined ? 0n : usable[1] - usable[0] + 1n);

/** All queries with their aliases. */
const QUERIES: readonly (readonly [string, Query])[] = [
  ["", displayText],
  ["6to4", sixToFour],
  ["address ip", (network) => (isHost(network) || network.version === 6 ? network.text() : null)],
  ["address/prefix gateway gw host/prefix hostnet router router/prefix", hostCidr],
  ["bool", () => true],
  ["broadcast", (network) => (network.size > 2n ? network.text(network.last) : null)],
  ["cidr", (network) => network.cidr()],
  ["first_usable", ofUsable(([from], network) => network.text(from))],
  [
    "host",
    (network) => (isHost(network) && !(network.isNetwork && network.version === 6) ? network.cidr() : null),
  ],
  ["hostmask wildcard", (network) => network.text(network.hostMask)],
  ["int", (network) => (network.written ? `${network.ip}/${network.prefix}` : toInt(network.ip))],
  ["ip/prefix", interfaceOnly((network) => network.cidr())],
  ["ip_netmask", interfaceOnly((network) => `${network.text()} ${network.text(network.netMask)}`)],
  ["ip_wildcard", interfaceOnly((network) => `${network.text()} ${network.text(network.hostMask)}`)],
  ["ipv4 v4", asIpv4],
  ["ipv6 v6", asIpv6],
  ["last_usable", ofUsable(([, to], network) => network.text(to))],
  ["link-local", when(isLinkLocal)],
  ["lo loopback", when(isLoopback)],
  ["multicast", when(isMulticast)],
  ["net", (network) => (network.isNetwork ? network.cidr() : null)],
  ["netmask", (network) => network.text(network.netMask)],
  ["network network_id", (network) => network.text(network.first)],
  ["network/prefix subnet", (network) => network.cidr(network.first)],
  ["network_netmask", (network) => `${network.text(network.first)} ${network.text(network.netMask)}`],
  ["network_wildcard", (network) => `${network.text(network.first)} ${network.text(network.hostMask)}`],
  ["next_usable", ofNetwork((network) => usableAt(network, network.ip + 1n))],
  ["peer", ofNetwork(peer)],
  ["prefix", (network) => network.prefix],
  ["previous_usable", ofNetwork((network) => usableAt(network, network.ip - 1n))],
  ["private", when(isPrivate)],
  ["public", when(isPublic)],
  ["range_usable", ofUsable(([from, to], network) => `${network.text(from)}-${network.text(to)}`)],
  ["revdns", ({ version, ip }) => `${reversePointer(version, ip)}.`],
  ["size", (network) => toInt(network.size)],
  ["size_usable", (network) => toInt(usableCount(network))],
  ["type", (network) => (network.isNetwork ? "network" : "address")],
  ["unicast", when(isUnicast)],
  ["version", (network) => network.version],
  ["wrap", wrapped],
];

export const queries: ReadonlyMap<string, Query> = new Map(
  QUERIES.flatMap(([names, query]) => names.split(" ").map((name) => [name, query] as const)),
);
