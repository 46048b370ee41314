/** A switch with Dell SmartFabric OS10: VLANs are interfaces, and neighbours have sections. */
import type { Random } from "../frr-configurations.ts";
import { addresses, linesOf, prefixList, routeMap, routerBgp, words } from "./cisco.ts";
import {
  type Command,
  type Grammar,
  ModeDevice,
  many,
  numbered,
  numbersIn,
  one,
  type SimulatedSystem,
  vlanList,
} from "./device.ts";

const clear =
  (start: RegExp): NonNullable<Command["also"]> =>
  (_, __, here) => {
    for (const slot of [...here.held.keys()]) if (start.test(slot)) here.held.delete(slot);
  };
const isPort = /^interface (?:ethernet|port-channel)/;
const member = "the port is a member of a port channel";
const routed: NonNullable<Command["refused"]> = (_, __, here) => {
  if (here.held.has("channel-group")) return member;
  return isPort.test(here.header) && !here.held.has("no switchport") ? "the port is a switchport" : undefined;
};
const switched: NonNullable<Command["refused"]> = (_, __, here) => {
  if (here.held.has("channel-group")) return member;
  return !isPort.test(here.header) || here.held.has("no switchport") ? "it is no switchport" : undefined;
};
const trunk = "switchport trunk allowed vlan";
const allowed: Command = {
  ...vlanList(trunk, {
    reads: (line) => {
      const [, no, numbers] = new RegExp(`^(no )?${trunk}(?: (\\d[\\d,-]*))?$`).exec(line) ?? [];
      if (numbers !== undefined)
        return { does: no === undefined ? "add" : "remove", numbers: numbersIn(numbers) };
      return line === `no ${trunk}` ? { does: "set", numbers: [] } : undefined;
    },
  }),
  refused: switched,
};
const shut = (isShut: boolean): readonly Command[] => [
  { ...many("no shutdown"), slot: () => "shutdown", removed: () => [], isDefault: () => !isShut },
  { ...many("shutdown"), slot: () => "shutdown", removed: () => [], isDefault: () => isShut },
];
const peer: readonly Command[] = [
  one("inherit template", "\\S+", {
    refused: ([, name], device) =>
      device.has(new RegExp(`^template ${name}$`)) ? undefined : "no such template",
  }),
  one("remote-as", "\\d+"),
  one("description"),
  one("password 9", "\\S+", { removed: ({ 0: line }) => ["no password", `no ${line}`] }),
  one("update-source", "\\S+"),
  one("timers", "\\d+ \\d+"),
  one("ebgp-multihop", "\\d+"),
  ...shut(true),
  many("address-family ipv4 unicast", { opens: "peer-family" }),
];

const grammar: Grammar = {
  negate: "no",
  leaves: /^(?:exit|end)$/,
  fallsBack: true,
  between: "!",
  modes: {
    top: [
      one("hostname", "\\S+"),
      many("ip vrf (\\S+)", {
        opens: "vrf",
        kept: ([, name], device) =>
          device.has(new RegExp(`^ip vrf forwarding ${name}$`)) ? "it has members" : undefined,
      }),
      many("(username \\S+) password \\S+ role \\S+", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      many("(ntp server \\S+)(?: prefer)?", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      many("logging server \\S+"),
      many("(snmp-server community \\S+) (?:ro|rw)", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      one("snmp-server location"),
      many("ip access-list (\\S+)", {
        opens: "acl",
        kept: ([, name], device) =>
          device.has(new RegExp(`^ip access-group ${name} `)) ? "in use" : undefined,
      }),
      prefixList,
      routeMap,
      many("interface vlan(\\d+)", {
        opens: "interface",
        kept: ([, id]) => (id === "1" ? "the default VLAN" : undefined),
      }),
      many("interface port-channel(\\d+)", {
        opens: "interface",
        kept: ([, id], device) =>
          device.has(new RegExp(`^channel-group ${id} `)) ? "it has members" : undefined,
      }),
      many("interface ethernet1/1/\\d+", {
        opens: "interface",
        fixed: [1, 2, 3, 4].map((port) => `interface ethernet1/1/${port}`),
      }),
      many("interface loopback\\d+", { opens: "interface" }),
      many("ip route (\\S+ \\S+)(?: \\d+)?", {
        slot: ([, name]) => `ip route ${name}`,
        refusesSecond: true,
        removed: ([line, name]) => [`no ${line}`, `no ip route ${name}`],
      }),
      many("router ospf \\d+", { opens: "ospf" }),
      routerBgp(),
    ],
    vrf: [one("description")],
    acl: [numbered("(seq \\d+) (?:permit|deny) .*", ([, number = ""]) => number)],
    policy: [
      one("match ip address prefix-list", "\\S+"),
      one("set local-preference", "\\d+"),
      one("set metric", "\\d+"),
    ],
    interface: [
      one("description"),
      ...shut(false),
      one("channel-group", "\\d+ mode active", {
        refused: ([, text = ""], device) =>
          device.top.held.has(`interface port-channel${text.split(" ")[0]}`)
            ? undefined
            : "no such port channel",
        removed: () => ["no channel-group"],
        also: clear(/^(?:no )?switchport|^ip /),
      }),
      many("no switchport", {
        refused: (_, __, here) => (here.held.has("channel-group") ? member : undefined),
        also: clear(/^switchport|^ip /),
      }),
      one("switchport mode", "trunk", { refused: switched, removed: () => ["no switchport mode"] }),
      one("switchport access vlan", "\\d+", {
        refused: switched,
        removed: () => ["no switchport access vlan"],
      }),
      allowed,
      one("mtu", "\\d+"),
      one("ip vrf forwarding", "\\S+", {
        refused: (found, device, here) =>
          routed(found, device, here) ??
          (device.top.held.has(`ip vrf ${found[1]}`) ? undefined : "no such VRF"),
        removed: () => ["no ip vrf forwarding"],
        also: clear(/^ip address/),
      }),
      ...addresses(routed),
      many("ip ospf \\d+ area \\S+", {
        slot: () => "ip ospf",
        refused: routed,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("ip access-group (\\S+) (in|out)", {
        slot: ([, , way]) => `ip access-group ${way}`,
        refused: (found, device, here) =>
          here.held.has("channel-group")
            ? member
            : device.top.held.has(`ip access-list ${found[1]}`)
              ? undefined
              : "no such access list",
        removed: ({ 0: line }) => [`no ${line}`],
      }),
    ],
    ospf: [one("router-id", "\\S+"), one("maximum-paths", "\\d+"), many("redistribute static")],
    bgp: [
      one("router-id", "\\S+"),
      many("log-neighbor-changes"),
      many("address-family ipv4 unicast", { opens: "family" }),
      many("template (\\S+)", {
        opens: "peer",
        kept: ([, name], device) =>
          device.has(new RegExp(`^inherit template ${name}$`)) ? "in use" : undefined,
      }),
      many("neighbor \\S+", { opens: "peer" }),
    ],
    family: [
      many("network \\S+"),
      many("redistribute (\\S+)(?: route-map \\S+)?", {
        slot: ([, what]) => `redistribute ${what}`,
        refusesSecond: true,
        removed: ([line]) => [`no ${line}`],
      }),
      one("maximum-paths", "\\d+"),
    ],
    peer,
    "peer-family": [
      many("route-map \\S+ (in|out)", {
        slot: ([, way]) => `route-map ${way}`,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("activate"),
      many("next-hop-self"),
      one("maximum-prefix", "\\d+"),
    ],
  },
};

/** It shows on each interface that it is not shut, and on each switchport its VLAN. */
class Os10 extends ModeDevice {
  constructor() {
    super(grammar);
    this.push(["interface vlan1"]);
  }
  override running(): string {
    return super.running().replaceAll(/^interface (\S+)\n(?: .*\n)*/gm, (block, name: string) => {
      const [header = "", ...rest] = block.split("\n");
      const state = /^ shutdown$/m.test(block) ? [] : [" no shutdown"];
      const isSwitch =
        /^(?:ethernet|port-channel)/.test(name) && !/^ (?:no switchport|channel-group)/m.test(block);
      const vlan =
        isSwitch && !block.includes(" switchport access vlan") ? [" switchport access vlan 1"] : [];
      return [header, ...state, ...vlan, ...rest].join("\n");
    });
  }
}

export const os10: SimulatedSystem = {
  make: () => new Os10(),
  lines: (random: Random) => {
    const { one: pick, few, some, below } = random;
    const { maybe, ...shared } = linesOf(random);
    const inside = (header: string, ...lines: readonly string[]) => [header, ...lines, "exit"];
    const vrfs = few(["BLUE", "RED"], 0.6);
    const acls = few(["ACL-A", "ACL-B"], 0.7);
    const maps = ["RM-IN", "RM-OUT"] as const;
    const switching = () => [
      ...maybe(0.5, "switchport mode trunk"),
      ...maybe(0.6, `switchport access vlan ${pick([10, 20, 30])}`),
      ...maybe(0.6, `${trunk} ${few([10, 11, 12, 20, 30, 31, 40], 0.6).join(",") || "7"}`),
    ];
    const ports = few([1, 2, 3, 4], 0.8).flatMap((port) => {
      const kind = pick(["member", "switch", "switch", "route", "route"]);
      return inside(
        `interface ethernet1/1/${port}`,
        ...maybe(0.6, `description ${pick(words)}`),
        ...maybe(0.2, "shutdown"),
        ...maybe(0.3, `mtu ${pick([9216, 9000])}`),
        ...(kind === "member" ? ["channel-group 10 mode active"] : []),
        ...(kind === "switch" ? switching() : []),
        ...(kind === "route"
          ? [
              "no switchport",
              ...(vrfs.length > 0 ? maybe(0.4, `ip vrf forwarding ${pick(vrfs)}`) : []),
              ...shared.address(port),
              ...maybe(0.4, "ip ospf 1 area 0.0.0.0"),
            ]
          : []),
        ...(kind !== "member" && acls.length > 0 ? maybe(0.4, `ip access-group ${pick(acls)} in`) : []),
      );
    });
    const family = () =>
      inside(
        "address-family ipv4 unicast",
        ...maybe(0.6, "activate"),
        ...maybe(0.5, `route-map ${pick(maps)} in`),
        ...maybe(0.4, `route-map ${pick(maps)} out`),
        ...maybe(0.4, "next-hop-self"),
        ...maybe(0.3, `maximum-prefix ${pick([100, 200])}`),
      );
    const templates = few(["CORE", "EDGE"], 0.6);
    return [
      ...maybe(0.9, `hostname ${pick(["leaf1", "leaf2"])}`),
      ...vrfs.flatMap((name) => inside(`ip vrf ${name}`)),
      ...maybe(0.6, `username admin password ${pick(["$6$aaa", "$6$bbb"])} role sysadmin`),
      ...shared.ntp(),
      ...few(["192.0.2.7", "192.0.2.8"], 0.4).map((host) => `logging server ${host}`),
      ...few(["public", "ops"], 0.5).map((name) => `snmp-server community ${name} ${pick(["ro", "rw"])}`),
      ...maybe(0.4, `snmp-server location ${pick(["row-1", "row-2"])}`),
      ...acls.flatMap((name) =>
        inside(`ip access-list ${name}`, ...shared.entries().map((line) => `seq ${line}`)),
      ),
      ...shared.prefixes(),
      ...maps.flatMap((name) =>
        few([10, 20], 0.6).flatMap((seq) =>
          inside(`route-map ${name} ${pick(["permit", "deny"])} ${seq}`, ...shared.policy()),
        ),
      ),
      ...few([10, 20, 30], 0.6).flatMap((id) =>
        inside(
          `interface vlan${id}`,
          ...maybe(0.5, `description ${pick(words)}`),
          ...maybe(0.2, "shutdown"),
          ...(vrfs.length > 0 ? maybe(0.3, `ip vrf forwarding ${pick(vrfs)}`) : []),
          ...shared.address(id),
        ),
      ),
      ...inside("interface port-channel10", ...maybe(0.5, `description ${pick(words)}`), ...switching()),
      ...ports,
      ...few([0, 1], 0.6).flatMap((id) =>
        inside(`interface loopback${id}`, `ip address 10.255.${id}.${1 + below(2)}/32`),
      ),
      ...shared.routes(),
      ...maybe(
        0.7,
        ...inside(
          "router ospf 1",
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          ...maybe(0.3, "maximum-paths 4"),
          ...maybe(0.3, "redistribute static"),
        ),
      ),
      ...maybe(
        0.9,
        ...inside(
          `router bgp ${pick([65001, 65001, 65001, 65009])}`,
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          ...maybe(0.4, "log-neighbor-changes"),
          ...maybe(
            0.6,
            ...inside(
              "address-family ipv4 unicast",
              ...few(["network 10.0.0.0/8", "network 10.1.0.0/16"], 0.5),
              ...maybe(0.4, `redistribute static${some(0.5) ? ` route-map ${pick(maps)}` : ""}`),
              ...maybe(0.3, `maximum-paths ${pick([2, 4])}`),
            ),
          ),
          ...templates.flatMap((name) =>
            inside(
              `template ${name}`,
              ...maybe(0.8, `remote-as ${pick([65004, 65005])}`),
              ...maybe(0.4, "update-source loopback0"),
            ),
          ),
          ...few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6).flatMap((address) =>
            inside(
              `neighbor ${address}`,
              ...(templates.length > 0 ? maybe(0.5, `inherit template ${pick(templates)}`) : []),
              ...maybe(0.8, `remote-as ${pick([65002, 65003])}`),
              ...maybe(0.4, `description ${pick(words)}`),
              ...maybe(0.3, `password 9 ${pick(["abcdef", "fedcba"])}`),
              ...maybe(0.3, `update-source loopback${below(2)}`),
              ...maybe(0.3, `timers ${pick(["3 9", "10 30"])}`),
              ...maybe(0.8, "no shutdown"),
              ...maybe(0.7, ...family()),
            ),
          ),
        ),
      ),
    ];
  },
};
