/** A firewall with FortiOS: tables of entries, whose references are checked when an entry is left. */
import type { Random } from "../frr-configurations.ts";
import type { ConfigDevice, SimulatedSystem } from "./device.ts";

interface Field {
  /** What its values name. */
  readonly names?: readonly string[];
  readonly isNeeded?: boolean;
  readonly of?: RegExp;
}
interface Table {
  readonly fields: Readonly<Record<string, Field>>;
  /** An object without entries. */
  readonly isSingle?: boolean;
  readonly fixed?: readonly string[];
  readonly inOrder?: boolean;
}

const any: Field = {};
const ports = ["port1", "port2", "port3", "port4"];
const tables: Readonly<Record<string, Table>> = {
  "system global": {
    isSingle: true,
    fields: { hostname: any, timezone: any, admintimeout: { of: /^\d+$/ } },
  },
  "system interface": {
    fixed: ports.map((port) => `"${port}"`),
    fields: {
      vdom: any,
      ip: any,
      allowaccess: any,
      alias: any,
      description: any,
      status: { of: /^(up|down)$/ },
      interface: { names: ["system interface"] },
      vlanid: { of: /^\d+$/ },
    },
  },
  "system admin": { fields: { accprofile: { isNeeded: true }, password: any, trusthost1: any } },
  "system dns": { isSingle: true, fields: { primary: any, secondary: any } },
  "system ntp": { isSingle: true, fields: { ntpsync: any, syncinterval: any } },
  "system zone": { fields: { interface: { names: ["system interface"] } } },
  "firewall address": { fields: { subnet: any, comment: any, fqdn: any, type: any } },
  "firewall addrgrp": {
    fields: { member: { names: ["firewall address", "firewall addrgrp"], isNeeded: true }, comment: any },
  },
  "firewall service custom": { fields: { "tcp-portrange": any, "udp-portrange": any, comment: any } },
  "firewall service group": { fields: { member: { names: ["firewall service custom"], isNeeded: true } } },
  "firewall policy": {
    inOrder: true,
    fields: {
      name: any,
      srcintf: { names: ["system interface", "system zone"], isNeeded: true },
      dstintf: { names: ["system interface", "system zone"], isNeeded: true },
      action: { of: /^(accept|deny)$/ },
      srcaddr: { names: ["firewall address", "firewall addrgrp"], isNeeded: true },
      dstaddr: { names: ["firewall address", "firewall addrgrp"], isNeeded: true },
      schedule: { isNeeded: true },
      service: { names: ["firewall service custom", "firewall service group"], isNeeded: true },
      logtraffic: any,
      nat: { of: /^(enable|disable)$/ },
      comments: any,
    },
  },
  "router static": {
    fields: {
      dst: any,
      gateway: any,
      device: { names: ["system interface"], isNeeded: true },
      distance: { of: /^\d+$/ },
    },
  },
};

type Entry = Map<string, string>;
const valuesOf = (text: string) =>
  (text.match(/"[^"]*"|\S+/g) ?? []).map((word) => (word.startsWith('"') ? word : `"${word}"`));
const byName = new Intl.Collator("en", { numeric: true });

class FortiDevice implements ConfigDevice {
  readonly #tables = new Map(
    Object.entries(tables).map(([name, { fixed, isSingle }]): [string, Map<string, Entry>] => [
      name,
      new Map((isSingle === true ? [""] : (fixed ?? [])).map((key) => [key, new Map<string, string>()])),
    ]),
  );

  push(lines: readonly string[]): string[] {
    const refused: string[] = [];
    let table: string | undefined;
    let edited: { readonly key: string; readonly entry: Entry } | undefined;
    const leave = (): string | undefined => {
      if (table === undefined || edited === undefined) return undefined;
      const { key, entry } = edited;
      edited = undefined;
      const missing = Object.entries(tables[table]?.fields ?? {}).find(
        ([name, { isNeeded }]) => isNeeded && !entry.has(name),
      );
      if (missing !== undefined) return `${missing[0]} is not set: the entry is discarded`;
      this.#tables.get(table)?.set(key, entry);
      return undefined;
    };
    for (const given of lines) {
      const line = given.trim();
      const [verb = "", first = ""] = line.split(" ");
      const rest = line.slice(verb.length + 1);
      const why = ((): string | undefined => {
        if (line === "" || line.startsWith("#")) return undefined;
        if (verb === "config") {
          if (table !== undefined) return "Unknown action";
          if (tables[rest] === undefined) return "command parse error";
          table = rest;
          if (tables[rest]?.isSingle === true)
            edited = { key: "", entry: new Map(this.#tables.get(rest)?.get("")) };
          return undefined;
        }
        const own = this.#tables.get(table ?? "");
        const schema = tables[table ?? ""];
        if (table === undefined || own === undefined || schema === undefined) return "Unknown action";
        if (line === "end") {
          const told = leave();
          table = undefined;
          return told;
        }
        if (line === "next")
          return edited === undefined || schema.isSingle === true ? "Unknown action" : leave();
        if (verb === "edit" && schema.isSingle !== true && edited === undefined) {
          const known = own.get(rest);
          if (known === undefined && table === "system interface" && /"port/.test(rest))
            return "no such hardware";
          edited = { key: rest, entry: new Map(known) };
          return undefined;
        }
        if (verb === "delete" && edited === undefined) {
          if (!own.has(rest)) return "entry not found";
          if (schema.fixed?.includes(rest) === true) return "hardware";
          if (this.#isUsed(table, rest)) return "entry is used by another object";
          own.delete(rest);
          return undefined;
        }
        if (verb === "move" && edited === undefined && schema.inOrder === true) {
          const [, name = "", where, other = ""] = /^move (\S+) (before|after) (\S+)$/.exec(line) ?? [];
          const moved = own.get(name);
          if (moved === undefined || !own.has(other)) return "entry not found";
          const all = [...own].filter(([key]) => key !== name);
          const at = all.findIndex(([key]) => key === other);
          all.splice(where === "before" ? at : at + 1, 0, [name, moved]);
          own.clear();
          for (const [key, entry] of all) own.set(key, entry);
          return undefined;
        }
        if (edited === undefined) return "command parse error";
        const field = schema.fields[first];
        if (field === undefined) return "command parse error";
        if (verb === "unset") {
          if (field.isNeeded) return "it cannot be unset";
          edited.entry.delete(first);
          return undefined;
        }
        if (verb !== "set") return "command parse error";
        const value = rest.slice(first.length + 1);
        if (value === "" || (field.of !== undefined && !field.of.test(value))) return "value parse error";
        for (const name of field.names === undefined ? [] : valuesOf(value))
          if (
            name !== '"all"' &&
            name !== '"ALL"' &&
            !field.names?.some((one) => this.#tables.get(one)?.has(name))
          )
            return `entry ${name} not found in datasource`;
        edited.entry.set(first, value);
        return undefined;
      })();
      if (why !== undefined) refused.push(`${table ?? ""}/${edited?.key ?? ""}/${line}: ${why}`);
    }
    return refused;
  }

  #isUsed(table: string, key: string): boolean {
    return Object.entries(tables).some(([other, { fields }]) =>
      Object.entries(fields).some(
        ([field, { names }]) =>
          names?.includes(table) === true &&
          [...(this.#tables.get(other)?.values() ?? [])].some((entry) =>
            valuesOf(entry.get(field) ?? "").includes(key),
          ),
      ),
    );
  }

  running(): string {
    const lines = ["#config-version=FGT60F-7.2.5", "#conf_file_ver=1"];
    for (const [name, { fields, isSingle, inOrder }] of Object.entries(tables)) {
      const own = this.#tables.get(name) ?? new Map<string, Entry>();
      const shown = (entry: Entry, indent: string) =>
        Object.keys(fields).flatMap((field) =>
          entry.has(field) ? [`${indent}set ${field} ${entry.get(field)}`] : [],
        );
      const keys = inOrder === true ? [...own.keys()] : [...own.keys()].sort(byName.compare);
      const inside = keys.flatMap((key) => {
        const entry = own.get(key) ?? new Map<string, string>();
        return isSingle === true
          ? shown(entry, "    ")
          : [`    edit ${key}`, ...shown(entry, "        "), "    next"];
      });
      if (inside.length > 0) lines.push(`config ${name}`, ...inside, "end");
    }
    return lines.map((line) => `${line}\n`).join("");
  }
}

export const fortios: SimulatedSystem = {
  make: () => new FortiDevice(),
  lines: ({ one: pick, few, some, below }: Random) => {
    const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
    const table = (name: string, ...lines: readonly string[]) =>
      lines.length === 0 ? [] : [`config ${name}`, ...lines, "end"];
    const entry = (key: string, ...lines: readonly string[]) => [`edit ${key}`, ...lines, "next"];
    const quoted = (all: readonly string[]) => all.map((one) => `"${one}"`).join(" ");
    const vlans = few(["vlan10", "vlan20"], 0.5);
    const addresses = few(["net-a", "net-b", "net-c", "host-d"], 0.7);
    const groups = addresses.length > 0 ? few(["grp-1", "grp-2"], 0.6) : [];
    const services = few(["svc-web", "svc-ssh", "svc-dns"], 0.7);
    const zones = few(["inside", "outside"], 0.4);
    const links = [...ports, ...vlans, ...zones];
    const hosts = ["all", ...addresses, ...groups];
    const offered = ["ALL", ...services];
    const policies: number[] = [];
    for (const id of few([1, 2, 3, 4, 5, 6], 0.7)) policies.splice(below(policies.length + 1), 0, id);
    const words = ["uplink", "to the core", "not used"] as const;
    return [
      ...table(
        "system global",
        ...maybe(0.9, `set hostname "${pick(["fw1", "fw2"])}"`),
        ...maybe(0.5, `set timezone "${pick(["04", "26"])}"`),
        ...maybe(0.3, `set admintimeout ${pick([5, 30])}`),
      ),
      ...table(
        "system interface",
        ...[...few(ports, 0.7), ...vlans].flatMap((name) =>
          entry(
            `"${name}"`,
            'set vdom "root"',
            ...maybe(0.7, `set ip 10.${below(9)}.0.1 255.255.255.0`),
            ...maybe(0.5, `set allowaccess ${pick(["ping", "ping https ssh"])}`),
            ...maybe(0.4, `set alias "${pick(words)}"`),
            ...maybe(0.2, "set status down"),
            ...(name.startsWith("vlan")
              ? [`set interface "${pick(["port1", "port2"])}"`, `set vlanid ${name.slice(4)}`]
              : []),
          ),
        ),
      ),
      ...table(
        "system admin",
        ...few(["ops", "noc"], 0.6).flatMap((name) =>
          entry(
            `"${name}"`,
            `set accprofile "${pick(["super_admin", "prof_admin"])}"`,
            ...maybe(0.5, "set trusthost1 10.0.0.0 255.0.0.0"),
          ),
        ),
      ),
      ...table(
        "system dns",
        ...maybe(0.7, `set primary 192.0.2.${53 + below(2)}`),
        ...maybe(0.4, "set secondary 192.0.2.55"),
      ),
      ...table(
        "system ntp",
        ...maybe(0.5, `set ntpsync ${pick(["enable", "disable"])}`),
        ...maybe(0.4, `set syncinterval ${pick([5, 60])}`),
      ),
      ...table(
        "system zone",
        ...zones.flatMap((name) =>
          entry(`"${name}"`, ...maybe(0.7, `set interface ${quoted(few(ports, 0.4).concat("port4"))}`)),
        ),
      ),
      ...table(
        "firewall address",
        ...addresses.flatMap((name) =>
          entry(
            `"${name}"`,
            ...(some(0.8)
              ? [`set subnet 10.${below(5)}.0.0 255.255.0.0`]
              : ["set type fqdn", 'set fqdn "www.example.net"']),
            ...maybe(0.3, `set comment "${pick(words)}"`),
          ),
        ),
      ),
      ...table(
        "firewall addrgrp",
        ...groups.flatMap((name) =>
          entry(`"${name}"`, `set member ${quoted([...new Set([pick(addresses), ...few(addresses, 0.4)])])}`),
        ),
      ),
      ...table(
        "firewall service custom",
        ...services.flatMap((name) =>
          entry(
            `"${name}"`,
            ...maybe(0.7, `set tcp-portrange ${pick([22, 80, 443])}`),
            ...maybe(0.3, "set udp-portrange 53"),
          ),
        ),
      ),
      ...table(
        "firewall policy",
        ...policies.flatMap((id) =>
          entry(
            String(id),
            ...maybe(0.6, `set name "${pick(words)} ${id}"`),
            `set srcintf "${pick(links)}"`,
            `set dstintf "${pick(links)}"`,
            ...maybe(0.8, "set action accept"),
            `set srcaddr ${quoted([pick(hosts)])}`,
            `set dstaddr ${quoted([...new Set([pick(hosts), pick(hosts)])])}`,
            'set schedule "always"',
            `set service ${quoted([pick(offered)])}`,
            ...maybe(0.4, `set logtraffic ${pick(["all", "disable"])}`),
            ...maybe(0.4, "set nat enable"),
          ),
        ),
      ),
      ...table(
        "router static",
        ...few([1, 2, 3], 0.6).flatMap((id) =>
          entry(
            String(id),
            ...maybe(0.7, `set dst 10.${id}.0.0 255.255.0.0`),
            `set gateway 192.0.2.${1 + below(3)}`,
            `set device "${pick([...ports, ...vlans])}"`,
            ...maybe(0.3, "set distance 20"),
          ),
        ),
      ),
    ];
  },
};
