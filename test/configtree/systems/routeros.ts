/**
 * A router with RouterOS: menus of entries that name each other by themselves, not by their names. Its commands are read
 * here anew, from the documentation of the console, and `find` compares what an entry has.
 */
import type { Random } from "../frr-configurations.ts";
import type { ConfigDevice, SimulatedSystem } from "./device.ts";

interface Property {
  readonly of?: RegExp;
  /** Its value is an entry of one of these menus; `list`: several, with commas. */
  readonly names?: readonly string[];
  readonly isList?: true;
  readonly isNeeded?: true;
  readonly otherwise?: string;
  /** It cannot be taken away by `!`. */
  readonly stays?: true;
}
interface MenuSchema {
  readonly properties: Readonly<Record<string, Property>>;
  /** Only settings. */
  readonly isSingle?: true;
  /** Entries that are there, by name. */
  readonly fixed?: readonly string[];
  /** How a port is exported. */
  readonly by?: string;
  readonly inOrder?: true;
  readonly unique?: readonly (readonly string[])[];
  /** Entries that are named cannot be removed. */
  readonly isKept?: true;
}

const interfaces = ["/interface ethernet", "/interface bridge", "/interface vlan"];
const any: Property = {};
const port: Property = { names: interfaces, isNeeded: true };
const common = {
  comment: { otherwise: '""' },
  disabled: { of: /^(?:yes|no)$/, otherwise: "no", stays: true },
} as const;
const rule: MenuSchema = {
  inOrder: true,
  properties: {
    action: {
      of: /^(?:accept|drop|reject|masquerade|dst-nat|fasttrack-connection)$/,
      otherwise: "accept",
      stays: true,
    },
    chain: { isNeeded: true },
    ...common,
    "connection-state": any,
    "dst-address": any,
    "dst-port": any,
    "in-interface": { names: interfaces },
    "in-interface-list": { names: ["/interface list"] },
    "out-interface": { names: interfaces },
    protocol: any,
    "src-address": any,
    "src-address-list": any,
    "to-addresses": any,
  },
};
const number: Property = { of: /^\d+$/ };

const menus: Readonly<Record<string, MenuSchema>> = {
  "/interface bridge": {
    unique: [["name"]],
    properties: {
      ...common,
      name: { isNeeded: true },
      "vlan-filtering": { of: /^(?:yes|no)$/, otherwise: "no", stays: true },
    },
  },
  "/interface ethernet": {
    fixed: ["ether1", "ether2", "ether3", "ether4"],
    by: "default-name",
    properties: { ...common, mtu: { ...number, otherwise: "1500", stays: true }, name: { isNeeded: true } },
  },
  "/interface vlan": {
    unique: [["name"], ["interface", "vlan-id"]],
    properties: {
      ...common,
      interface: port,
      name: { isNeeded: true },
      "vlan-id": { ...number, isNeeded: true },
    },
  },
  "/interface list": {
    unique: [["name"]],
    isKept: true,
    properties: { comment: common.comment, name: { isNeeded: true } },
  },
  "/ip pool": {
    unique: [["name"]],
    properties: { comment: common.comment, name: { isNeeded: true }, ranges: { isNeeded: true } },
  },
  "/interface bridge port": {
    unique: [["interface"]],
    properties: {
      bridge: { names: ["/interface bridge"], isNeeded: true },
      ...common,
      interface: port,
      pvid: { ...number, otherwise: "1", stays: true },
    },
  },
  "/interface list member": {
    unique: [["interface", "list"]],
    properties: { ...common, interface: port, list: { names: ["/interface list"], isNeeded: true } },
  },
  "/ip address": {
    unique: [["address", "interface"]],
    properties: { address: { of: /^[\d.]+\/\d+$/, isNeeded: true }, ...common, interface: port },
  },
  "/ip dns": {
    isSingle: true,
    properties: {
      "allow-remote-requests": { of: /^(?:yes|no)$/, otherwise: "no", stays: true },
      servers: { otherwise: '""', stays: true },
    },
  },
  "/ip firewall address-list": {
    unique: [["address", "list"]],
    properties: { address: { isNeeded: true }, ...common, list: { isNeeded: true } },
  },
  "/ip firewall filter": rule,
  "/ip firewall nat": rule,
  "/ip route": {
    unique: [["dst-address", "gateway", "routing-table"]],
    properties: {
      ...common,
      distance: { ...number, otherwise: "1", stays: true },
      "dst-address": { otherwise: "0.0.0.0/0", stays: true },
      gateway: { isNeeded: true },
      "routing-table": { otherwise: "main", stays: true },
    },
  },
  "/ip service": {
    fixed: ["api", "ftp", "ssh", "telnet", "winbox", "www"],
    properties: {
      address: { otherwise: '""', stays: true },
      disabled: common.disabled,
      port: { ...number, stays: true },
    },
  },
  "/snmp": {
    isSingle: true,
    properties: {
      contact: { otherwise: '""', stays: true },
      enabled: { of: /^(?:yes|no)$/, otherwise: "no", stays: true },
      location: { otherwise: '""', stays: true },
    },
  },
  "/system identity": { isSingle: true, properties: { name: { otherwise: "MikroTik", stays: true } } },
  "/system logging": {
    properties: {
      action: { isNeeded: true },
      disabled: common.disabled,
      prefix: any,
      topics: { isNeeded: true },
    },
  },
};
const servicePorts: Readonly<Record<string, string>> = {
  api: "8728",
  ftp: "21",
  ssh: "22",
  telnet: "23",
  winbox: "8291",
  www: "80",
};

interface Item {
  readonly id: number;
  readonly menu: string;
  readonly fixed: string | undefined;
  /** Of a property that names entries: `*7,*8`. */
  readonly values: Map<string, string>;
}

/** Words, with quotes and brackets as part of them. */
const wordsIn = (line: string) =>
  line.match(/(?:"(?:[^"\\]|\\.)*"|\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]|\S)+/g) ?? [];
const plain = (text: string) => (/^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text);
const quoted = (text: string) =>
  /^[\w.,:/@%+*-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

class RouterDevice implements ConfigDevice {
  readonly #isTerse: boolean;
  #items: Item[] = [];
  #id = 0;

  constructor(isTerse: boolean) {
    this.#isTerse = isTerse;
    for (const [menu, { fixed = [], isSingle, by }] of Object.entries(menus))
      for (const name of isSingle === true ? [""] : fixed) {
        const port = servicePorts[name];
        const values = new Map(
          by === undefined ? (port === undefined ? [] : [["port", port]]) : [["name", name]],
        );
        this.#items.push({ id: ++this.#id, menu, fixed: name, values });
      }
  }

  push(lines: readonly string[]): string[] {
    const refused: string[] = [];
    let menu = "";
    for (const line of lines) {
      const words = wordsIn(line);
      const isRoot = line.startsWith("/");
      const at = words.findIndex((word) => /^(?:add|set|remove|move)$/.test(word));
      const path = (at < 0 ? words : words.slice(0, at)).join(" ");
      if (at < 0) {
        if (menus[path] === undefined) refused.push(`${line}: bad command name`);
        else menu = path;
        continue;
      }
      const here = isRoot ? path : menu;
      const why =
        menus[here] === undefined
          ? "bad command name"
          : this.#take(here, words[at] ?? "", words.slice(at + 1));
      if (why !== undefined) refused.push(`${line}: ${why}`);
    }
    return refused;
  }

  #take(menu: string, verb: string, words: readonly string[]): string | undefined {
    const schema = menus[menu] ?? { properties: {} };
    const isAbout = words[0] !== undefined && !/^!?[a-z-]+=|^!/.test(words[0]);
    const about = isAbout ? words[0] : undefined;
    const given = words.slice(isAbout ? 1 : 0);
    if (verb === "remove" || verb === "move") {
      const found = this.#found(menu, about ?? "");
      if (typeof found === "string") return found;
      if (found.length === 0) return about?.startsWith("[") === true ? "nothing was found" : "no such item";
      return verb === "remove" ? this.#remove(found) : this.#move(menu, found, given[0]);
    }
    const said: [string, string | undefined][] = [];
    for (const word of given) {
      const [, not, name = "", value] = /^(!?)([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
      const property = schema.properties[name];
      if (property === undefined) return `expected end of command: ${word}`;
      if (not === "!") {
        if (property.stays === true || property.isNeeded === true) return `${name} cannot be taken away`;
        said.push([name, undefined]);
        continue;
      }
      const text = plain(value ?? "");
      if (property.of?.test(text) === false) return `invalid value for argument ${name}`;
      if (property.names === undefined) said.push([name, text]);
      else {
        const ids = (property.isList === true ? text.split(",") : [text]).map((one) =>
          this.#named(property.names ?? [], one),
        );
        if (ids.some((id) => id === undefined)) return `input does not match any value of ${name}`;
        said.push([name, ids.map((id) => `*${id}`).join(",")]);
      }
    }
    if (verb === "add") {
      if (schema.fixed !== undefined || schema.isSingle === true) return "bad command name add";
      return this.#put({ id: ++this.#id, menu, fixed: undefined, values: new Map() }, said);
    }
    const found =
      schema.isSingle === true
        ? this.#items.filter((item) => item.menu === menu)
        : this.#found(menu, about ?? "");
    if (typeof found === "string") return found;
    if (found.length !== 1) return `${found.length} items were found`;
    return found[0] && this.#put(found[0], said);
  }

  #named(names: readonly string[], text: string): number | undefined {
    return this.#items.find((item) => names.includes(item.menu) && item.values.get("name") === text)?.id;
  }

  #put(item: Item, said: readonly (readonly [string, string | undefined])[]): string | undefined {
    const { properties, unique = [] } = menus[item.menu] ?? { properties: {} };
    const values = new Map(item.values);
    for (const [name, value] of said) {
      if (value === undefined || quoted(value) === properties[name]?.otherwise) values.delete(name);
      else values.set(name, value);
    }
    const missing = Object.entries(properties).find(([name, { isNeeded }]) => isNeeded && !values.has(name));
    if (missing !== undefined) return `missing value(s) of argument(s) ${missing[0]}`;
    const all = [...unique, ...(values.has("name") ? [["name"]] : [])];
    const isTaken = (keys: readonly string[], other: Item) =>
      other.id !== item.id &&
      (other.menu === item.menu ||
        (keys[0] === "name" && interfaces.includes(item.menu) && interfaces.includes(other.menu))) &&
      keys.every((key) => other.values.get(key) === values.get(key));
    if (item.fixed !== "" && all.some((keys) => this.#items.some((other) => isTaken(keys, other))))
      return "failure: already have such";
    item.values.clear();
    for (const [name, value] of values) item.values.set(name, value);
    if (!this.#items.includes(item)) this.#items.push(item);
    return undefined;
  }

  #remove(found: readonly Item[]): string | undefined {
    for (const item of found) {
      if (item.fixed !== undefined) return "failure: can not remove";
      const isNamed = this.#items.some(({ values }) =>
        [...values.values()].some((value) => value.split(",").includes(`*${item.id}`)),
      );
      if (isNamed && menus[item.menu]?.isKept === true) return "failure: in use";
      this.#items = this.#items.filter((other) => other !== item);
    }
    return undefined;
  }

  #move(menu: string, moved: readonly Item[], destination: string | undefined): string | undefined {
    if (menus[menu]?.inOrder !== true) return "bad command name move";
    const found =
      destination === undefined ? [] : this.#found(menu, destination.replace(/^destination=/, ""));
    if (typeof found === "string") return found;
    if (destination !== undefined && found.length !== 1) return "no such item";
    const rest = this.#items.filter((item) => !moved.includes(item));
    const at = found[0] === undefined ? rest.length : rest.indexOf(found[0]);
    this.#items = [...rest.slice(0, at), ...moved, ...rest.slice(at)];
    return undefined;
  }

  #shown(item: Item, name: string): string | undefined {
    const value = item.values.get(name);
    if (value === undefined || !value.startsWith("*"))
      return value ?? plain(menus[item.menu]?.properties[name]?.otherwise ?? "");
    return value
      .split(",")
      .map((one) => this.#items.find(({ id }) => `*${id}` === one)?.values.get("name") ?? one)
      .join(",");
  }

  #found(menu: string, about: string): Item[] | string {
    const all = this.#items.filter((item) => item.menu === menu);
    const picked = /^\[ :pick (\[.*\]) (\d+) \]$/.exec(about);
    if (picked !== null) {
      const inner = this.#found(menu, picked[1] ?? "");
      return typeof inner === "string" ? inner : inner.slice(Number(picked[2]), Number(picked[2]) + 1);
    }
    const search = /^\[ find (.*) \]$/.exec(about)?.[1];
    if (search === undefined) {
      const one = all.filter((item) => item.fixed === about || item.values.get("name") === plain(about));
      return one.length === 0 ? "no such item" : one;
    }
    const wanted = wordsIn(search).map(
      (word) => [word.slice(0, word.indexOf("=")), plain(word.slice(word.indexOf("=") + 1))] as const,
    );
    return all.filter((item) =>
      wanted.every(
        ([name, value]) => (name === "default-name" ? item.fixed : this.#shown(item, name)) === value,
      ),
    );
  }

  running(): string {
    const lines = ["# 2026-11-30 10:00:00 by RouterOS 7.12.1", "# software id = AAAA-BBBB", "#"];
    for (const [menu, { properties, fixed, isSingle, by, inOrder }] of Object.entries(menus)) {
      const commands = this.#items
        .filter((item) => item.menu === menu)
        .flatMap((item) => {
          const said = Object.keys(properties).flatMap((name) => {
            if (!item.values.has(name)) return [];
            const value = this.#shown(item, name) ?? "";
            const isOwn =
              (name === "name" && value === item.fixed) ||
              (name === "port" && value === servicePorts[item.fixed ?? ""]);
            return isOwn ? [] : [`${name}=${quoted(value)}`];
          });
          if (item.fixed === undefined) return [`add ${said.join(" ")}`];
          const on =
            isSingle === true ? "" : by === undefined ? `${item.fixed} ` : `[ find ${by}=${item.fixed} ] `;
          return said.length === 0 ? [] : [`set ${on}${said.join(" ")}`];
        });
      if (inOrder !== true && fixed === undefined) commands.sort();
      if (commands.length === 0) continue;
      if (this.#isTerse) lines.push(...commands.map((command) => `${menu} ${command}`));
      else lines.push(menu, ...commands.flatMap(wrapped));
    }
    return lines.map((line) => `${line}\n`).join("");
  }
}

/** At 79 columns, also in the middle of a word. */
function wrapped(command: string): string[] {
  const lines: string[] = [];
  let rest = command;
  while (rest.length > 78) {
    // Blanks at the beginning of a line mean nothing.
    let at = 76 - (lines.length === 0 ? 0 : 4);
    while (rest[at] === " " || rest[at - 1] === "\\") at--;
    lines.push(`${lines.length === 0 ? "" : "    "}${rest.slice(0, at)}\\`);
    rest = rest.slice(at);
  }
  return [...lines, `${lines.length === 0 ? "" : "    "}${rest}`];
}

const lines: SimulatedSystem["lines"] = ({ one: pick, few, some, below }: Random) => {
  const maybe = (chance: number, text: string) => (some(chance) ? ` ${text}` : "");
  const words = ["uplink", '"to the core"', '"say \\"no\\""', "not-used"] as const;
  const said = () => maybe(0.3, `comment=${pick(words)}`) + maybe(0.2, "disabled=yes");
  const ports = ["ether1", "ether2", "ether3", "ether4"];
  const renamed = few(["ether1", "ether2"], 0.3);
  const names = ports.map((name) => (renamed.includes(name) ? `wan-${name}` : name));
  const vlans = few([10, 20, 30], 0.6);
  const parent = pick(["bridge1", ...names]);
  const vlanNames = vlans.map((id) => `vlan${id}`);
  const all = ["bridge1", ...names, ...vlanNames];
  const lists = few(["LAN", "WAN"], 0.6);
  const rules = (menu: string, chains: readonly string[], actions: readonly string[]) =>
    Array.from({ length: below(9) }, () => {
      const ways = [
        maybe(0.4, `src-address=10.${below(3)}.0.0/16`),
        maybe(0.3, `in-interface=${pick(all)}`),
        lists.length > 0 ? maybe(0.2, `in-interface-list=${pick(lists)}`) : "",
        some(0.4) ? ` protocol=tcp dst-port=${pick([22, 80, 443])}` : "",
        maybe(0.2, "connection-state=established,related"),
      ];
      return `${menu} add chain=${pick(chains)}${maybe(0.8, `action=${pick(actions)}`)}${ways.join("")}${said()}`;
    });
  return [
    `/interface bridge add name=bridge1${maybe(0.4, "vlan-filtering=yes")}${maybe(0.3, `comment=${pick(words)}`)}`,
    ...ports.flatMap((name) => {
      const own = `${renamed.includes(name) ? ` name=wan-${name}` : ""}${maybe(0.3, "mtu=9000")}${said()}`;
      return own === "" ? [] : [`/interface ethernet set [ find default-name=${name} ]${own}`];
    }),
    ...vlans.map((id) => `/interface vlan add name=vlan${id} vlan-id=${id} interface=${parent}${said()}`),
    ...lists.map((name) => `/interface list add name=${name}`),
    ...few([1, 2, 3], 0.4).map(
      (id) => `/ip pool add name=pool${id} ranges=10.${id}.0.10-10.${id}.0.${90 + below(9)}`,
    ),
    ...few(names, 0.5).map(
      (name) =>
        `/interface bridge port add bridge=bridge1 interface=${name}${maybe(0.4, `pvid=${pick([10, 20])}`)}${said()}`,
    ),
    ...lists.flatMap((list) =>
      few(all, 0.3).map((name) => `/interface list member add list=${list} interface=${name}`),
    ),
    ...few([1, 2, 3, 4, 5], 0.5).map(
      (id) => `/ip address add address=10.${id}.0.1/24 interface=${pick(all)}${said()}`,
    ),
    ...(some(0.6) ? [`/ip dns set servers=192.0.2.53${maybe(0.5, "allow-remote-requests=yes")}`] : []),
    ...few(["10.0.0.0/8", "192.0.2.0/24", "198.51.100.7"], 0.5).map(
      (address) => `/ip firewall address-list add list=mgmt address=${address}${said()}`,
    ),
    ...rules("/ip firewall filter", ["input", "forward"], ["accept", "drop", "reject"]),
    ...rules("/ip firewall nat", ["srcnat"], ["masquerade", "accept"]),
    ...few([0, 1, 2], 0.6).map(
      (id) =>
        `/ip route add${id === 0 ? "" : ` dst-address=172.${16 + id}.0.0/16`} gateway=10.1.0.25${below(3)}${maybe(0.4, `distance=${pick([1, 10])}`)}${said()}`,
    ),
    ...few(["ftp", "telnet", "www"], 0.5).map((name) => `/ip service set ${name} disabled=yes`),
    ...(some(0.4)
      ? [`/ip service set ssh port=${pick([22, 2222])}${maybe(0.5, "address=10.0.0.0/8,192.0.2.0/24")}`]
      : []),
    ...(some(0.5)
      ? [`/snmp set enabled=yes${maybe(0.6, `contact=${pick(words)}`)}${maybe(0.4, "location=rack1")}`]
      : []),
    `/system identity set name=${pick(["r1", "r2", "MikroTik"])}`,
    ...few(["info", "warning", "error,critical"], 0.4).map(
      (topics) =>
        `/system logging add topics=${topics} action=${pick(["memory", "echo"])}${maybe(0.3, "prefix=x")}`,
    ),
  ];
};

export const routeros: SimulatedSystem = { make: () => new RouterDevice(false), lines };
/** The same, exported with `terse`. */
export const routerosTerse: SimulatedSystem = { make: () => new RouterDevice(true), lines };
