/** `ip_address(...)`, `ip_network(...)`, `ip_interface(...)` and the constructors of the six classes. */
import { attempt, PyError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { repr } from "../text/repr.ts";
import { PyTuple, typeName, type Value } from "../values/values.ts";
import { first } from "./network.ts";
import { allOnes, parsePrefix, parseV4, parseV6, type Version, WIDTH } from "./numbers.ts";
import { IpAddress, IpInterface, IpNetwork } from "./objects.ts";

interface Read {
  readonly ip: bigint;
  readonly scope: string;
}

export function makeAddress(version: Version, from: Value): IpAddress {
  if (from instanceof IpAddress && from.version === version)
    return new IpAddress(version, from.ip, from.scope);
  if (typeof from === "string" && from.includes("/"))
    throw new PyError("AddressValueError", `Unexpected '/' in '${from}'`);
  const { ip, scope } = read(version, from);
  return new IpAddress(version, ip, scope);
}

function read(version: Version, from: Value): Read {
  if (typeof from === "number" || typeof from === "bigint") {
    const ip = BigInt(from);
    if (ip < 0n || ip > allOnes(version))
      throw new PyError("AddressValueError", `${ip} is not permitted as an IPv${version} address`);
    return { ip, scope: "" };
  }
  if (from instanceof IpAddress && from.version === version) return from;
  if (typeof from !== "string") throw typeError(`expected an address, not '${typeName(from)}'`);
  return version === 4 ? { ip: parseV4(from), scope: "" } : parseV6(from);
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
  const { ip, scope, prefix } = readWithPrefix(version, from, meter);
  return new IpInterface(version, ip, prefix, scope);
}

export function makeNetwork(version: Version, from: Value, strict: boolean, meter: Meter): IpNetwork {
  if (from instanceof IpNetwork && from.version === version) return from;
  const { ip, prefix, scope } = readWithPrefix(version, from, meter);
  if (scope !== "") throw new PyError("AddressValueError", `a network has no scope: '${scope}'`);
  if (strict && first({ version, ip, prefix }) !== ip) {
    const text = typeof from === "string" ? from : repr(from, meter);
    throw valueError(`${text} has host bits set`);
  }
  return IpNetwork.of({ version, ip, prefix });
}

type IpKind = "address" | "network" | "interface";

/** Python tries the next version only for these errors; host bits end the search. */
const WRONG_KIND = ["AddressValueError", "NetmaskValueError", "TypeError"];

/** Makes the object in whichever version accepts the value. */
export function makeAny(kind: IpKind, from: Value, meter: Meter, strict = true): IpAddress | IpNetwork {
  const make = (version: Version): IpAddress | IpNetwork => {
    if (kind === "address") return makeAddress(version, from);
    return kind === "interface"
      ? makeInterface(version, from, meter)
      : makeNetwork(version, from, strict, meter);
  };
  for (const version of [4, 6] as const) {
    const result = attempt<ReturnType<typeof make> | undefined>(
      () => make(version),
      () => undefined,
      ...WRONG_KIND,
    );
    if (result !== undefined) return result;
  }
  throw valueError(`${repr(from, meter)} does not appear to be an IPv4 or IPv6 ${kind}`);
}
