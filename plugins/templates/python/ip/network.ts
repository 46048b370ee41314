/** Networks as numbers: their address ranges, and containment. */
import { addressText, allOnes, type Version, WIDTH } from "./numbers.ts";

/** An address with its prefix length; host bits may be set. */
export interface Network {
  readonly version: Version;
  readonly ip: bigint;
  readonly prefix: number;
}

export const size = ({ version, prefix }: Network): bigint => 1n << BigInt(WIDTH[version] - prefix);
export const hostMask = (network: Network): bigint => size(network) - 1n;
export const netMask = (network: Network): bigint => allOnes(network.version) ^ hostMask(network);
export const first = (network: Network): bigint => network.ip & netMask(network);
export const last = (network: Network): bigint => network.ip | hostMask(network);

export function includes(outer: Network, inner: Network): boolean {
  return outer.version === inner.version && first(outer) <= first(inner) && last(inner) <= last(outer);
}

/** An address in CIDR notation; `other` replaces the address. */
export function cidr({ version, ip, prefix }: Network, other = ip): string {
  return `${addressText(version, other)}/${prefix}`;
}

/** The network of a prefix length that contains an address. */
export function around(version: Version, ip: bigint, prefix: number): Network {
  const network = { version, ip, prefix };
  return { ...network, ip: first(network) };
}
