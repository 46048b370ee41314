/** Interface configuration of A10 and Junos, where other parts of the configuration say more of an interface. */
import { PyDict } from "../../python/dict.ts";
import { eq } from "../../python/equal.ts";
import { toInteger } from "../../python/numbers.ts";
import { truth, type Value } from "../../python/values.ts";
import { checked, record } from "./interfaces.ts";
import {
  dictsOf,
  field,
  intOrNone,
  isDict,
  listOf,
  maskLength,
  orElse,
  sortedNumbers,
  textOf,
  withLengths,
} from "./values.ts";

/** `1/100` and `100` are VLAN 100. */
const vlanId = (identifier: Value): Value =>
  identifier === null ? null : intOrNone(textOf(identifier).split("/").at(-1) ?? "");

const contextOf = (identifier: Value): string => {
  const text = identifier === null ? "" : textOf(identifier);
  return text.includes("/") ? (text.split("/")[0] ?? "") : "";
};

function a10Payload(payload: Value): { interfaces: PyDict[]; vlans: PyDict[] } {
  const interfaces: PyDict[] = [];
  const vlans: PyDict[] = [];
  for (const item of Array.isArray(payload) ? payload : [payload]) {
    if (!isDict(item)) continue;
    interfaces.push(...dictsOf(item.get("interfaces")));
    vlans.push(...dictsOf(item.get("vlans")));
    if (truth(field(item, "kind")) || field(item, "name") === "management") interfaces.push(item);
    if (truth(field(item, "tagged_trunk_id")) || truth(field(item, "router_interface"))) vlans.push(item);
  }
  return { interfaces, vlans };
}

const a10Name = (kind: Value, iface: PyDict): string =>
  kind === "management" ? "management" : `${textOf(kind)} ${textOf(field(iface, "identifier"))}`;

export function a10Interfaces(payload: Value): Value {
  const { interfaces, vlans } = a10Payload(payload);
  const trunkNames = new Map<Value, string>();
  for (const iface of interfaces) {
    const id = vlanId(field(iface, "identifier"));
    if (field(iface, "kind") === "trunk" && id !== null) trunkNames.set(id, a10Name("trunk", iface));
  }
  const tagged = new Map<Value, Value[]>();
  const routed = new Map<string, Value>();
  for (const vlan of vlans) {
    const id = vlanId(field(vlan, "identifier"));
    if (id === null) continue;
    const trunk = field(vlan, "tagged_trunk_id");
    if (trunk !== null) tagged.set(trunk, [...(tagged.get(trunk) ?? []), id]);
    const router = field(vlan, "router_interface");
    if (router !== null) routed.set(`${contextOf(field(vlan, "identifier"))}\0${textOf(router)}`, id);
  }

  return interfaces.flatMap((iface) => {
    const given = field(iface, "kind");
    const kind = !truth(given) && field(iface, "name") === "management" ? "management" : given;
    if (typeof kind !== "string" || !["management", "ethernet", "trunk", "ve"].includes(kind)) return [];
    const identifier = field(iface, "identifier");
    const own = vlanId(identifier);
    const lagId = field(iface, "lag_id");
    const trunkVlans = kind === "trunk" ? sortedNumbers(tagged.get(own) ?? []) : [];
    const isRouted = kind === "ve";
    return [
      checked({
        name: a10Name(kind, iface),
        type: kind === "trunk" ? "lag" : isRouted ? "bridge" : "other",
        enabled: iface.get("enabled") ?? true,
        lag: lagId !== null && kind !== "trunk" ? (trunkNames.get(lagId) ?? `trunk ${textOf(lagId)}`) : null,
        lag_id: lagId,
        lag_type: field(iface, "lag_type"),
        lacp_mode: field(iface, "lacp_mode"),
        mtu: field(iface, "mtu"),
        description: orElse(field(iface, "description"), ""),
        mode: isRouted ? "access" : trunkVlans.length > 0 ? "tagged" : null,
        untagged_vlan: isRouted ? (routed.get(`${contextOf(identifier)}\0${textOf(own)}`) ?? own) : null,
        tagged_vlans: trunkVlans,
        ipv4_addresses: withLengths(iface.get("ipv4_addresses"), maskLength),
        ipv6_addresses: withLengths(iface.get("ipv6_addresses"), maskLength),
      }),
    ];
  });
}

const SPEEDS: Readonly<Record<string, number>> = {
  "10m": 10_000,
  "100m": 100_000,
  "1g": 1_000_000,
  "10g": 10_000_000,
  "25g": 25_000_000,
  "40g": 40_000_000,
  "100g": 100_000_000,
  "400g": 400_000_000,
};

const VIRTUAL = ["lo0", "st0", "ip-", "gr-", "si-", "pd-"];

function junosType(name: string): string {
  const lower = name.toLowerCase();
  if (lower.startsWith("irb")) return "bridge";
  if (lower.startsWith("ae") && !name.includes(".")) return "lag";
  return name.includes(".") || VIRTUAL.some((prefix) => lower.startsWith(prefix)) ? "virtual" : "other";
}

/** The physical interface of a unit; bridges and virtual interfaces have none. */
function junosParent(name: string): string | undefined {
  const bare = ["irb.", "lo0.", ...VIRTUAL].some((prefix) => name.startsWith(prefix));
  return name.includes(".") && !bare ? name.split(".")[0] : undefined;
}

interface Switching {
  mode: Value;
  untagged: Value;
  tagged: Value[];
}

function junosVlans(name: string, type: string, data: PyDict, parent: PyDict): Switching {
  const found: Switching = { mode: null, untagged: null, tagged: [] };
  if (type === "bridge") {
    found.mode = "access";
    found.untagged = name.includes(".") ? toInteger(name.split(".")[1] ?? "") : null;
  }
  const dot1q = field(data, "dot1q");
  if (dot1q !== null) {
    const native = field(parent, "untagged_vlan");
    const isNative = native !== null && eq(native, dot1q);
    found.mode = isNative ? "access" : "tagged";
    if (isNative) found.untagged = native;
    else found.tagged = [toInteger(dot1q)];
  }
  const switching = data.get("switching");
  if (!isDict(switching)) return found;
  const numbers = dictsOf(switching.get("vlans"))
    .filter((one) => truth(field(one, "vlan")))
    .map((one) => intOrNone(field(one, "vlan")))
    .filter((one) => one !== null);
  const mode = switching.get("dot1q_mode");
  if (mode === "trunk") {
    found.mode = "tagged";
    found.tagged = sortedNumbers([...found.tagged, ...numbers]);
  } else if (mode === "access") {
    found.mode = "access";
    found.untagged = numbers[0] ?? found.untagged;
  }
  return found;
}

export function junosInterfaces(payload: Value): Value {
  const items = isDict(payload) ? [payload] : dictsOf(payload);
  const all = new PyDict();
  const vrfs = new Map<string, Value>();
  for (const item of items) {
    const inside = item.get("interfaces");
    if (isDict(inside)) for (const [name, data] of inside.entries()) all.set(name, data);
    const given = item.get("vrf");
    if (!isDict(given)) continue;
    for (const [vrf, info] of given.entries())
      if (isDict(info)) for (const name of listOf(info.get("interfaces"))) vrfs.set(textOf(name), vrf);
  }
  return all.entries().map(([key, value]) => {
    const name = textOf(key);
    const data = isDict(value) ? value : new PyDict();
    const type = junosType(name);
    const parent = junosParent(name);
    const physical = parent === undefined ? undefined : all.get(parent);
    const vlans = junosVlans(name, type, data, isDict(physical) ? physical : new PyDict());
    const lag = field(data, "lag_id");
    const lagId = truth(lag) ? toInteger(textOf(lag).replaceAll("ae", "")) : null;
    const addresses = (field: string) => [
      ...withLengths(data.get(field)),
      ...withLengths(
        dictsOf(data.get(field)).map((one) =>
          PyDict.from([
            ["ip", one.get("vip") ?? null],
            ["mask", one.get("mask") ?? null],
          ]),
        ),
      ),
    ];
    const speed = field(data, "speed");
    const made = {
      name,
      type,
      enabled: data.get("enabled") ?? true,
      parent: parent ?? null,
      lag: lagId !== null && type !== "lag" ? `ae${textOf(lagId)}` : null,
      lag_id: truth(lag) ? lagId : lag,
      lag_type: field(data, "lag_type"),
      lacp_mode: field(data, "lacp_mode"),
      mtu: field(data, "mtu"),
      mac_address: field(data, "mac_address"),
      speed: truth(speed) ? (SPEEDS[textOf(speed).toLowerCase()] ?? null) : null,
      duplex: field(data, "duplex"),
      description: textOf(orElse(field(data, "description"), "")).replace(/^"+|"+$/g, ""),
      mode: vlans.mode,
      untagged_vlan: vlans.untagged,
      tagged_vlans: vlans.tagged,
      ipv4_addresses: addresses("ipv4"),
      ipv6_addresses: addresses("ipv6"),
      vrf: vrfs.get(name) ?? null,
    };
    checked(made);
    return record(made);
  });
}
