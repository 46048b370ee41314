/** IP addresses, networks and interfaces as Python objects. */
import { indexError, PyError, typeError, valueError } from "../errors.ts";
import { limitError, type Meter } from "../limits.ts";
import { formatValue } from "../text/formatspec.ts";
import { PyIterator } from "../values/iterate.ts";
import {
  type Callable,
  type Kwargs,
  type Operator,
  PyFunction,
  PyObject,
  toInt,
  type Value,
} from "../values/values.ts";
import { around, cidr, first, hostMask, includes, last, type Network, netMask, size } from "./network.ts";
import { addressText, allOnes, explodedText, reversePointer, type Version, WIDTH } from "./numbers.ts";
import { ipaddressRanges, isPrivate, within } from "./ranges.ts";

/** An attribute; `undefined` if objects of this version lack it. */
type Attribute<T> = (self: T, meter: Meter) => Value | undefined;

abstract class IpObject extends PyObject implements Network {
  /** Sort and equality key, besides the version. */
  abstract readonly rank: readonly bigint[];
  constructor(
    readonly version: Version,
    readonly ip: bigint,
    readonly prefix: number,
  ) {
    super();
  }
  override repr(meter: Meter): string {
    return `${this.typeName}('${this.str(meter)}')`;
  }
  override equals(other: Value): boolean {
    return other instanceof IpObject && other.typeName === this.typeName && this.compare(other) === 0;
  }
  override hash(): string {
    return `${this.typeName} ${this.rank.join(" ")}`;
  }
  override compare(other: Value): number | undefined {
    if (
      !(other instanceof IpObject) ||
      other.version !== this.version ||
      other.rank.length !== this.rank.length
    )
      return undefined;
    for (const [i, mine] of this.rank.entries()) {
      const its = other.rank[i] ?? 0n;
      if (mine !== its) return mine < its ? -1 : 1;
    }
    return 0;
  }
}

export class IpAddress extends IpObject {
  override get typeName(): string {
    return `IPv${this.version}Address`;
  }
  constructor(
    version: Version,
    ip: bigint,
    readonly scope = "",
  ) {
    super(version, ip, WIDTH[version]);
  }
  override get rank(): readonly bigint[] {
    return [this.ip];
  }
  /** The embedded IPv4 address of `::ffff:0:0/96`. */
  get mapped(): IpAddress | undefined {
    return this.version === 6 && this.ip >> 32n === 0xffffn
      ? new IpAddress(4, this.ip & 0xffffffffn)
      : undefined;
  }
  override str(_meter: Meter): string {
    return addressText(this.version, this.ip, this.scope);
  }
  override int(): bigint {
    return this.ip;
  }
  /** Bits or digits of the whole address; other formats are for text. */
  override format(spec: string, meter: Meter): string {
    if (spec.endsWith("s")) return formatValue(this.str(meter), spec, meter);
    const [whole, sign = "", group, kind = ""] = /^(#?)(_?)([bnxX])$/.exec(spec) ?? [];
    if (whole === undefined)
      throw typeError(`unsupported format string passed to ${this.typeName}.__format__`);
    const radix = kind === "n" ? (this.version === 4 ? "b" : "x") : kind;
    const size = WIDTH[this.version] / (radix === "b" ? 1 : 4);
    const digits = this.ip.toString(radix === "b" ? 2 : 16).padStart(size, "0");
    const cased = radix === "X" ? digits.toUpperCase() : digits;
    const shown = group === "" ? cased : (cased.match(/.{4}/g) ?? []).join("_");
    return sign === "" ? shown : `0${radix}${shown}`;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (reflected || (typeof other !== "number" && typeof other !== "bigint") || (op !== "+" && op !== "-"))
      return undefined;
    const ip = op === "+" ? this.ip + BigInt(other) : this.ip - BigInt(other);
    if (ip < 0n || ip > allOnes(this.version))
      throw new PyError("AddressValueError", `${ip} is not permitted as an IPv${this.version} address`);
    return new IpAddress(this.version, ip);
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    const about = name === "is_private" || name === "is_global" ? (this.mapped ?? this) : this;
    return addressAttributes.get(name)?.(about, meter);
  }
}

export class IpNetwork extends IpObject {
  override get typeName(): string {
    return `IPv${this.version}Network`;
  }
  /** The network that contains an address. */
  static of({ version, ip, prefix }: Network): IpNetwork {
    return new IpNetwork(version, around(version, ip, prefix).ip, prefix);
  }
  override get rank(): readonly bigint[] {
    return [this.ip, netMask(this)];
  }
  override str(_meter: Meter): string {
    return cidr(this);
  }
  at(ip: bigint): IpAddress {
    return new IpAddress(this.version, ip);
  }
  override contains(item: Value): boolean {
    return item instanceof IpAddress && includes(this, { ...item, prefix: WIDTH[item.version] });
  }
  override iterate(meter: Meter): Iterator<Value> {
    return addresses(this.version, this.ip, last(this), meter);
  }
  override getitem(key: Value): Value | undefined {
    if (typeof key !== "number") return undefined;
    const ip = key < 0 ? last(this) + BigInt(key) + 1n : this.ip + BigInt(key);
    if (ip < this.ip || ip > last(this)) throw indexError("address out of range");
    return this.at(ip);
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    return networkAttributes.get(name)?.(this, meter);
  }
  hosts(meter: Meter): Iterator<Value> {
    const { version, ip, prefix } = this;
    if (WIDTH[version] - prefix <= 1) return addresses(version, ip, last(this), meter);
    return addresses(version, ip + 1n, version === 4 ? last(this) - 1n : last(this), meter);
  }
}

/** Lazy: a network may have more addresses than there may be items in a list. */
function* addresses(version: Version, from: bigint, to: bigint, meter: Meter): Generator<Value> {
  const most = from + BigInt(meter.limits.listItems);
  for (let ip = from; ip <= to; ip++) {
    if (ip >= most) throw limitError(`a network of more than ${meter.limits.listItems} addresses`);
    yield new IpAddress(version, ip);
  }
}

export class IpInterface extends IpAddress {
  override get typeName(): string {
    return `IPv${this.version}Interface`;
  }
  readonly network: IpNetwork;
  constructor(version: Version, ip: bigint, prefix: number, scope = "") {
    super(version, ip, scope);
    this.network = IpNetwork.of({ version, ip, prefix });
  }
  override get rank(): readonly bigint[] {
    return [...this.network.rank, this.ip];
  }
  override str(meter: Meter): string {
    return `${super.str(meter)}/${this.network.prefix}`;
  }
  override binary(): undefined {
    return undefined;
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    const read = interfaceAttributes.get(name);
    return read === undefined ? super.getattr(name, meter) : read(this, meter);
  }
}

const kinds = ["link_local", "loopback", "multicast", "private", "reserved", "site_local"] as const;
const is = (block: Network, kind: keyof typeof ipaddressRanges): boolean =>
  kind === "private" ? isPrivate(block) : within(block, ipaddressRanges[kind]);
/** One boolean attribute per category; IPv4 has no site-local addresses. */
const flags = <T extends Network>(
  holds: (self: T, kind: (typeof kinds)[number]) => boolean,
): Record<string, Attribute<T>> =>
  Object.fromEntries(
    kinds.map((kind): [string, Attribute<T>] => [
      `is_${kind}`,
      (self) => (kind === "site_local" && self.version === 4 ? undefined : holds(self, kind)),
    ]),
  );
const table = <T>(attributes: Record<string, Attribute<T>>): ReadonlyMap<string, Attribute<T>> =>
  new Map(Object.entries(attributes));
const method =
  (name: string, body: (self: IpNetwork, ...args: Parameters<Callable>) => Value): Attribute<IpNetwork> =>
  (self) =>
    new PyFunction(name, (...args) => body(self, ...args));
/** A method that takes another network. */
const beside = (
  name: string,
  holds: (network: IpNetwork, other: IpNetwork) => boolean,
): Attribute<IpNetwork> =>
  method(name, (self, [other]) => {
    if (other instanceof IpNetwork) return holds(self, other);
    throw typeError(`${name}() needs a network`);
  });
/** As in Python, made from the text with the prefix length. */
function networkPointer({ version, ip, prefix }: Network): string {
  if (version === 4) return `${cidr({ version, ip, prefix }).split(".").reverse().join(".")}.in-addr.arpa`;
  const text = `${explodedText(version, ip)}/${prefix}`.replaceAll(":", "");
  return `${Array.from(text).reverse().join(".")}.ip6.arpa`;
}

const maskText = ({ version }: Network, mask: bigint): string => addressText(version, mask);

const addressAttributes = table<IpAddress>({
  ...flags(is),
  version: ({ version }) => version,
  max_prefixlen: ({ version }) => WIDTH[version],
  compressed: (self, meter) => self.str(meter),
  exploded: ({ version, ip, scope }) => explodedText(version, ip, scope),
  reverse_pointer: ({ version, ip }) => reversePointer(version, ip),
  is_unspecified: ({ ip }) => ip === 0n,
  is_global: (self) => !is(self, "private") && !is(self, "shared"),
  ipv4_mapped: (self) => (self.version === 4 ? undefined : (self.mapped ?? null)),
  scope_id: ({ version, scope }) => (version === 4 ? undefined : scope === "" ? null : scope),
});

const networkAttributes = table<IpNetwork>({
  ...flags((self, kind) =>
    kind === "private" ? is(self, kind) : is(self.at(self.ip), kind) && is(self.at(last(self)), kind),
  ),
  version: ({ version }) => version,
  max_prefixlen: ({ version }) => WIDTH[version],
  prefixlen: ({ prefix }) => prefix,
  network_address: (self) => self.at(self.ip),
  broadcast_address: (self) => self.at(last(self)),
  netmask: (self) => self.at(netMask(self)),
  hostmask: (self) => self.at(hostMask(self)),
  num_addresses: (self) => toInt(size(self)),
  compressed: (self) => cidr(self),
  exploded: ({ version, ip, prefix }) => `${explodedText(version, ip)}/${prefix}`,
  with_prefixlen: (self) => cidr(self),
  reverse_pointer: networkPointer,
  with_netmask: (self) => `${maskText(self, self.ip)}/${maskText(self, netMask(self))}`,
  with_hostmask: (self) => `${maskText(self, self.ip)}/${maskText(self, hostMask(self))}`,
  is_unspecified: (self) => self.ip === 0n && last(self) === 0n,
  is_global: (self) => !is(self, "private") && !(self.version === 4 && is(self, "shared")),
  hosts: method("hosts", (self, _args, _kwargs, meter) => new PyIterator(self.hosts(meter))),
  overlaps: beside("overlaps", (self, other) => includes(self, other) || includes(other, self)),
  subnet_of: beside("subnet_of", (self, other) => includes(other, self)),
  supernet_of: beside("supernet_of", includes),
  subnets: method(
    "subnets",
    (self, ...args) => new PyIterator(subnets(self, ...args).map((subnet) => IpNetwork.of(subnet))),
  ),
  supernet: method("supernet", (self, args, kwargs) => IpNetwork.of(supernet(self, args, kwargs))),
});

const interfaceAttributes = table<IpInterface>({
  // As in Python, only the interface's own text has a scope id.
  ip: ({ version, ip }) => new IpAddress(version, ip),
  network: ({ network }) => network,
  netmask: ({ network }, meter) => network.getattr("netmask", meter),
  hostmask: ({ network }, meter) => network.getattr("hostmask", meter),
  with_prefixlen: ({ version, ip, network }) => cidr({ version, ip, prefix: network.prefix }),
  reverse_pointer: ({ version, ip, network }) => networkPointer({ version, ip, prefix: network.prefix }),
  exploded: ({ version, ip, network }) => `${explodedText(version, ip)}/${network.prefix}`,
  with_netmask: ({ version, ip, network }) =>
    `${addressText(version, ip)}/${maskText(network, netMask(network))}`,
  with_hostmask: ({ version, ip, network }) =>
    `${addressText(version, ip)}/${maskText(network, hostMask(network))}`,
  is_unspecified: ({ version, ip, network }) => version === 6 && ip === 0n && last(network) === 0n,
  is_loopback: (self) => is(self, "loopback") && (self.version === 4 || is(self.network, "loopback")),
});

/** All attribute names in Python, including those not implemented here. */
export const ipAttributeNames: ReadonlySet<string> = new Set([
  ...[addressAttributes, networkAttributes, interfaceAttributes].flatMap((attributes) => [
    ...attributes.keys(),
  ]),
  ..."sixtofour teredo packed address_exclude compare_networks".split(" "),
]);

/** `subnets()` and `supernet()` of a network. */
function* subnets(
  network: Network,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Generator<Network> {
  const { version } = network;
  // A single address is its only subnet, whatever was asked for.
  if (network.prefix === WIDTH[version]) {
    yield network;
    return;
  }
  const prefix = newPrefix(network, args, kwargs, 1);
  if (prefix < network.prefix || prefix > WIDTH[version]) throw misfit(network, prefix);
  const step = 1n << BigInt(WIDTH[version] - prefix);
  for (let ip = first(network); ip <= last(network); ip += step) {
    meter.step();
    yield { version, ip, prefix };
  }
}

function supernet(network: Network, args: readonly Value[], kwargs: Kwargs | undefined): Network {
  if (network.prefix === 0) return network;
  const prefix = newPrefix(network, args, kwargs, -1);
  if (prefix > network.prefix || prefix < 0) throw misfit(network, prefix);
  return around(network.version, network.ip, prefix);
}

function newPrefix(
  { prefix }: Network,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  sign: 1 | -1,
): number {
  const newPrefix = kwargs?.get("new_prefix") ?? args[1] ?? null;
  const difference = kwargs?.get("prefixlen_diff") ?? args[0] ?? 1;
  return typeof newPrefix === "number" ? newPrefix : prefix + sign * Number(difference);
}

const misfit = (network: Network, prefix: number): Error =>
  valueError(`new prefix ${prefix} does not fit /${network.prefix}`);
