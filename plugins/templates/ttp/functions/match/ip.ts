/** Match functions for IP addresses. */

import {
  attempt,
  type Bound,
  IpAddress,
  IpInterface,
  type IpNetwork,
  includes,
  makeAddress,
  makeAny,
  makeInterface,
  makeNetwork,
  PyDict,
  requireAttribute,
  str,
  subtract,
  toInteger,
  type Value,
} from "../../../python/index.ts";
import { decide, keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { functions, textData, variableOr } from "../functions.ts";

/** The IP version that the arguments select. */
function wantedVersion(args: Bound): 4 | 6 | undefined {
  if (args.includes("ipv4")) return 4;
  return args.includes("ipv6") ? 6 : undefined;
}

export function toIp(data: Value, args: Bound, rt: Runtime): IpAddress {
  const raw = textData(data, "replace");
  const version = wantedVersion(args);
  const withMask = raw.includes("/") || (raw.includes(" ") && version !== 6);
  const text = version === 6 ? raw : raw.replaceAll(" ", "/");
  if (version === undefined) return makeAny(withMask ? "interface" : "address", text, rt.meter) as IpAddress;
  return withMask ? makeInterface(version, text, rt.meter) : makeAddress(version, text);
}

function toNet(data: Value, args: Bound, rt: Runtime): IpNetwork {
  const version = wantedVersion(args);
  if (version === undefined) return makeAny("network", data, rt.meter) as IpNetwork;
  return makeNetwork(version, data, true, rt.meter);
}

/** `undefined` if the text is not an address. */
function addressOf(data: Value, args: Bound, rt: Runtime): Value | undefined {
  if (typeof data !== "string") return data;
  const read = (): Value | undefined => toIp(data, args, rt);
  return attempt(read, () => undefined, "ValueError", "AddressValueError", "NetmaskValueError");
}

const FLAGS = ["is_link_local", "is_loopback", "is_multicast", "is_private", "is_reserved", "is_unspecified"];
const COMMON = ["compressed", "exploded", ...FLAGS, "max_prefixlen", "version"];

function info(ip: IpAddress, rt: Runtime): PyDict {
  const { meter } = rt;
  const read = (owner: Value, name: string): Value => requireAttribute(owner, name, meter);
  const info = new PyDict();
  info.set("ip", ip instanceof IpInterface ? str(read(ip, "ip"), meter) : str(ip, meter));
  for (const name of COMMON) info.set(name, read(ip, name));
  if (!(ip instanceof IpInterface)) return info;
  const { network } = ip;
  for (const name of ["hostmask", "netmask", "network"]) info.set(name, str(read(ip, name), meter));
  for (const name of ["with_hostmask", "with_netmask", "with_prefixlen"]) info.set(name, read(ip, name));
  for (const name of ["broadcast_address", "network_address"])
    info.set(name, str(read(network, name), meter));
  const count = read(network, "num_addresses");
  info.set("num_addresses", count);
  info.set("hosts", subtract(count, 2, meter));
  info.set("prefixlen", network.prefix);
  return info;
}

function onesOf(data: Value): number {
  let ones = 0;
  for (const part of textData(data, "split").split(".")) {
    const number = BigInt(toInteger(part));
    ones += (number < 0n ? -number : number).toString(2).replaceAll("0", "").length;
  }
  return ones;
}

/** Fast check for most addresses, without creating an object. */
const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const PLAIN_V4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);

export const ipFunctions = functions<Outcome>({
  "to_ip(*)": (data, args, rt) => keep(toIp(data, args, rt)),
  "is_ip(*)": (data, args, rt) => {
    if (typeof data === "string" && PLAIN_V4.test(data) && !args.includes("ipv6")) return decide(data, true);
    return attempt(
      () => decide(data, toIp(data, args, rt) !== undefined),
      () => decide(data, false),
    );
  },
  "to_net(*)": (data, args, rt) => keep(toNet(data, args, rt)),
  "to_cidr(*)": (data, _given, rt) =>
    attempt(
      () => keep(onesOf(data)),
      () => {
        rt.note(`to_cidr: '${str(data, rt.meter)}' is not a valid netmask`);
        return keep(data);
      },
    ),
  "ip_info(*)": (data, args, rt) => {
    const ip = addressOf(data, args, rt);
    return keep(ip instanceof IpAddress ? info(ip, rt) : data);
  },
  "cidr_match(prefix)": (data, [prefix = null], rt) => {
    const ip = addressOf(data, [], rt);
    if (ip === undefined) return keep(data);
    const network = toNet(variableOr(rt.vars, prefix), [], rt);
    if (!(ip instanceof IpAddress)) return keep(data);
    const ipNetwork = ip instanceof IpInterface ? ip.network : ip;
    return decide(data, includes(ipNetwork, network) || includes(network, ipNetwork));
  },
});
