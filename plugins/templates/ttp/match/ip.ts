/** Match functions on IP addresses. */

import { subtract } from "../../python/arith.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { makeAddress, makeAny, makeInterface, makeNetwork } from "../../python/ip/make.ts";
import { includes } from "../../python/ip/network.ts";
import { IpAddress, IpInterface, type IpNetwork } from "../../python/ip/objects.ts";
import { requireAttribute } from "../../python/methods.ts";
import { toInteger } from "../../python/numbers.ts";
import { str } from "../../python/repr.ts";
import type { Value } from "../../python/values.ts";
import { type DataFunction, decide, keep, type Runtime } from "../runtime.ts";
import { bindArguments, textData } from "./arguments.ts";

/** Version -> the argument that asks for it. */
function wantedVersion(args: readonly Value[]): 4 | 6 | undefined {
  if (args.includes("ipv4")) return 4;
  return args.includes("ipv6") ? 6 : undefined;
}

export function toIp(data: Value, args: readonly Value[], rt: Runtime): IpAddress {
  const given = textData(data, "replace");
  const version = wantedVersion(args);
  const withMask = given.includes("/") || (given.includes(" ") && version !== 6);
  const text = version === 6 ? given : given.replaceAll(" ", "/");
  if (version === undefined) return makeAny(withMask ? "interface" : "address", text, rt.meter) as IpAddress;
  return withMask ? makeInterface(version, text, rt.meter) : makeAddress(version, text);
}

function toNet(data: Value, args: readonly Value[], rt: Runtime): IpNetwork {
  const version = wantedVersion(args);
  if (version === undefined) return makeAny("network", data, rt.meter) as IpNetwork;
  return makeNetwork(version, data, true, rt.meter);
}

const isValueError = (error: unknown): boolean =>
  error instanceof PyError &&
  ["ValueError", "AddressValueError", "NetmaskValueError"].includes(error.pythonType);

/** `undefined` where the text is no address. */
function addressOf(data: Value, args: readonly Value[], rt: Runtime): Value | undefined {
  if (typeof data !== "string") return data;
  try {
    return toIp(data, args, rt);
  } catch (error) {
    if (isValueError(error)) return undefined;
    throw error;
  }
}

const FLAGS = ["is_link_local", "is_loopback", "is_multicast", "is_private", "is_reserved", "is_unspecified"];
const COMMON = ["compressed", "exploded", ...FLAGS, "max_prefixlen", "version"];

function info(ip: IpAddress, rt: Runtime): PyDict {
  const { meter } = rt;
  const read = (owner: Value, name: string): Value => requireAttribute(owner, name, meter);
  const found = new PyDict();
  found.set("ip", ip instanceof IpInterface ? str(read(ip, "ip"), meter) : str(ip, meter));
  for (const name of COMMON) found.set(name, read(ip, name));
  if (!(ip instanceof IpInterface)) return found;
  const { network } = ip;
  for (const name of ["hostmask", "netmask", "network"]) found.set(name, str(read(ip, name), meter));
  for (const name of ["with_hostmask", "with_netmask", "with_prefixlen"]) found.set(name, read(ip, name));
  for (const name of ["broadcast_address", "network_address"])
    found.set(name, str(read(network, name), meter));
  const count = read(network, "num_addresses");
  found.set("num_addresses", count);
  found.set("hosts", subtract(count, 2, meter));
  found.set("prefixlen", network.prefix);
  return found;
}

function onesOf(data: Value): number {
  let ones = 0;
  for (const part of textData(data, "split").split(".")) {
    const number = BigInt(toInteger(part));
    ones += (number < 0n ? -number : number).toString(2).replaceAll("0", "").length;
  }
  return ones;
}

export const ipFunctions: Readonly<Record<string, DataFunction>> = {
  to_ip: (data, args, _kwargs, rt) => keep(toIp(data, args, rt)),
  is_ip: (data, args, _kwargs, rt) => {
    try {
      toIp(data, args, rt);
      return decide(data, true);
    } catch (error) {
      if (error instanceof PyError) return decide(data, false);
      throw error;
    }
  },
  to_net: (data, args, _kwargs, rt) => keep(toNet(data, args, rt)),
  to_cidr: (data, _args, _kwargs, rt) => {
    try {
      return keep(onesOf(data));
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      rt.note(`to_cidr: '${str(data, rt.meter)}' is not a valid netmask`);
      return keep(data);
    }
  },
  ip_info: (data, args, _kwargs, rt) => {
    const ip = addressOf(data, args, rt);
    return keep(ip instanceof IpAddress ? info(ip, rt) : data);
  },
  cidr_match: (data, args, kwargs, rt) => {
    const [given = null] = bindArguments("cidr_match", ["prefix"], args, kwargs);
    const ip = addressOf(data, [], rt);
    if (ip === undefined) return keep(data);
    const network = toNet(rt.vars.get(given) ?? given, [], rt);
    if (!(ip instanceof IpAddress)) return keep(data);
    const own = ip instanceof IpInterface ? ip.network : ip;
    return decide(data, includes(own, network) || includes(network, own));
  },
};
