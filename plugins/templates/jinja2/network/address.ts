/** Addresses as netaddr, which Ansible's filters use, reads and writes them. */
import { valueError } from "../../python/errors.ts";
import { first, hostMask, includes, last, type Network, netMask, size } from "../../python/ip/network.ts";
import {
  addressText as pythonText,
  readAddress,
  readPrefix,
  type Version,
  WIDTH,
} from "../../python/ip/numbers.ts";

/** An address as it was written, and the network it is in. */
export class Address implements Network {
  constructor(
    readonly version: Version,
    readonly ip: bigint,
    readonly prefix: number = WIDTH[version],
    /** Whether the prefix was written; an address alone counts as /32 or /128. */
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
  /** A whole network was written, not an address in it. */
  get isNetwork(): boolean {
    return this.size > 1n && this.ip === this.first;
  }
  /** The range that hosts use: without network and broadcast address, but both of two. */
  get usable(): readonly [bigint, bigint] | undefined {
    if (this.size === 1n) return undefined;
    return this.size === 2n ? [this.first, this.last] : [this.first + 1n, this.last - 1n];
  }
  includes(inner: Network): boolean {
    return includes(this, inner);
  }
  /** Text of this or another address of the same version. */
  text(ip = this.ip): string {
    return addressText(this.version, ip);
  }
  /** With the prefix, also where none was written. */
  cidr(ip = this.ip): string {
    return `${this.text(ip)}/${this.prefix}`;
  }
  withPrefix(prefix: number): Address {
    return new Address(this.version, this.ip, prefix, this.written);
  }
}

/** The usual short form; an IPv4 address mapped into IPv6 keeps its dots. */
export function addressText(version: Version, ip: bigint): string {
  const high = ip >> 32n;
  const dotted = version === 6 && (high === 0xffffn || (high === 0n && ip > 0xffffn));
  if (!dotted) return pythonText(version, ip);
  return `${high === 0n ? "::" : "::ffff:"}${pythonText(4, ip & 0xffffffffn)}`;
}

/** Without a scope. */
function readPlain(text: string): Address | undefined {
  const read = readAddress(text);
  return read === undefined ? undefined : new Address(read.version, read.ip);
}

const DIGITS = /^\d{1,45}$/;

/** `undefined` for what is no address: text, an integer, or an address with prefix or mask. */
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

function fromInteger(ip: bigint, wanted: Version | undefined): Address | undefined {
  if (ip <= 0n || ip >> 128n > 0n) return undefined;
  return new Address(ip >> 32n > 0n || wanted === 6 ? 6 : 4, ip);
}

/** The fewest networks that cover exactly `from` to `to`. */
export function cover(version: Version, from: bigint, to: bigint, most: number): Address[] {
  const networks: Address[] = [];
  let ip = from;
  while (ip <= to) {
    let bits = 0;
    const grows = () => (ip >> BigInt(bits)) % 2n === 0n && ip + (1n << BigInt(bits + 1)) - 1n <= to;
    while (bits < WIDTH[version] && grows()) bits++;
    networks.push(new Address(version, ip, WIDTH[version] - bits, true));
    if (networks.length > most) throw valueError("too many networks");
    ip += 1n << BigInt(bits);
  }
  return networks;
}
