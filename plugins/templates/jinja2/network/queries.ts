/** What `ipaddr("...")` can be asked about an address: one function for each query. */

import { first, hostMask, last, netMask, size } from "../../python/ip/network.ts";
import { reversePointer } from "../../python/ip/numbers.ts";
import type { Value } from "../../python/values.ts";
import { toInt } from "../../python/values.ts";
import { addressError, addressText, cidr, isNetwork, show, usable, type WrittenNetwork } from "./address.ts";
import { isLinkLocal, isLoopback, isMulticast, isPrivate, isPublic, isUnicast } from "./ranges.ts";

/** @param given the value as it was written, which some queries give back. */
export type Query = (network: WrittenNetwork, given: Value) => Value;

/** The first and, of more than two, the last address are no host's, but IPv6 has no broadcast address. */
const isHost = (network: WrittenNetwork): boolean => !isNetwork(network) || size(network) <= 2n;

function when(holds: (network: WrittenNetwork) => boolean): Query {
  return (network, given) => (holds(network) ? given : null);
}

function hostCidr(network: WrittenNetwork): Value {
  const atEnd = network.ip === first(network) || network.ip === last(network);
  return size(network) > 2n && atEnd ? false : cidr(network);
}

/** For queries about the hosts of a network. */
function ofNetwork(answer: (network: WrittenNetwork) => Value): Query {
  return (network) => {
    if (!network.written) throw addressError("Not a network address");
    return answer(network);
  };
}

function interfaceOnly(answer: (network: WrittenNetwork) => string): Query {
  return (network) =>
    size(network) === 2n || (size(network) > 1n && !isNetwork(network)) ? answer(network) : null;
}

function peer(network: WrittenNetwork): Value {
  const count = size(network);
  const position = network.ip - first(network);
  if (count === 2n) return show(network, network.ip ^ 1n);
  if (count !== 4n) throw addressError("Not a point-to-point network");
  if (position === 0n) throw addressError("Network address of /30 has no peer");
  if (position === 3n) throw addressError("Broadcast address of /30 has no peer");
  return show(network, network.ip ^ 3n);
}

function sixToFour(network: WrittenNetwork, given: Value): Value {
  if (network.version === 6) return network.ip >> 112n === 0x2002n ? given : false;
  const one = { ...network, prefix: 32 };
  if (isNetwork(network) || !(isPublic(one) || isPrivate(one))) return false;
  const hex = network.ip.toString(16).padStart(8, "0");
  return `2002:${hex.slice(0, 4)}:${hex.slice(4)}::1/48`;
}

function asIpv4(network: WrittenNetwork, given: Value): Value {
  if (network.version === 4) return given;
  const mapped = network.ip >> 32n === 0xffffn || network.ip >> 32n === 0n;
  if (!mapped || network.prefix < 96) return false;
  return `${addressText(4, network.ip & 0xffffffffn)}/${network.prefix - 96}`;
}

function asIpv6(network: WrittenNetwork, given: Value): Value {
  return network.version === 6
    ? given
    : `${addressText(6, (0xffffn << 32n) | network.ip)}/${network.prefix + 96}`;
}

/** As it was written, in the usual form. */
export function shown(network: WrittenNetwork): string {
  return network.written ? cidr(network) : show(network);
}

function wrapped(network: WrittenNetwork, given: Value): Value {
  if (network.version === 4) return given;
  return network.written ? `[${show(network)}]/${network.prefix}` : `[${show(network)}]`;
}

function usableCount(network: WrittenNetwork): bigint {
  const range = usable(network);
  return range === undefined ? 0n : range[1] - range[0] + 1n;
}

function neighbour(network: WrittenNetwork, step: bigint): Value {
  const range = usable(network);
  const next = network.ip + step;
  return range !== undefined && range[0] <= next && next <= range[1] ? show(network, next) : null;
}

const hostOrNone: Query = (network) => (isHost(network) || network.version === 6 ? show(network) : null);
const mask: Query = (network) => show(network, hostMask(network));
const network: Query = (one) => show(one, first(one));
const subnet: Query = (one) => cidr(one, first(one));
const router: Query = hostCidr;
const loopback = when(isLoopback);

export const queries: ReadonlyMap<string, Query> = new Map<string, Query>([
  ["", shown],
  ["6to4", sixToFour],
  ["address", hostOrNone],
  ["address/prefix", router],
  ["bool", () => true],
  ["broadcast", (one) => (size(one) > 2n ? show(one, last(one)) : null)],
  ["cidr", (one) => cidr(one)],
  ["first_usable", ofNetwork((one) => usableAt(one, 0))],
  ["gateway", router],
  ["gw", router],
  ["host", (one) => (isHost(one) && !(isNetwork(one) && one.version === 6) ? cidr(one) : null)],
  ["host/prefix", router],
  ["hostmask", mask],
  ["hostnet", router],
  ["int", (one) => (one.written ? `${one.ip}/${one.prefix}` : toInt(one.ip))],
  ["ip", hostOrNone],
  ["ip/prefix", interfaceOnly((one) => cidr(one))],
  ["ip_netmask", interfaceOnly((one) => `${show(one)} ${show(one, netMask(one))}`)],
  ["ip_wildcard", interfaceOnly((one) => `${show(one)} ${show(one, hostMask(one))}`)],
  ["ipv4", asIpv4],
  ["ipv6", asIpv6],
  ["last_usable", ofNetwork((one) => usableAt(one, 1))],
  ["link-local", when(isLinkLocal)],
  ["lo", loopback],
  ["loopback", loopback],
  ["multicast", when(isMulticast)],
  ["net", (one) => (isNetwork(one) ? cidr(one) : null)],
  ["netmask", (one) => show(one, netMask(one))],
  ["network", network],
  ["network_id", network],
  ["network/prefix", subnet],
  ["network_netmask", (one) => `${show(one, first(one))} ${show(one, netMask(one))}`],
  ["network_wildcard", (one) => `${show(one, first(one))} ${show(one, hostMask(one))}`],
  ["next_usable", ofNetwork((one) => neighbour(one, 1n))],
  ["peer", ofNetwork(peer)],
  ["prefix", (one) => one.prefix],
  ["previous_usable", ofNetwork((one) => neighbour(one, -1n))],
  ["private", when(isPrivate)],
  ["public", when(isPublic)],
  ["range_usable", ofNetwork(usableRange)],
  ["revdns", ({ version, ip }) => `${reversePointer(version, ip)}.`],
  ["router", router],
  ["router/prefix", router],
  ["size", (one) => toInt(size(one))],
  ["size_usable", (one) => toInt(usableCount(one))],
  ["subnet", subnet],
  ["type", (one) => (isNetwork(one) ? "network" : "address")],
  ["unicast", when(isUnicast)],
  ["v4", asIpv4],
  ["v6", asIpv6],
  ["version", (one) => one.version],
  ["wildcard", mask],
  ["wrap", wrapped],
]);

function usableAt(network: WrittenNetwork, end: 0 | 1): Value {
  const range = usable(network);
  return range === undefined ? null : show(network, range[end]);
}

function usableRange(network: WrittenNetwork): Value {
  const range = usable(network);
  return range === undefined ? null : `${show(network, range[0])}-${show(network, range[1])}`;
}
