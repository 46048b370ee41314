/** Post-processing of the Netbox and N2G templates. */
import { callValue } from "../../python/call.ts";
import { PyDict } from "../../python/dict.ts";
import { keyError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import { toInteger } from "../../python/numbers.ts";
import { PyTuple, truth, type Value } from "../../python/values.ts";
import { field, isDict, listOf, needText, textOf } from "./values.ts";

const need = (record: PyDict, name: string): Value => {
  const value = record.get(name);
  if (value === undefined) throw keyError(`'${name}'`);
  return value;
};

/** @param marks kinds and what in a name tells them, the first that fits. */
export const interfaceKind =
  (marks: readonly (readonly [kind: string, marks: readonly string[]])[]) =>
  (data: Value): Value => {
    if (!isDict(data)) return data;
    const name = needText(data, "name").toLowerCase();
    const kind = marks.find(([, texts]) => texts.some((text) => name.includes(text)))?.[0];
    data.set("interface_type", kind ?? "other");
    return data;
  };

/** A dictionary of records as a list, the key as their name. */
function named(records: Value | undefined): PyDict[] {
  if (!isDict(records)) return [];
  return records.entries().map(([name, record]) => {
    const made = PyDict.from([["name", name]]);
    if (isDict(record)) for (const [key, value] of record.entries()) made.set(key, value);
    return made;
  });
}

/** Each interface gets the name of the VRF that lists it. */
function spreadVrfs(vrfs: readonly PyDict[], interfaces: Value | undefined): void {
  for (const vrf of vrfs)
    for (const name of listOf(vrf.get("interfaces"))) {
      const found = isDict(interfaces) ? interfaces.get(name) : undefined;
      if (isDict(found) && found.size > 0) found.set("vrf", field(vrf, "name"));
    }
}

export function junosIpData(data: Value): Value {
  if (!isDict(data)) return data;
  for (const host of data.values()) {
    if (!isDict(host)) continue;
    spreadVrfs(named(host.get("vrf")), host.get("interfaces"));
    host.delete("vrf");
  }
  return data;
}

export function junosNetbox(data: Value): Value {
  if (!isDict(data)) return data;
  const vrfs = named(data.get("vrf"));
  data.set("vrf", vrfs);
  spreadVrfs(vrfs, data.get("interfaces"));
  const interfaces = named(data.get("interfaces"));
  data.set("interfaces", interfaces);
  for (const one of interfaces) junosInterface(one);
  return data;
}

function junosInterface(one: PyDict): void {
  const name = textOf(field(one, "name"));
  const has = (...marks: string[]) => marks.some((mark) => name.includes(mark));
  one.set("interface_type", "other");
  if (has("irb")) {
    one.set("interface_type", "bridge");
    const vlan = toInteger(name.split(".")[1] ?? "");
    one.set(
      "switching",
      PyDict.from([
        ["dot1q_mode", "access"],
        ["vlans", [vlan]],
      ]),
    );
  } else if (has(".", "gr-", "lo0", "vlan")) one.set("interface_type", "virtual");
  else if (has("ae")) one.set("interface_type", "lag");
  if (has(".") && !has("lo0", "vlan", "irb", "gr-")) one.set("parent", name.split(".")[0] ?? "");
  const switching = one.get("switching");
  if (isDict(switching)) {
    const vlans = listOf(switching.get("vlans")).map((vlan) => (isDict(vlan) ? need(vlan, "vlan") : vlan));
    if (vlans.length > 0) switching.set("vlans", vlans);
    if (switching.get("dot1q_mode") === "trunk")
      switching.set("dot1q_mode", vlans.includes("all") ? "tagged-all" : "tagged");
  }
  if (!one.has("enabled")) one.set("enabled", true);
  if (!one.has("description")) one.set("description", "");
}

const OPENGEAR: Readonly<Record<string, string>> = { wan: "eth0", lan: "eth1" };

/** Only the two network interfaces are kept. */
export function opengearInterface(data: Value): Value {
  if (!isDict(data) || !truth(field(data, "name"))) return false;
  data.set("description", "");
  const disabled = need(data, "disabled") === "on";
  data.delete("disabled");
  data.set("enabled", !disabled);
  const label = textOf(field(data, "name"));
  const name = OPENGEAR[label];
  if (name === undefined) return false;
  data.set("name", name);
  data.set("label", label);
  data.set("interface_type", "bridge");
  return data;
}

export function opengearOutput(data: Value): Value {
  if (!isDict(data)) return data;
  const interfaces = data.get("interfaces");
  const made = (isDict(interfaces) ? interfaces.entries() : []).flatMap(([name, one]) => {
    if (!isDict(one)) return [];
    const [ip, mask] = [field(one, "ipv4"), field(one, "maskv4")];
    if (truth(ip) && truth(mask)) {
      one.delete("maskv4");
      one.set("ipv4", [
        PyDict.from([
          ["ip", ip],
          ["mask", mask],
        ]),
      ]);
    }
    one.set("name", name);
    return [one];
  });
  data.set("interfaces", made);
  return data;
}

/** @param resuball the language's own function, which the template hands over. */
export function junosLldpPeer(data: Value, resuball: Value, meter: Meter): Value {
  if (!isDict(data)) return data;
  const info = needText(data, "info");
  data.delete("info");
  const words = info.split(" ");
  const alone = words.length === 1;
  const peer = alone ? need(data, "data.chassis_id") : (words.pop() ?? "");
  data.set("data.peer_port_description", alone ? info : words.join(" ").trim());
  data.set("target.id", peer);
  data.set("trgt_label", "");
  // Of a single word the reference looks at its characters.
  const parts = alone ? Array.from(info) : words;
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && !/^\d+$/.test(first)) {
    const result = callValue(resuball, [first, "IfsNormalize"], undefined, meter);
    data.set("trgt_label", result instanceof PyTuple ? (result.items[0] ?? "") : result);
  }
  return data;
}
