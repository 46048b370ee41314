/** Interface configuration of several systems as records with one fixed set of fields. */

import { multiply } from "../../python/arith.ts";
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { createMeter } from "../../python/limits.ts";
import { truth, type Value } from "../../python/values.ts";
import { interfaceRecord } from "./model.ts";
import {
  dictsOf,
  field,
  intOrNone,
  maskLength,
  needText,
  orElse,
  sortedNumbers,
  textOf,
  withLengths,
} from "./values.ts";

/** What a system says of one interface; what is left out is None. */
export type Interface = Readonly<Record<string, Value>> & { readonly name: string; readonly type: string };

const FIELDS =
  "name type enabled parent lag lag_id lag_type lacp_mode mtu mac_address speed duplex description mode untagged_vlan " +
  "tagged_vlans ipv4_addresses ipv6_addresses qinq_svlan vrf";

export function record(values: Interface, without: readonly string[] = []): PyDict {
  const made = new PyDict();
  for (const name of FIELDS.split(" ")) if (!without.includes(name)) made.set(name, values[name] ?? null);
  return made;
}

export const checked = (values: Interface): PyDict => interfaceRecord.check(record(values));

const has = (name: string, ...marks: string[]): boolean =>
  marks.some((mark) => name.toLowerCase().includes(mark));
const parentOf = (name: string): Value => (name.includes(".") ? (name.split(".")[0] ?? "") : null);
const enabled = (iface: PyDict): Value => iface.get("enabled") ?? true;
const description = (iface: PyDict): Value => orElse(field(iface, "description"), "");
const thousandfold = (value: Value): Value => multiply(value, 1000, createMeter());

/** Numbers in texts, lists and lists of lists. */
function vlanNumbers(values: Value): Value[] {
  if (values === null) return [];
  const found = (Array.isArray(values) ? values : [values]).flatMap((item): Value[] =>
    Array.isArray(item)
      ? vlanNumbers(item)
      : textOf(item)
          .split(",")
          .map(intOrNone)
          .filter((one) => one !== null),
  );
  return sortedNumbers(found);
}

interface Vlans {
  mode: Value;
  untagged: Value;
  tagged: Value[];
}

function vlansOf(iface: PyDict): Vlans {
  const found: Vlans = {
    mode: field(iface, "mode"),
    untagged: field(iface, "untagged_vlan"),
    tagged: vlanNumbers(field(iface, "tagged_vlans")),
  };
  const dot1q = field(iface, "dot1q");
  if (dot1q !== null && !contains(found.tagged, dot1q, createMeter())) {
    found.tagged = sortedNumbers([...found.tagged, dot1q]);
    found.mode = orElse(found.mode, "tagged");
  }
  return found;
}

function guessedMode(vlans: Vlans): Value {
  if (vlans.mode !== null) return vlans.mode;
  if (vlans.untagged !== null) return "access";
  return vlans.tagged.length > 0 ? "tagged" : null;
}

export function iosInterfaces(payload: Value): Value {
  return named(payload).map((iface) => {
    const name = needText(iface, "name");
    const type = has(name, "vlan", "bvi")
      ? "bridge"
      : has(name, "port-channel")
        ? "lag"
        : has(name, ".", "loopback", "tunnel")
          ? "virtual"
          : "other";
    const vlans = vlansOf(iface);
    if (type === "bridge") {
      const prefix = has(name, "vlan") ? "vlan" : "bvi";
      vlans.untagged = intOrNone(name.toLowerCase().replace(prefix, ""));
      vlans.mode = "access";
    } else vlans.mode = guessedMode(vlans);
    const speed = intOrNone(field(iface, "speed"));
    return checked({
      ...common(iface, name, type, vlans),
      lag: lagName("Port-channel", iface, type),
      mtu: orElse(field(iface, "mtu"), null),
      speed: speed === null ? null : thousandfold(speed),
      qinq_svlan: field(iface, "qinq_svlan"),
    });
  });
}

export function nxosInterfaces(payload: Value): Value {
  return named(payload).map((iface) => {
    const name = needText(iface, "name");
    const type = has(name, "vlan")
      ? "bridge"
      : has(name, "port-channel")
        ? "lag"
        : has(name, ".", "loopback", "tunnel", "nve")
          ? "virtual"
          : "other";
    const vlans = vlansOf(iface);
    const own = type === "bridge" ? intOrNone(name.toLowerCase().replaceAll("vlan", "")) : null;
    if (own !== null) {
      vlans.untagged = own;
      vlans.mode = "access";
    } else if (type !== "bridge") vlans.mode = guessedMode(vlans);
    const speed = field(iface, "speed");
    return checked({
      ...common(iface, name, type, vlans),
      lag: lagName("Port-channel", iface, type),
      speed: speed === null ? null : thousandfold(speed),
    });
  });
}

const named = (payload: Value): PyDict[] => dictsOf(payload).filter((one) => truth(field(one, "name")));

function lagName(prefix: string, iface: PyDict, type: string): Value {
  const id = field(iface, "lag_id");
  return truth(id) && type !== "lag" ? prefix + textOf(id) : null;
}

function common(iface: PyDict, name: string, type: string, vlans: Vlans): Interface {
  return {
    name,
    type,
    enabled: enabled(iface),
    parent: parentOf(name),
    lag_id: field(iface, "lag_id"),
    lag_type: field(iface, "lag_type"),
    lacp_mode: field(iface, "lacp_mode"),
    mtu: field(iface, "mtu"),
    mac_address: field(iface, "mac_address"),
    duplex: field(iface, "duplex"),
    description: description(iface),
    mode: vlans.mode,
    untagged_vlan: vlans.untagged,
    tagged_vlans: vlans.tagged,
    ipv4_addresses: withLengths(iface.get("ipv4_addresses"), maskLength),
    ipv6_addresses: withLengths(iface.get("ipv6_addresses"), maskLength),
    vrf: field(iface, "vrf"),
  };
}

export function xrInterfaces(payload: Value): Value {
  return named(payload).map((iface) => {
    const name = needText(iface, "name");
    const bridge = has(name, "bvi");
    const type = bridge
      ? "bridge"
      : has(name, ".", "loopback", "tunnel")
        ? "virtual"
        : has(name, "bundle")
          ? "lag"
          : "other";
    const dot1q = field(iface, "dot1q");
    const speed = field(iface, "speed");
    const values = common(iface, name, type, {
      mode: bridge ? "access" : field(iface, "mode"),
      untagged: bridge ? intOrNone(name.toLowerCase().replaceAll("bvi", "")) : field(iface, "untagged"),
      tagged: dot1q === null ? [] : [dot1q],
    });
    const made = {
      ...values,
      lag: lagName("Bundle-Ether", iface, type),
      speed: speed === null ? null : thousandfold(speed),
      ipv6_addresses: withLengths(iface.get("ipv6_addresses")),
    };
    checked(made);
    return record(made);
  });
}

const LINUX_VIRTUAL = ["dummy", "gpd", "gre", "ipip", "sit", "tun", "tap", "vrf", "wg"];

function linuxType(name: string, flags: readonly string[]): string {
  const starts = (...prefixes: string[]) => prefixes.some((prefix) => name.toLowerCase().startsWith(prefix));
  if (starts("br", "docker")) return "bridge";
  if (starts("bond", "team")) return "lag";
  const marked = ["LOOPBACK", "POINTOPOINT", "MASTER"].some((flag) => flags.includes(flag));
  return name.toLowerCase() === "lo" || starts(...LINUX_VIRTUAL) || marked || name.includes(".")
    ? "virtual"
    : "other";
}

export function linuxInterfaces(payload: Value): Value {
  return named(payload).map((iface) => {
    const name = needText(iface, "name");
    const flags = textOf(iface.get("flags") ?? "")
      .split(",")
      .map((flag) => flag.trim());
    const master = field(iface, "master");
    return checked({
      name,
      type: linuxType(name, flags),
      enabled: flags.includes("UP"),
      parent: parentOf(name),
      mtu: orElse(field(iface, "mtu"), null),
      mac_address: field(iface, "mac_address"),
      description: "",
      tagged_vlans: [],
      ipv4_addresses: withLengths(iface.get("ipv4_addresses")),
      ipv6_addresses: withLengths(iface.get("ipv6_addresses")),
      vrf: typeof master === "string" && master.toLowerCase().startsWith("vrf") ? master : null,
    });
  });
}
