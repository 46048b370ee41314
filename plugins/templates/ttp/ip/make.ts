/** `ip_address(...)`, `ip_network(...)`, `ip_interface(...)` and the constructors of the six classes. */
import { PyError, typeError, valueError } from "../../python/errors.ts";
import {
  allOnes,
  netmaskOf,
  parsePrefix,
  parseV4,
  parseV6,
  type Version,
  WIDTH,
} from "../../python/ip/numbers.ts";
import type { Meter } from "../../python/limits.ts";
import { repr } from "../../python/repr.ts";
import { PyTuple, typeName, type Value } from "../../python/values.ts";
import { IpAddress, IpInterface, IpNetwork } from "./objects.ts";

interface Read {
  readonly value: bigint;
  readonly scope: string;
}

export function makeAddress(version: Version, from: Value): IpAddress {
  if (from instanceof IpAddress && from.version === version)
    return new IpAddress(version, from.value, from.scope);
  if (typeof from === "string" && from.includes("/"))
    throw new PyError("AddressValueError", `Unexpected '/' in '${from}'`);
  const { value, scope } = read(version, from);
  return new IpAddress(version, value, scope);
}

function read(version: Version, from: Value): Read {
  if (typeof from === "number" || typeof from === "bigint") {
    const value = BigInt(from);
    if (value < 0n || value > allOnes(version))
      throw new PyError("AddressValueError", `${value} is not permitted as an IPv${version} address`);
    return { value, scope: "" };
  }
  if (from instanceof IpAddress && from.version === version) return from;
  if (typeof from !== "string") throw typeError(`expected an address, not '${typeName(from)}'`);
  return version === 4 ? { value: parseV4(from), scope: "" } : parseV6(from);
}

function readWithPrefix(version: Version, from: Value, meter: Meter): Read & { prefix: number } {
  if (from instanceof PyTuple && from.items.length === 2) {
    const [address = null, prefix = null] = from.items;
    return { ...read(version, address), prefix: parsePrefix(version, String(prefix)) };
  }
  if (from instanceof IpInterface && from.version === version)
    return { ...read(version, from), prefix: from.network.prefix };
  if (typeof from !== "string") return { ...read(version, from), prefix: WIDTH[version] };
  const [address = "", prefix, ...more] = from.split("/");
  if (more.length > 0)
    throw new PyError("AddressValueError", `Only one '/' permitted in ${repr(from, meter)}`);
  return {
    ...read(version, address),
    prefix: prefix === undefined ? WIDTH[version] : parsePrefix(version, prefix),
  };
}

export function makeInterface(version: Version, from: Value, meter: Meter): IpInterface {
  const { value, scope, prefix } = readWithPrefix(version, from, meter);
  return new IpInterface(version, value, prefix, scope);
}

export function makeNetwork(version: Version, from: Value, strict: boolean, meter: Meter): IpNetwork {
  if (from instanceof IpNetwork && from.version === version) return from;
  const { value, prefix, scope } = readWithPrefix(version, from, meter);
  if (scope !== "") throw new PyError("AddressValueError", `a network has no scope: '${scope}'`);
  const network = value & netmaskOf(version, prefix);
  if (strict && network !== value) {
    const text = typeof from === "string" ? from : repr(from, meter);
    throw valueError(`${text} has host bits set`);
  }
  return new IpNetwork(version, network, prefix);
}

type What = "address" | "network" | "interface";

/** Whichever version reads it. */
export function makeAny(what: What, from: Value, meter: Meter, strict = true): IpAddress | IpNetwork {
  for (const version of [4, 6] as const) {
    try {
      if (what === "address") return makeAddress(version, from);
      return what === "interface"
        ? makeInterface(version, from, meter)
        : makeNetwork(version, from, strict, meter);
    } catch (error) {
      // Python goes on to the next version for these two only; host bits end the search.
      const type = error instanceof PyError ? error.pythonType : "";
      const wrongKind = type === "AddressValueError" || type === "NetmaskValueError" || type === "TypeError";
      if (!wrongKind) throw error;
    }
  }
  const kind = what === "address" ? "address" : what;
  throw valueError(`${repr(from, meter)} does not appear to be an IPv4 or IPv6 ${kind}`);
}
