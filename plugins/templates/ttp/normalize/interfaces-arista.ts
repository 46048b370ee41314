/** Interface configuration of Arista: records, or dictionaries of records by name. */
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { createMeter } from "../../python/limits.ts";
import { toInteger } from "../../python/numbers.ts";
import { truth, type Value } from "../../python/values.ts";
import { checked } from "./interfaces.ts";
import { field, intOrNone, isDict, listOf, orElse, sortedNumbers, textOf, withLengths } from "./values.ts";

/** Kilobits a second of `10g`, `100g-4`; the reference gives 10half a tenth of what it is. */
function speedOf(value: Value): Value {
  const [, gigabits, , megabits] = /^(?:(\d+)g(-\d)?|(10|100)(?:full|half))$/.exec(textOf(value)) ?? [];
  if (gigabits !== undefined) return Number(gigabits) * 1_000_000;
  return megabits === undefined ? null : Number(megabits) * 100;
}

function typeOf(name: string): string {
  if (name.includes("vlan")) return "bridge";
  if (name.includes("port-channel")) return "lag";
  return name.includes(".") || name.includes("loopback") ? "virtual" : "other";
}

export function aristaInterfaces(payload: Value): Value {
  return listOf(payload)
    .filter(isDict)
    .flatMap(recordsOf)
    .map((iface) => {
      const name = textOf(field(iface, "name"));
      const lower = name.toLowerCase();
      const type = typeOf(lower);
      const lag = field(iface, "lag_id");
      return checked({
        name,
        type,
        enabled: iface.get("enabled") ?? true,
        parent: name.includes(".") ? (name.split(".")[0] ?? "") : null,
        lag: truth(lag) && type !== "lag" ? `Port-Channel${textOf(lag)}` : null,
        lag_id: lag,
        lag_type: orElse(field(iface, "lag_type"), null),
        lacp_mode: orElse(field(iface, "lacp_mode"), null),
        mtu: field(iface, "mtu"),
        mac_address: field(iface, "mac_address"),
        speed: speedOf(field(iface, "speed")),
        duplex: orElse(
          textOf(orElse(field(iface, "duplex"), ""))
            .trim()
            .toLowerCase(),
          null,
        ),
        description: orElse(field(iface, "description"), ""),
        ...vlansOf(iface, lower),
        ipv4_addresses: withLengths(iface.get("ipv4_addresses")),
        ipv6_addresses: withLengths(iface.get("ipv6_addresses")),
        qinq_svlan: field(iface, "qinq_svlan"),
        vrf: orElse(field(iface, "vrf"), null),
      });
    });
}

function vlansOf(iface: PyDict, name: string): { mode: Value; untagged_vlan: Value; tagged_vlans: Value[] } {
  const given = orElse(field(iface, "untagged_vlan"), null);
  const isSvi = given === null && name.includes("vlan");
  let mode: Value = isSvi ? "access" : orElse(field(iface, "mode"), null);
  const numbers = listOf(iface.get("tagged_vlans")).map(intOrNone);
  let tagged = sortedNumbers(numbers.filter((one) => one !== null));
  if (truth(field(iface, "allowed_vlan_all"))) {
    mode = "tagged-all";
    tagged = [];
  }
  const dot1q = field(iface, "dot1q");
  if (dot1q !== null && !contains(tagged, dot1q, createMeter())) {
    tagged = sortedNumbers([...tagged, dot1q]);
    mode = orElse(mode, "tagged");
  }
  return {
    mode,
    untagged_vlan: isSvi ? toInteger(name.replaceAll("vlan", "")) : given,
    tagged_vlans: tagged,
  };
}

/** One record, or a dictionary of records by name, under `interfaces` or not. */
function recordsOf(item: PyDict): PyDict[] {
  const byName = (records: PyDict, keepOthers: boolean): PyDict[] =>
    records.entries().flatMap(([name, value]) => {
      if (!isDict(value) && !keepOthers) return [];
      const made = isDict(value) ? value.copy() : new PyDict();
      made.set("name", name);
      return [made];
    });
  const inside = item.get("interfaces");
  if (isDict(inside)) return byName(inside, true);
  const hasName = truth(field(item, "name"));
  if (!hasName && item.values().some(isDict)) return byName(item, false);
  return hasName ? [item] : [];
}
