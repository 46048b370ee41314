/** Addresses as netaddr, which Ansible's filters use, reads and writes them. */
import { PyError, valueError } from "../../python/errors.ts";
import { first, last, type Network, size } from "../../python/ip/network.ts";
import {
  prefixOfMask,
  addressText as pythonText,
  readAddress,
  type Version,
  WIDTH,
} from "../../python/ip/numbers.ts";

export interface WrittenNetwork extends Network {
  /** Whether the prefix was written; an address alone counts as /32 or /128. */
  readonly written: boolean;
}

export function addressError(message: string): PyError {
  return new PyError("AnsibleFilterError", message);
}

/** Without a scope. */
export function parseAddress(text: string): { version: Version; ip: bigint } | undefined {
  return text.includes("%") ? undefined : readAddress(text);
}

/** The usual short form; an IPv4 address mapped into IPv6 keeps its dots. */
export function addressText(version: Version, ip: bigint): string {
  const high = ip >> 32n;
  const dotted = version === 6 && (high === 0xffffn || (high === 0n && ip > 0xffffn));
  if (!dotted) return pythonText(version, ip);
  return `${high === 0n ? "::" : "::ffff:"}${pythonText(4, ip & 0xffffffffn)}`;
}

/** `undefined` for what is no address: text, an integer, or an address with prefix or mask. */
export function parseNetwork(value: string | number | bigint, version?: Version): WrittenNetwork | undefined {
  if (typeof value !== "string") return fromInteger(BigInt(value), version);
  const text = value.trim();
  if (DIGITS.test(text)) return fromInteger(BigInt(text), version);
  const [address = "", mask, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const parsed = DIGITS.test(address) ? fromInteger(BigInt(address), undefined) : parseAddress(address);
  if (parsed === undefined) return undefined;
  if (mask === undefined) return { ...parsed, prefix: WIDTH[parsed.version], written: false };
  const prefix = parsePrefix(mask, parsed.version);
  return prefix === undefined ? undefined : { ...parsed, prefix, written: true };
}

const DIGITS = /^\d{1,45}$/;

function fromInteger(ip: bigint, wanted: Version | undefined): WrittenNetwork | undefined {
  if (ip <= 0n || ip >> 128n > 0n) return undefined;
  const version = ip >> 32n > 0n || wanted === 6 ? 6 : 4;
  return { version, ip, prefix: WIDTH[version], written: false };
}

/** A number of bits, a netmask or a hostmask. */
function parsePrefix(mask: string, version: Version): number | undefined {
  if (/^\d{1,3}$/.test(mask)) return Number(mask) <= WIDTH[version] ? Number(mask) : undefined;
  const parsed = parseAddress(mask);
  return parsed?.version === version ? prefixOfMask(version, parsed.ip) : undefined;
}

/** Its address, or another one of its version. */
export function show({ version, ip }: Network, other = ip): string {
  return addressText(version, other);
}

/** With the prefix, also where none was written. */
export function cidr(network: Network, ip = network.ip): string {
  return `${show(network, ip)}/${network.prefix}`;
}

/** A whole network was written, not an address in it. */
export function isNetwork(network: Network): boolean {
  return size(network) > 1n && network.ip === first(network);
}

/** The range that hosts use: without network and broadcast address, but both of two. */
export function usable(network: Network): readonly [bigint, bigint] | undefined {
  const count = size(network);
  if (count === 1n) return undefined;
  if (count === 2n) return [first(network), last(network)];
  return [first(network) + 1n, last(network) - 1n];
}

/** The fewest networks that cover exactly `from` to `to`. */
export function cover(version: Version, from: bigint, to: bigint, most: number): Network[] {
  const networks: Network[] = [];
  let ip = from;
  while (ip <= to) {
    let bits = 0;
    while (
      bits < WIDTH[version] &&
      (ip >> BigInt(bits)) % 2n === 0n &&
      ip + (1n << BigInt(bits + 1)) - 1n <= to
    )
      bits++;
    networks.push({ version, ip, prefix: WIDTH[version] - bits });
    if (networks.length > most) throw valueError("too many networks");
    ip += 1n << BigInt(bits);
  }
  return networks;
}
