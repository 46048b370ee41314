/** IP addresses, networks and interfaces as Python objects. */
import { indexError, PyError, valueError } from "../../python/errors.ts";
import { allOnes, netmaskOf, type Version, WIDTH } from "../../python/ip/numbers.ts";
import { within } from "../../python/ip/ranges.ts";
import { PyIterator } from "../../python/iterate.ts";
import { limitError, type Meter } from "../../python/limits.ts";
import { type Kwargs, type Operator, PyFunction, PyObject, toInt, type Value } from "../../python/values.ts";
import { addressText, explodedText, reversePointer } from "./texts.ts";

const FLAGS = ["link_local", "loopback", "multicast", "private", "reserved", "site_local"] as const;

abstract class IpObject extends PyObject {
  abstract readonly version: Version;
  /** What orders and equals it, besides the version. */
  abstract readonly rank: readonly bigint[];

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
    override readonly version: Version,
    readonly value: bigint,
    readonly scope = "",
  ) {
    super();
  }
  override get rank(): readonly bigint[] {
    return [this.value];
  }
  override str(_meter: Meter): string {
    return addressText(this.version, this.value, this.scope);
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (reflected || (typeof other !== "number" && typeof other !== "bigint") || (op !== "+" && op !== "-"))
      return undefined;
    const value = op === "+" ? this.value + BigInt(other) : this.value - BigInt(other);
    if (value < 0n || value > allOnes(this.version))
      throw new PyError("AddressValueError", `${value} is not permitted as an IPv${this.version} address`);
    return new IpAddress(this.version, value);
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    const { version, value, scope } = this;
    const mapped = version === 6 && value >> 32n === 0xffffn;
    if (mapped && (name === "is_private" || name === "is_global"))
      return new IpAddress(4, value & 0xffffffffn).getattr(name, meter);
    switch (name) {
      case "version":
        return version;
      case "max_prefixlen":
        return WIDTH[version];
      case "compressed":
        return this.str(meter);
      case "exploded":
        return explodedText(version, value, scope);
      case "is_unspecified":
        return value === 0n;
      case "is_global":
        return !within("private", version, value) && !within("shared", version, value);
      case "reverse_pointer":
        return reversePointer(version, value);
      case "ipv4_mapped":
        if (version === 4) return undefined;
        return mapped ? new IpAddress(4, value & 0xffffffffn) : null;
      case "scope_id":
        if (version === 4) return undefined;
        return scope === "" ? null : scope;
    }
    const flag = FLAGS.find((one) => `is_${one}` === name);
    if (flag === undefined || (flag === "site_local" && version === 4)) return undefined;
    return within(flag, version, value);
  }
}

export class IpNetwork extends IpObject {
  override get typeName(): string {
    return `IPv${this.version}Network`;
  }
  constructor(
    override readonly version: Version,
    readonly value: bigint,
    readonly prefix: number,
  ) {
    super();
  }
  override get rank(): readonly bigint[] {
    return [this.value, netmaskOf(this.version, this.prefix)];
  }
  get last(): bigint {
    return this.value | (netmaskOf(this.version, this.prefix) ^ allOnes(this.version));
  }
  get size(): bigint {
    return this.last - this.value + 1n;
  }
  override str(_meter: Meter): string {
    return `${addressText(this.version, this.value)}/${this.prefix}`;
  }
  overlaps(other: IpNetwork): boolean {
    return this.version === other.version && this.value <= other.last && other.value <= this.last;
  }
  covers(other: IpNetwork): boolean {
    return this.version === other.version && this.value <= other.value && this.last >= other.last;
  }
  override contains(item: Value): boolean {
    return (
      item instanceof IpAddress &&
      item.version === this.version &&
      item.value >= this.value &&
      item.value <= this.last
    );
  }
  override iterate(meter: Meter): Iterator<Value> {
    return addresses(this.version, this.value, this.last, meter);
  }
  override getitem(key: Value): Value | undefined {
    if (typeof key !== "number") return undefined;
    const at = key < 0 ? this.last + BigInt(key) + 1n : this.value + BigInt(key);
    if (at < this.value || at > this.last) throw indexError("address out of range");
    return new IpAddress(this.version, at);
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    const { version, value, prefix, last } = this;
    const mask = netmaskOf(version, prefix);
    const text = addressText(version, value);
    switch (name) {
      case "version":
        return version;
      case "max_prefixlen":
        return WIDTH[version];
      case "prefixlen":
        return prefix;
      case "network_address":
        return new IpAddress(version, value);
      case "broadcast_address":
        return new IpAddress(version, last);
      case "netmask":
        return new IpAddress(version, mask);
      case "hostmask":
        return new IpAddress(version, mask ^ allOnes(version));
      case "num_addresses":
        return toInt(this.size);
      case "with_prefixlen":
      case "compressed":
        return this.str(meter);
      case "exploded":
        return `${explodedText(version, value, "")}/${prefix}`;
      case "with_netmask":
        return `${text}/${addressText(version, mask)}`;
      case "with_hostmask":
        return `${text}/${addressText(version, mask ^ allOnes(version))}`;
      case "is_unspecified":
        return value === 0n && last === 0n;
      case "is_global":
        return version === 4
          ? !(within("shared", 4, value, last) || within("private", 4, value, last))
          : !within("private", 6, value, last);
      case "hosts":
        return new PyFunction("hosts", () => new PyIterator(this.hosts(meter)));
    }
    const flag = FLAGS.find((one) => `is_${one}` === name);
    if (flag === "private") return within(flag, version, value, last);
    if (flag !== undefined) return within(flag, version, value) && within(flag, version, last);
    return networkMethod(this, name);
  }
  private hosts(meter: Meter): Iterator<Value> {
    const { version, value, prefix, last } = this;
    const spare = WIDTH[version] - prefix;
    if (spare <= 1) return addresses(version, value, last, meter);
    return addresses(version, value + 1n, version === 4 ? last - 1n : last, meter);
  }
}

function* addresses(version: Version, first: bigint, last: bigint, meter: Meter): Generator<Value> {
  if (last - first >= BigInt(meter.limits.listItems))
    throw limitError(`a network of more than ${meter.limits.listItems} addresses`);
  for (let at = first; at <= last; at++) yield new IpAddress(version, at);
}

function networkMethod(network: IpNetwork, name: string): Value | undefined {
  const other = (args: readonly Value[]): IpNetwork => {
    const [one] = args;
    if (one instanceof IpNetwork) return one;
    throw new PyError("TypeError", `${name}() needs a network`);
  };
  const bodies: Readonly<
    Record<string, (args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value>
  > = {
    overlaps: (args) => network.overlaps(other(args)),
    subnet_of: (args) => other(args).covers(network),
    supernet_of: (args) => network.covers(other(args)),
    subnets: (args, kwargs, meter) => new PyIterator(subnets(network, args, kwargs, meter)),
    supernet: (args, kwargs) => supernet(network, args, kwargs),
  };
  const body = Object.hasOwn(bodies, name) ? bodies[name] : undefined;
  return body === undefined ? undefined : new PyFunction(name, body);
}

function newPrefix(
  network: IpNetwork,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  sign: 1 | -1,
): number {
  const wanted = kwargs?.get("new_prefix") ?? args[1] ?? null;
  const difference = kwargs?.get("prefixlen_diff") ?? args[0] ?? 1;
  const prefix = typeof wanted === "number" ? wanted : network.prefix + sign * Number(difference);
  const fits =
    sign > 0 ? prefix >= network.prefix && prefix <= WIDTH[network.version] : prefix <= network.prefix;
  if (!fits || prefix < 0) throw valueError(`new prefix ${prefix} does not fit /${network.prefix}`);
  return prefix;
}

function* subnets(
  network: IpNetwork,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Generator<Value> {
  const prefix = newPrefix(network, args, kwargs, 1);
  const step = 1n << BigInt(WIDTH[network.version] - prefix);
  for (let at = network.value; at <= network.last; at += step) {
    meter.step();
    yield new IpNetwork(network.version, at, prefix);
  }
}

function supernet(network: IpNetwork, args: readonly Value[], kwargs: Kwargs | undefined): Value {
  if (network.prefix === 0) return network;
  const prefix = newPrefix(network, args, kwargs, -1);
  return new IpNetwork(network.version, network.value & netmaskOf(network.version, prefix), prefix);
}

export class IpInterface extends IpAddress {
  override get typeName(): string {
    return `IPv${this.version}Interface`;
  }
  readonly network: IpNetwork;
  constructor(version: Version, value: bigint, prefix: number, scope = "") {
    super(version, value, scope);
    this.network = new IpNetwork(version, value & netmaskOf(version, prefix), prefix);
  }
  override get rank(): readonly bigint[] {
    return [...this.network.rank, this.value];
  }
  override str(meter: Meter): string {
    return `${super.str(meter)}/${this.network.prefix}`;
  }
  override binary(): undefined {
    return undefined;
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    const { version, value, scope, network } = this;
    const mask = netmaskOf(version, network.prefix);
    switch (name) {
      case "ip":
        return new IpAddress(version, value, scope);
      case "network":
        return network;
      case "netmask":
      case "hostmask":
        return network.getattr(name, meter);
      case "with_prefixlen":
        return this.str(meter);
      case "exploded":
        return `${explodedText(version, value, scope)}/${network.prefix}`;
      case "with_netmask":
        return `${addressText(version, value, scope)}/${addressText(version, mask)}`;
      case "with_hostmask":
        return `${addressText(version, value, scope)}/${addressText(version, mask ^ allOnes(version))}`;
      case "is_unspecified":
        return version === 6 && value === 0n && network.last === 0n;
      case "is_loopback": {
        const mine = super.getattr(name, meter) ?? false;
        return version === 4 ? mine : mine === true && network.getattr(name, meter) === true;
      }
    }
    return super.getattr(name, meter);
  }
}
