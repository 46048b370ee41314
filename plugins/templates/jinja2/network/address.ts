/** IP addresses with their prefix: reading, writing, and the numbers of their network. */
import ipaddr from "ipaddr.js";
import { PyError, valueError } from "../../python/errors.ts";

export interface Network {
  readonly version: 4 | 6;
  readonly ip: bigint;
  readonly prefix: number;
  /** Whether the prefix was written; an address alone counts as /32 or /128. */
  readonly written: boolean;
}

export function width(version: 4 | 6): number {
  return version === 4 ? 32 : 128;
}

export function addressError(message: string): PyError {
  return new PyError("AnsibleFilterError", message);
}

const OCTETS = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

export function parseAddress(text: string): { version: 4 | 6; ip: bigint } | undefined {
  if (OCTETS.test(text)) {
    const bytes = text.split(".").map(Number);
    return bytes.every((byte) => byte < 256) ? { version: 4, ip: fromBytes(bytes) } : undefined;
  }
  if (!text.includes(":") || text.includes("%") || text.length > 45) return undefined;
  const hex = withoutDots(text);
  return ipaddr.IPv6.isValid(hex)
    ? { version: 6, ip: fromBytes(ipaddr.IPv6.parse(hex).toByteArray()) }
    : undefined;
}

/** The library takes `::1.2.3.4` for a mapped address, so dots at the end become hexadecimal first. */
function withoutDots(text: string): string {
  const at = text.lastIndexOf(":") + 1;
  const tail = text.slice(at);
  if (!OCTETS.test(tail)) return text;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split(".").map(Number);
  if (Math.max(a, b, c, d) > 255) return text;
  return `${text.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function fromBytes(bytes: readonly number[]): bigint {
  return bytes.reduce((ip, byte) => (ip << 8n) | BigInt(byte), 0n);
}

function toBytes(version: 4 | 6, ip: bigint): number[] {
  return Array.from({ length: width(version) / 8 }, (_, i) =>
    Number((ip >> BigInt(width(version) - 8 - 8 * i)) & 255n),
  );
}

/** The usual short form; an IPv4 address mapped into IPv6 keeps its dots. */
export function addressText(version: 4 | 6, ip: bigint): string {
  const bytes = toBytes(version, ip);
  if (version === 4) return bytes.join(".");
  if (ip >> 32n === 0xffffn || (ip >> 32n === 0n && ip > 0xffffn)) {
    return `${ip >> 32n === 0n ? "::" : "::ffff:"}${bytes.slice(12).join(".")}`;
  }
  return ipaddr.fromByteArray(bytes).toString();
}

/** `undefined` for what is no address: text, an integer, or an address with prefix or mask. */
export function parseNetwork(value: string | number | bigint, version?: 4 | 6): Network | undefined {
  if (typeof value !== "string") return fromInteger(BigInt(value), version);
  const text = value.trim();
  if (DIGITS.test(text)) return fromInteger(BigInt(text), version);
  const [address = "", mask, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const parsed = DIGITS.test(address) ? fromInteger(BigInt(address), undefined) : parseAddress(address);
  if (parsed === undefined) return undefined;
  if (mask === undefined) return { ...parsed, prefix: width(parsed.version), written: false };
  const prefix = parsePrefix(mask, parsed.version);
  return prefix === undefined ? undefined : { ...parsed, prefix, written: true };
}

const DIGITS = /^\d{1,45}$/;

function fromInteger(ip: bigint, wanted: 4 | 6 | undefined): Network | undefined {
  if (ip <= 0n || ip >> 128n > 0n) return undefined;
  const version = ip >> 32n > 0n || wanted === 6 ? 6 : 4;
  return { version, ip, prefix: width(version), written: false };
}

/** A number of bits, a netmask or a hostmask. */
function parsePrefix(mask: string, version: 4 | 6): number | undefined {
  if (/^\d{1,3}$/.test(mask)) return Number(mask) <= width(version) ? Number(mask) : undefined;
  const parsed = parseAddress(mask);
  if (parsed === undefined || parsed.version !== version) return undefined;
  const bits = parsed.ip.toString(2).padStart(width(version), "0");
  const match = /^(1*)0*$/.exec(bits) ?? undefined;
  if (match !== undefined) return match[1]?.length ?? 0;
  const host = /^(0*)1*$/.exec(bits);
  return host === null ? undefined : host[1]?.length;
}

export function textOfAddress({ version, ip }: Network): string {
  return addressText(version, ip);
}

/** With the prefix, also where none was written. */
export function cidr(network: Network, ip = network.ip): string {
  return `${addressText(network.version, ip)}/${network.prefix}`;
}

export function size({ version, prefix }: Network): bigint {
  return 1n << BigInt(width(version) - prefix);
}

export function hostMask(network: Network): bigint {
  return size(network) - 1n;
}

export function netMask(network: Network): bigint {
  return ((1n << BigInt(width(network.version))) - 1n) ^ hostMask(network);
}

export function first(network: Network): bigint {
  return network.ip & netMask(network);
}

export function last(network: Network): bigint {
  return network.ip | hostMask(network);
}

/** An address of the network's own version. */
export function show(network: Network, ip: bigint): string {
  return addressText(network.version, ip);
}

/** A whole network was written, not an address in it. */
export function isNetwork(network: Network): boolean {
  return size(network) > 1n && network.ip === first(network);
}

export function includes(outer: Network, inner: Network): boolean {
  return outer.version === inner.version && first(outer) <= first(inner) && last(inner) <= last(outer);
}

/** The range that hosts use: without network and broadcast address, but both of two. */
export function usable(network: Network): readonly [bigint, bigint] | undefined {
  const count = size(network);
  if (count === 1n) return undefined;
  if (count === 2n) return [first(network), last(network)];
  return [first(network) + 1n, last(network) - 1n];
}

/** The fewest networks that cover exactly `from` to `to`. */
export function cover(version: 4 | 6, from: bigint, to: bigint, most: number): Network[] {
  const networks: Network[] = [];
  let ip = from;
  while (ip <= to) {
    let bits = 0;
    while (
      bits < width(version) &&
      (ip >> BigInt(bits)) % 2n === 0n &&
      ip + (1n << BigInt(bits + 1)) - 1n <= to
    )
      bits++;
    networks.push({ version, ip, prefix: width(version) - bits, written: true });
    if (networks.length > most) throw valueError("too many networks");
    ip += 1n << BigInt(bits);
  }
  return networks;
}
