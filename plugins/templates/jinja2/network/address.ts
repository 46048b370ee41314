/** Parses and formats addresses as netaddr does, which Ansible's filters use. */

import {
  covering,
  first,
  hostMask,
  includes,
  last,
  type Network,
  netMask,
  addressText as pythonText,
  readAddress,
  readPrefix,
  size,
  type Version,
  valueError,
  WIDTH,
} from "../../python/index.ts";
/** An address as given, with its network. */
export class Address implements Network {
  constructor(
    readonly version: Version,
    readonly ip: bigint,
    readonly prefix: number = WIDTH[version],
    /** Whether the prefix length was given; a bare address counts as /32 or /128. */
    readonly written = false,
  ) {}
  get size(): bigint {
    return size(this);
  }
  get netMask(): bigint {
    return netMask(this);
  }
  get hostMask(): bigint {
    return hostMask(this);
  }
  get first(): bigint {
    return first(this);
  }
  get last(): bigint {
    return last(this);
  }
  /** Whether it was given as a network address, without host bits. */
  get isNetwork(): boolean {
    return this.size > 1n && this.ip === this.first;
  }
  /** The usable host range: without network and broadcast address, but both addresses of a pair. */
  get usable(): readonly [bigint, bigint] | undefined {
    if (this.size === 1n) return undefined;
    return this.size === 2n ? [this.first, this.last] : [this.first + 1n, this.last - 1n];
  }
  includes(inner: Network): boolean {
    return includes(this, inner);
  }
  /** Formats this or another address of the same version. */
  text(ip = this.ip): string {
    return addressText(this.version, ip);
  }
  /** In CIDR notation, even if no prefix length was given. */
  cidr(ip = this.ip): string {
    return `${this.text(ip)}/${this.prefix}`;
  }
  withPrefix(prefix: number): Address {
    return new Address(this.version, this.ip, prefix, this.written);
  }
}

/** The usual short form; IPv4-mapped IPv6 addresses keep dotted notation. */
export function addressText(version: Version, ip: bigint): string {
  const high = ip >> 32n;
  const dotted = version === 6 && (high === 0xffffn || (high === 0n && ip > 0xffffn));
  if (!dotted) return pythonText(version, ip);
  return `${high === 0n ? "::" : "::ffff:"}${pythonText(4, ip & 0xffffffffn)}`;
}

/** Parses an address without a scope id. */
function readPlain(text: string): Address | undefined {
  const read = readAddress(text);
  return read === undefined ? undefined : new Address(read.version, read.ip);
}

const DIGITS = /^\d{1,45}$/;

/** Parses an integer or text, with optional prefix length or mask; `undefined` if it is not an address. */
export function parseNetwork(value: string | number | bigint, version?: Version): Address | undefined {
  if (typeof value !== "string") return fromInteger(BigInt(value), version);
  const text = value.trim();
  if (DIGITS.test(text)) return fromInteger(BigInt(text), version);
  const [address = "", mask, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const parsed = DIGITS.test(address) ? fromInteger(BigInt(address), undefined) : readPlain(address);
  if (parsed === undefined || mask === undefined) return parsed;
  const prefix = readPrefix(parsed.version, mask);
  return prefix === undefined ? undefined : new Address(parsed.version, parsed.ip, prefix, true);
}

function fromInteger(ip: bigint, version: Version | undefined): Address | undefined {
  if (ip < 0n || ip >> 128n > 0n) return undefined;
  return new Address(ip >> 32n > 0n || version === 6 ? 6 : 4, ip);
}

/** The smallest set of networks that covers exactly `from` to `to`. */
export function cover(version: Version, from: bigint, to: bigint, maxNetworks: number): Address[] {
  const networks: Address[] = [];
  for (const { ip, prefix } of covering(version, from, to)) {
    networks.push(new Address(version, ip, prefix, true));
    if (networks.length > maxNetworks) throw valueError("too many networks");
  }
  return networks;
}
