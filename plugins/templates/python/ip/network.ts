/** Networks as numbers: the addresses of one, and one within another. */
import { addressText, allOnes, type Version, WIDTH } from "./numbers.ts";

/** An address with a prefix: any one of its network. */
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

/** Its address, or another one of its version, with the prefix. */
export function cidr({ version, ip, prefix }: Network, other = ip): string {
  return `${addressText(version, other)}/${prefix}`;
}

/** The network of that length around an address. */
export function around(version: Version, ip: bigint, prefix: number): Network {
  const network = { version, ip, prefix };
  return { ...network, ip: first(network) };
}
