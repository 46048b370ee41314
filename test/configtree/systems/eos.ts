/** A switch with EOS. */
import type { Random } from "../frr-configurations.ts";
import {
  aclEntries,
  addresses,
  linesOf,
  portChannel,
  prefixList,
  routeMap,
  routerBgp,
  switched,
  words,
} from "./cisco.ts";
import {
  type Command,
  type Grammar,
  ModeDevice,
  many,
  numbersIn,
  one,
  rangesOf,
  type SimulatedSystem,
  vlanList,
} from "./device.ts";

/** All VLANs, of which those without a name are shown together. */
export const vlans: Command = {
  line: /^vlans$/,
  slot: () => "vlans",
  opens: "vlan",
  list: {
    reads: (line) => {
      const [, no, numbers = ""] = /^(no )?vlan (\d[\d,-]*)$/.exec(line) ?? [];
      if (numbers === "" || (no === undefined && /^\d+$/.test(numbers))) return undefined;
      return { does: no === undefined ? "add" : "remove", numbers: numbersIn(numbers) };
    },
    shows: (numbers, device) => {
      const plain = numbers.filter((id) => (device.top.held.get(`vlan ${id}`)?.inside?.held.size ?? 0) === 0);
      const text = rangesOf(plain).map(([from, to]) => (from === to ? from : `${from}-${to}`));
      return plain.length === 0 ? [] : [`vlan ${text.join(",")}`];
    },
    also: (device) => {
      const left = device.top.held.get("vlans")?.numbers;
      for (const slot of [...device.top.held.keys()])
        if (slot.startsWith("vlan ") && left?.has(Number(slot.slice(5))) !== true)
          device.top.held.delete(slot);
    },
  },
};

export const neighbor = (what: string, value: string, more: Partial<Command> = {}): Command => ({
  line: new RegExp(`^neighbor (\\S+) ${what} (${value})$`),
  slot: ([, name]) => `neighbor ${name} ${what}`,
  removed: ([line, name]) => [`no ${line}`, `no neighbor ${name} ${what}`],
  ...more,
});

const routed: NonNullable<Command["refused"]> = (_, __, here) =>
  here.header.startsWith("interface Ethernet") && !here.held.has("no switchport")
    ? "IP configuration is not allowed on a switched port"
    : undefined;

const grammar: Grammar = {
  negate: "no",
  leaves: /^(?:exit|end)$/,
  fallsBack: true,
  indent: "   ",
  between: "!",
  last: "end",
  modes: {
    top: [
      one("hostname", "\\S+"),
      many("(ntp server \\S+)(?: prefer)?", {
        slot: ([, server = ""]) => server,
        removed: ([, server]) => [`no ${server}`],
      }),
      many("(snmp-server community \\S+) (?:ro|rw)", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      one("spanning-tree mode", "mstp|rapid-pvst"),
      many("(username \\S+) privilege 15 secret sha512 \\S+", {
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      }),
      vlans,
      many("vlan (\\d+)", {
        opens: "vlan",
        vanishes: true,
        also: ([, id], device) =>
          void (device.top.held.get("vlans")?.numbers?.has(Number(id)) || device.push([`vlan ${id},${id}`])),
      }),
      many("vrf instance (\\S+)", {
        opens: "vrf",
        kept: ([, name], device) =>
          device.has(new RegExp(`^vrf ${name}$|^ip routing vrf ${name}$`)) ? "in use" : undefined,
      }),
      portChannel("Port-Channel"),
      many("interface Ethernet\\d+", {
        opens: "interface",
        fixed: [1, 2, 3, 4].map((port) => `interface Ethernet${port}`),
      }),
      many("interface (?:Loopback|Vlan)\\d+", { opens: "interface" }),
      many("ip access-list (\\S+)", { opens: "acl" }),
      many("ip routing"),
      many("ip routing vrf (\\S+)", {
        refused: ([, name], device) =>
          device.top.held.has(`vrf instance ${name}`) ? undefined : "no such VRF",
      }),
      prefixList,
      many("ip route \\S+ \\S+(?: \\d+)?"),
      many("mlag configuration", { opens: "mlag" }),
      routeMap,
      routerBgp(),
    ],
    vlan: [one("name", "\\S+")],
    vrf: [one("rd", "\\S+")],
    acl: aclEntries,
    mlag: [
      one("domain-id", "\\S+"),
      one("local-interface", "\\S+"),
      one("peer-address", "\\S+"),
      one("peer-link", "\\S+"),
    ],
    policy: [
      one("description"),
      one("match ip address prefix-list", "\\S+"),
      one("set local-preference", "\\d+"),
      one("set metric", "\\d+"),
    ],
    interface: [
      one("description"),
      { ...many("shutdown"), removed: () => ["no shutdown"] },
      { ...many("no shutdown"), slot: () => "shutdown", isDefault: () => true },
      one("mtu", "\\d+"),
      many("no switchport", {
        also: (_, __, here) => {
          for (const slot of [...here.held.keys()]) if (/^ip |^vrf/.test(slot)) here.held.delete(slot);
        },
      }),
      ...switched,
      vlanList("switchport trunk allowed vlan"),
      one("switchport mode", "trunk|access", { removed: () => ["no switchport mode"] }),
      one("channel-group", "\\d+ mode active", { removed: () => ["no channel-group"] }),
      one("vrf", "\\S+", {
        refused: ([, name], device) =>
          device.top.held.has(`vrf instance ${name}`) ? undefined : "no such VRF",
        also: (_, __, here) => {
          for (const slot of [...here.held.keys()]) if (slot.startsWith("ip address")) here.held.delete(slot);
        },
      }),
      ...addresses(routed),
      one("ip ospf area", "\\S+", { refused: routed, removed: ({ 0: line }) => [`no ${line}`] }),
      many("ip access-group \\S+ (in|out)", {
        slot: ([, way]) => `ip access-group ${way}`,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      one("spanning-tree portfast", "edge"),
    ],
    bgp: [
      // Takes all lines of a neighbour.
      {
        line: /^no neighbor (\S+)$/,
        slot: () => "no neighbor",
        refused: ([, name], device, here) =>
          [...device.all(here)].some(({ held }) => held.line.startsWith(`neighbor ${name} `))
            ? undefined
            : "no such neighbour",
        isDefault: () => true,
        always: ([, name], device, here) => {
          for (const { mode, held } of [...device.all(here)])
            if (held.line.startsWith(`neighbor ${name} `)) mode.held.delete(held.command.slot(held.found));
        },
      },
      one("router-id", "\\S+"),
      one("maximum-paths", "\\d+"),
      many("neighbor (\\S+) peer group", {
        kept: ([, name], device) =>
          device.has(new RegExp(`^neighbor \\S+ peer group ${name}$`)) ? "it has members" : undefined,
        also: ([line, name], device, here) => {
          if (here.held.has(line)) return;
          for (const { mode, held } of [...device.all(here)])
            if (held.line.startsWith(`neighbor ${name} `)) mode.held.delete(held.command.slot(held.found));
        },
      }),
      neighbor("peer group", "\\S+", {
        refused: ([, , group], _, here) =>
          here.held.has(`neighbor ${group} peer group`) ? undefined : "no such group",
      }),
      neighbor("remote-as", "\\d+"),
      neighbor("description", ".*"),
      neighbor("update-source", "\\S+"),
      neighbor("timers", "\\d+ \\d+"),
      neighbor("password", "7 \\S+"),
      neighbor("maximum-routes", "\\d+"),
      many("neighbor (\\S+) route-map \\S+ (in|out)", {
        slot: ([, name, way]) => `neighbor ${name} route-map ${way}`,
        removed: ([line]) => [`no ${line}`],
      }),
      many("network \\S+"),
      many("redistribute (\\S+)(?: route-map \\S+)?", {
        slot: ([, what]) => `redistribute ${what}`,
        refusesSecond: true,
      }),
      many("address-family (?:ipv4|evpn)", { opens: "family" }),
    ],
    family: [many("neighbor (\\S+) activate", { removed: ([line]) => [`no ${line}`] })],
  },
};

export const eos: SimulatedSystem = {
  make: () => new ModeDevice(grammar),
  lines: (random: Random) => {
    const { one: pick, few, some, below } = random;
    const { maybe, ...shared } = linesOf(random);
    const inside = (header: string, ...lines: readonly string[]) => [
      header,
      ...lines.map((line) => ` ${line}`),
      "exit",
    ];
    const ids = few([10, 20, 21, 22, 30, 40], 0.6);
    const vrfs = few(["BLUE", "RED"], 0.6);
    const groups = few(["SPINE", "LEAF"], 0.6);
    const ports = few([1, 2, 3, 4], 0.8).flatMap((port) =>
      inside(
        `interface Ethernet${port}`,
        ...maybe(0.6, `description ${pick(words)}`),
        ...maybe(0.3, "shutdown"),
        ...maybe(0.3, `mtu ${pick([9214, 9000])}`),
        ...(some(port > 2 ? 0.8 : 0.1)
          ? [
              "no switchport",
              ...(vrfs.length > 0 ? maybe(0.4, `vrf ${pick(vrfs)}`) : []),
              ...shared.address(port),
              ...maybe(0.3, `ip ospf area 0.0.0.${below(2)}`),
              ...maybe(0.3, `ip access-group ${pick(["ACL-A", "ACL-B"])} in`),
            ]
          : [
              ...shared.trunk(),
              ...maybe(0.6, `switchport mode ${pick(["trunk", "access"])}`),
              ...maybe(0.3, "channel-group 10 mode active"),
              ...maybe(0.3, "spanning-tree portfast edge"),
            ]),
      ),
    );
    const names = few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6);
    const peers = names.flatMap((name) => [
      ...(groups.length > 0 && some(0.5)
        ? [`neighbor ${name} peer group ${pick(groups)}`]
        : [`neighbor ${name} remote-as ${pick([65002, 65003])}`]),
      ...maybe(0.5, `neighbor ${name} description ${pick(words)}`),
      ...maybe(0.3, `neighbor ${name} password 7 ${pick(["abc", "def"])}`),
      ...maybe(0.3, `neighbor ${name} timers ${pick(["3 9", "10 30"])}`),
      ...maybe(0.3, `neighbor ${name} maximum-routes ${pick([12000, 0])}`),
      ...maybe(0.4, `neighbor ${name} route-map ${pick(["RM-IN", "RM-OUT"])} ${pick(["in", "out"])}`),
    ]);
    return [
      ...maybe(0.9, `hostname ${pick(["leaf1", "leaf2"])}`),
      ...shared.ntp(),
      ...few(["public", "ops"], 0.5).map((name) => `snmp-server community ${name} ${pick(["ro", "rw"])}`),
      ...maybe(0.6, `spanning-tree mode ${pick(["mstp", "rapid-pvst"])}`),
      ...few(["admin", "oper"], 0.6).map(
        (name) => `username ${name} privilege 15 secret sha512 ${pick(["$6$aaa", "$6$bbb"])}`,
      ),
      ...(ids.length > 0 ? [`vlan ${[...ids, ids[0]].join(",")}`] : []),
      ...few(ids, 0.5).flatMap((id) => inside(`vlan ${id}`, `name ${pick(["users", "voice"])}${id}`)),
      ...vrfs.flatMap((name) => inside(`vrf instance ${name}`, ...maybe(0.4, `rd 65001:${1 + below(2)}`))),
      ...inside(
        "interface Port-Channel10",
        ...maybe(0.5, `description ${pick(words)}`),
        ...maybe(0.4, "switchport mode trunk"),
      ),
      ...ports,
      ...few([0, 1], 0.6).flatMap((id) =>
        inside(`interface Loopback${id}`, `ip address 10.255.${id}.${1 + below(2)}/32`),
      ),
      ...few([10, 20], 0.6).flatMap((id) =>
        inside(
          `interface Vlan${id}`,
          ...maybe(0.5, `description ${pick(words)}`),
          ...maybe(0.8, `ip address 10.${id}.0.1/24`),
        ),
      ),
      ...few(["ACL-A", "ACL-B"], 0.7).flatMap((name) =>
        inside(`ip access-list ${name}`, ...shared.entries()),
      ),
      ...maybe(0.8, "ip routing"),
      ...few(vrfs, 0.6).map((name) => `ip routing vrf ${name}`),
      ...shared.prefixes(),
      ...shared.routes(),
      ...maybe(
        0.4,
        ...inside(
          "mlag configuration",
          `domain-id ${pick(["M1", "M2"])}`,
          "local-interface Vlan4094",
          `peer-address 10.9.9.${1 + below(2)}`,
          "peer-link Port-Channel10",
        ),
      ),
      ...["RM-IN", "RM-OUT"].flatMap((name) =>
        few([10, 20], 0.6).flatMap((seq) =>
          inside(`route-map ${name} ${pick(["permit", "deny"])} ${seq}`, ...shared.policy()),
        ),
      ),
      ...maybe(
        0.9,
        ...inside(
          `router bgp ${pick([65001, 65001, 65001, 65009])}`,
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          ...maybe(0.3, `maximum-paths ${pick([2, 4])}`),
          ...groups.flatMap((name) => [
            `neighbor ${name} peer group`,
            ...maybe(0.7, `neighbor ${name} remote-as ${pick([65004, 65005])}`),
            ...maybe(0.4, `neighbor ${name} update-source Loopback${below(2)}`),
          ]),
          ...peers,
          ...few(["network 10.0.0.0/8", "network 10.1.0.0/16"], 0.4),
          ...few(["connected", "static"], 0.4).map(
            (what) => `redistribute ${what}${some(0.4) ? " route-map RM-OUT" : ""}`,
          ),
          ...maybe(
            0.5,
            "address-family evpn",
            ...few(names, 0.5).map((name) => ` neighbor ${name} activate`),
            "exit",
          ),
        ),
      ),
    ];
  },
};
