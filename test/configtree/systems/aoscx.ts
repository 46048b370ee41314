/** A switch with AOS-CX whose ports switch unless they route. */
import type { Random } from "../frr-configurations.ts";
import { linesOf, prefixList, routerBgp, words } from "./cisco.ts";
import {
  type Command,
  type Grammar,
  type Mode,
  ModeDevice,
  many,
  numbered,
  numbersIn,
  one,
  type SimulatedSystem,
  vlanList,
} from "./device.ts";
import { neighbor, vlans } from "./eos.ts";

const clear =
  (start: RegExp): NonNullable<Command["also"]> =>
  (_, __, here) => {
    for (const slot of [...here.held.keys()]) if (start.test(slot)) here.held.delete(slot);
  };

const isPort = (here: Mode) => /^interface (?:\d|lag)/.test(here.header);
const routes: NonNullable<Command["refused"]> = (_, __, here) => {
  if (here.held.has("lag")) return "the port is a member of a lag";
  return isPort(here) && here.held.has("no routing") ? "routing is disabled on the port" : undefined;
};
const switches: NonNullable<Command["refused"]> = (_, __, here) => {
  if (here.held.has("lag")) return "the port is a member of a lag";
  return here.held.has("no routing") ? undefined : "routing is enabled on the port";
};
const exists =
  (line: (name: string) => string, what: string): NonNullable<Command["refused"]> =>
  ([, name = ""], device) =>
    device.top.held.has(line(name)) ? undefined : `no such ${what}`;
const trunk = "vlan trunk allowed";

/** What is given is added, and `no` takes it away. */
const allowed: Command = vlanList(trunk, {
  reads: (line) => {
    const [, no, numbers] = new RegExp(`^(no )?${trunk}(?: (\\d[\\d,-]*))?$`).exec(line) ?? [];
    if (numbers !== undefined)
      return { does: no === undefined ? "add" : "remove", numbers: numbersIn(numbers) };
    return line === `no ${trunk}` ? { does: "set", numbers: [] } : undefined;
  },
});

const grammar: Grammar = {
  negate: "no",
  leaves: /^(?:exit|end|exit-address-family)$/,
  fallsBack: true,
  indent: "    ",
  closes: ({ line }) => (line.startsWith("address-family") ? ["exit-address-family"] : []),
  modes: {
    top: [
      one("hostname", "\\S+"),
      many("(user \\S+) group administrators password ciphertext \\S+", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      many("(ntp server \\S+)(?: iburst)?", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      many("(logging \\d\\S+)", { removed: ([, name]) => [`no ${name}`] }),
      many("snmp-server community \\S+"),
      one("snmp-server system-location"),
      vlans,
      many("vlan (\\d+)", {
        opens: "vlan",
        vanishes: true,
        also: ([, id], device) =>
          void (device.top.held.get("vlans")?.numbers?.has(Number(id)) || device.push([`vlan ${id},${id}`])),
      }),
      many("vrf (\\S+)", {
        opens: "vrf",
        kept: ([, name], device) => (device.has(new RegExp(`^vrf attach ${name}$`)) ? "in use" : undefined),
      }),
      many("access-list ip (\\S+)", {
        opens: "acl",
        kept: ([, name], device) =>
          device.has(new RegExp(`^apply access-list ip ${name} `)) ? "in use" : undefined,
      }),
      prefixList,
      numbered("(route-map \\S+) (?:permit|deny) seq (\\d+)", ([, name, seq]) => `${name} ${seq}`, {
        opens: "policy",
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("interface lag (\\d+)", {
        opens: "interface",
        kept: ([, id], device) => (device.has(new RegExp(`^lag ${id}$`)) ? "it has members" : undefined),
      }),
      many("interface 1/1/\\d+", {
        opens: "interface",
        fixed: [1, 2, 3, 4].map((port) => `interface 1/1/${port}`),
      }),
      many("interface loopback \\d+", { opens: "interface" }),
      many("interface vlan (\\d+)", {
        opens: "interface",
        refused: ([, id], device) =>
          device.top.held.get("vlans")?.numbers?.has(Number(id)) === true ? undefined : "no such VLAN",
      }),
      many("ip route (\\S+ \\S+)(?: distance \\d+)?", {
        slot: ([, name]) => `ip route ${name}`,
        refusesSecond: true,
        removed: ([line, name]) => [`no ${line}`, `no ip route ${name}`],
      }),
      many("router ospf \\d+", { opens: "ospf" }),
      routerBgp(),
    ],
    vlan: [one("name", "\\S+"), one("description")],
    vrf: [one("rd", "\\S+")],
    acl: [numbered("(\\d+) (?:permit|deny) .*", ([, number = ""]) => number)],
    policy: [
      one("match ip address prefix-list", "\\S+"),
      one("set local-preference", "\\d+"),
      one("set metric", "\\d+"),
    ],
    interface: [
      many("no shutdown", { slot: () => "shutdown", removed: () => ["shutdown"] }),
      { ...many("shutdown"), slot: () => "shutdown", isDefault: () => true },
      one("description"),
      one("mtu", "\\d+"),
      // A member has what its lag has.
      one("lag", "\\d+", {
        refused: exists((id) => `interface lag ${id}`, "lag"),
        also: clear(/^(?:ip |vrf|vlan|no routing|apply)/),
      }),
      many("no routing", {
        refused: (_, __, here) => (here.held.has("lag") ? "the port is a member of a lag" : undefined),
        also: clear(/^(?:ip |vrf|vlan)/),
        removed: () => ["routing"],
      }),
      one("vlan access", "\\d+", { refused: switches, also: clear(/^vlan trunk/) }),
      one("vlan trunk native", "\\d+", { refused: switches, also: clear(/^vlan access/) }),
      { ...allowed, refused: switches },
      one("lacp mode", "active|passive", {
        refused: (_, __, here) => (here.header.startsWith("interface lag") ? undefined : "it is no lag"),
      }),
      one("vrf attach", "\\S+", {
        refused: (found, device, here) =>
          routes(found, device, here) ?? exists((name) => `vrf ${name}`, "VRF")(found, device, here),
        also: clear(/^ip /),
      }),
      many("ip address (\\S+/\\d+)", {
        slot: () => "ip address",
        refused: routes,
        removed: ({ 0: line }) => ["no ip address", `no ${line}`],
        kept: (_, __, here) =>
          [...here.held.keys()].some((slot) => slot.endsWith(" secondary"))
            ? "there are secondary ones"
            : undefined,
      }),
      many("ip address \\S+/\\d+ secondary", {
        refused: (_, __, here) => (here.held.has("ip address") ? undefined : "no primary address"),
      }),
      many("ip ospf (\\d+) area \\S+", {
        slot: () => "ip ospf area",
        refused: routes,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("apply access-list ip (\\S+) (in|out)", {
        slot: ([, , way]) => `apply ${way}`,
        refused: (found, device, here) =>
          here.held.has("lag")
            ? "the port is a member of a lag"
            : exists((name) => `access-list ip ${name}`, "access list")(found, device, here),
      }),
    ],
    ospf: [one("router-id", "\\S+"), many("area \\S+"), one("maximum-paths", "\\d+")],
    bgp: [
      one("bgp router-id", "\\S+"),
      one("maximum-paths", "\\d+"),
      neighbor("remote-as", "\\d+", {
        removed: ([line]) => [`no ${line}`],
        also: ([, name], device, here) => {
          if (here.held.has(`neighbor ${name} remote-as`)) return;
          for (const { mode, held } of [...device.all(here)])
            if (held.line.startsWith(`neighbor ${name} `)) mode.held.delete(held.command.slot(held.found));
        },
      }),
      ...(["description", "update-source", "timers", "password ciphertext", "ebgp-multihop"] as const).map(
        (what) =>
          neighbor(what, ".*", {
            removed: ([line, name]) => [`no ${line}`, `no neighbor ${name} ${what.split(" ")[0]}`],
            refused: ([, name], _, here) =>
              here.held.has(`neighbor ${name} remote-as`) ? undefined : "create the neighbour first",
          }),
      ),
      many("address-family ipv4 unicast", { opens: "family" }),
    ],
    family: [
      many("neighbor (\\S+) activate", {
        refused: ([, name], device) =>
          device.has(new RegExp(`^neighbor ${name} remote-as`)) ? undefined : "create the neighbour first",
      }),
      many("neighbor (\\S+) route-map (\\S+) (in|out)", {
        slot: ([, name, , way]) => `neighbor ${name} route-map ${way}`,
        removed: ([line]) => [`no ${line}`],
        refused: ([, name], device) =>
          device.has(new RegExp(`^neighbor ${name} remote-as`)) ? undefined : "create the neighbour first",
      }),
      many("network \\S+"),
      many("redistribute (\\S+)(?: route-map \\S+)?", {
        slot: ([, what]) => `redistribute ${what}`,
        refusesSecond: true,
        removed: ([line]) => [`no ${line}`],
      }),
    ],
  },
};

/** A port with VLANs shows which of them is not tagged. */
class AosCx extends ModeDevice {
  constructor() {
    super(grammar);
    this.push(["vlan 1,1"]);
  }
  override running(): string {
    return super.running().replaceAll(/^interface (?:\d|lag).*\n(?: {4}.*\n)*/gm, (block) => {
      if (!block.includes("    no routing\n") || /^ {4}vlan (?:access|trunk native)/m.test(block))
        return block;
      return block.includes(trunk)
        ? block.replace(`    ${trunk}`, `    vlan trunk native 1\n    ${trunk}`)
        : block.replace("    no routing\n", "    no routing\n    vlan access 1\n");
    });
  }
}

export const aosCx: SimulatedSystem = {
  make: () => new AosCx(),
  lines: (random: Random) => {
    const { one: pick, few, some, below } = random;
    const { maybe, ...shared } = linesOf(random);
    const inside = (header: string, ...lines: readonly string[]) => [header, ...lines, "exit"];
    const ids = few([10, 20, 21, 22, 30, 40], 0.6);
    const vrfs = few(["BLUE", "RED"], 0.6);
    const acls = few(["ACL-A", "ACL-B"], 0.7);
    const maps = ["RM-IN", "RM-OUT"] as const;
    const lists = () => few([10, 11, 12, 20, 30, 31, 40], 0.6).join(",") || "7";
    const switching = () =>
      some(0.5)
        ? maybe(0.8, `vlan access ${pick([1, 10, 20, 30])}`)
        : [`vlan trunk native ${pick([1, 99])}`, `vlan trunk allowed ${lists()}`];
    const address = (port: number) =>
      maybe(
        0.8,
        `ip address 10.${port}.${below(3)}.1/24`,
        ...maybe(0.3, `ip address 10.${port}.${10 + below(3)}.1/24 secondary`),
      );
    const ports = few([1, 2, 3, 4], 0.8).flatMap((port) => {
      const kind = pick(["lag", "switch", "switch", "route", "route"]);
      return inside(
        `interface 1/1/${port}`,
        ...maybe(0.7, "no shutdown"),
        ...maybe(0.6, `description ${pick(words)}`),
        ...maybe(0.3, `mtu ${pick([9198, 9000])}`),
        ...(kind === "lag" ? ["lag 10"] : []),
        ...(kind === "switch" ? ["no routing", ...switching()] : []),
        ...(kind === "route"
          ? [
              ...(vrfs.length > 0 ? maybe(0.4, `vrf attach ${pick(vrfs)}`) : []),
              ...address(port),
              ...maybe(0.4, "ip ospf 1 area 0.0.0.0"),
            ]
          : []),
        ...(kind !== "lag" && acls.length > 0 ? maybe(0.4, `apply access-list ip ${pick(acls)} in`) : []),
      );
    });
    const peers = few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6);
    return [
      ...maybe(0.9, `hostname ${pick(["sw1", "sw2"])}`),
      ...maybe(0.6, `user admin group administrators password ciphertext ${pick(["AQBaaa", "AQBbbb"])}`),
      ...few(["192.0.2.1", "192.0.2.2"], 0.5).map(
        (host) => `ntp server ${host}${some(0.3) ? " iburst" : ""}`,
      ),
      ...few(["192.0.2.7", "192.0.2.8"], 0.4).map((host) => `logging ${host}`),
      ...few(["public", "ops"], 0.5).map((name) => `snmp-server community ${name}`),
      ...maybe(0.4, `snmp-server system-location ${pick(["row 1", "row 2 rack 3"])}`),
      `vlan ${[1, ...ids, 1].join(",")}`,
      ...few(ids, 0.5).flatMap((id) =>
        inside(`vlan ${id}`, `name ${pick(["users", "voice", "guests"])}${id}`),
      ),
      ...vrfs.flatMap((name) => inside(`vrf ${name}`, ...maybe(0.6, `rd 65001:${1 + below(2)}`))),
      ...acls.flatMap((name) => inside(`access-list ip ${name}`, ...shared.entries())),
      ...shared.prefixes(),
      ...maps.flatMap((name) =>
        few([10, 20], 0.6).flatMap((seq) =>
          inside(`route-map ${name} ${pick(["permit", "deny"])} seq ${seq}`, ...shared.policy()),
        ),
      ),
      ...inside(
        "interface lag 10",
        ...maybe(0.7, "no shutdown"),
        ...maybe(0.5, `description ${pick(words)}`),
        "no routing",
        ...switching(),
        ...maybe(0.6, "lacp mode active"),
      ),
      ...ports,
      ...few([0, 1], 0.6).flatMap((id) =>
        inside(`interface loopback ${id}`, `ip address 10.255.${id}.${1 + below(2)}/32`),
      ),
      ...few(ids, 0.5).flatMap((id) =>
        inside(`interface vlan ${id}`, ...maybe(0.5, `description ${pick(words)}`), ...address(id)),
      ),
      ...few(["10.0.0.0/8", "172.16.0.0/12"], 0.5).map(
        (prefix) =>
          `ip route ${prefix} ${pick(["192.0.2.1", "192.0.2.2"])}${some(0.3) ? " distance 20" : ""}`,
      ),
      ...maybe(
        0.7,
        ...inside(
          "router ospf 1",
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          ...few(["area 0.0.0.0", "area 0.0.0.1"], 0.6),
          ...maybe(0.3, "maximum-paths 4"),
        ),
      ),
      ...maybe(
        0.9,
        ...inside(
          `router bgp ${pick([65001, 65001, 65001, 65009])}`,
          ...maybe(0.6, `bgp router-id 10.255.0.${1 + below(2)}`),
          ...maybe(0.3, `maximum-paths ${pick([2, 4])}`),
          ...peers.flatMap((name) => [
            `neighbor ${name} remote-as ${pick([65002, 65003])}`,
            ...maybe(0.5, `neighbor ${name} description ${pick(words)}`),
            ...maybe(0.3, `neighbor ${name} update-source loopback ${below(2)}`),
            ...maybe(0.3, `neighbor ${name} timers ${pick(["3 9", "10 30"])}`),
            ...maybe(0.2, `neighbor ${name} password ciphertext ${pick(["AQBaaa", "AQBbbb"])}`),
          ]),
          ...maybe(
            0.8,
            "address-family ipv4 unicast",
            ...peers.flatMap((name) => [
              ...maybe(0.8, `neighbor ${name} activate`),
              ...maybe(0.4, `neighbor ${name} route-map ${pick(maps)} in`),
              ...maybe(0.3, `neighbor ${name} route-map ${pick(maps)} out`),
            ]),
            ...few(["network 10.0.0.0/8", "network 10.1.0.0/16"], 0.5),
            ...maybe(0.4, `redistribute static${some(0.5) ? ` route-map ${pick(maps)}` : ""}`),
            "exit-address-family",
          ),
        ),
      ),
    ];
  },
};
