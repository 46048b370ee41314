/** A switch with NX-OS. */
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
  type Mode,
  ModeDevice,
  many,
  numbersIn,
  one,
  rangesOf,
  type SimulatedSystem,
  vlanList,
} from "./device.ts";

const needsFeature =
  (name: string): NonNullable<Command["refused"]> =>
  (_, device) =>
    device.top.held.has(`feature ${name}`) ? undefined : `feature ${name} is not enabled`;

const vlans: Command = {
  line: /^vlans$/,
  slot: () => "vlans",
  opens: "vlan",
  list: {
    reads: (line) => {
      const [, no, numbers = ""] = /^(no )?vlan (\d[\d,-]*)$/.exec(line) ?? [];
      // One VLAN alone opens its section.
      if (numbers === "" || (no === undefined && /^\d+$/.test(numbers))) return undefined;
      const all = numbersIn(numbers);
      // VLAN 1 cannot be removed.
      return no !== undefined && all.includes(1)
        ? undefined
        : { does: no === undefined ? "add" : "remove", numbers: all };
    },
    shows: (numbers) => [
      `vlan ${rangesOf(numbers)
        .map(([from, to]) => (from === to ? from : `${from}-${to}`))
        .join(",")}`,
    ],
    also: (device) => {
      const left = [...device.top.held.values()].find(({ numbers }) => numbers !== undefined)?.numbers;
      for (const slot of [...device.top.held.keys()])
        if (slot.startsWith("vlan ") && left?.has(Number(slot.slice(5))) !== true)
          device.top.held.delete(slot);
    },
  },
};

const layer3 = (
  _: unknown,
  __: unknown,
  here: { readonly header: string; readonly held: ReadonlyMap<string, unknown> },
) =>
  here.header.startsWith("interface Ethernet") && !here.held.has("no switchport")
    ? "the port is a switchport"
    : undefined;
const clear =
  (start: RegExp): NonNullable<Command["also"]> =>
  (_, __, here) => {
    for (const slot of [...here.held.keys()]) if (start.test(slot)) here.held.delete(slot);
  };

const policy: readonly Command[] = [
  one("description"),
  one("match ip address prefix-list"),
  one("set local-preference"),
  one("set metric"),
  one("set community"),
];

const peer: readonly Command[] = [
  one("inherit peer", "\\S+", {
    refused: ([, name], device) =>
      device.has(new RegExp(`^template peer ${name}$`)) ? undefined : "no such template",
  }),
  one("remote-as", "\\d+"),
  one("description"),
  one("password 3", "\\S+", { removed: ({ 0: line }) => ["no password", `no ${line}`] }),
  one("update-source", "\\S+"),
  one("timers", "\\d+ \\d+"),
  one("ebgp-multihop", "\\d+"),
  { ...many("shutdown"), removed: () => ["no shutdown"] },
  many("address-family ipv4 unicast", { opens: "peer-family" }),
];

/** A routed port is shut unless it says otherwise, a switchport is not. */
const isRouted = (here: Mode) => here.held.has("no switchport") || here.header.startsWith("interface Vlan");

export const nxosGrammar: Grammar = {
  negate: "no",
  leaves: /^(?:exit|end)$/,
  fallsBack: true,
  indent: "  ",
  modes: {
    top: [
      one("hostname", "\\S+"),
      many("feature (?:bgp|ospf|interface-vlan|lacp)", {
        kept: ({ 0: line }, device) => {
          const uses = { "feature bgp": /^router bgp/, "feature ospf": /^router ospf|^ip router ospf/ }[line];
          return uses !== undefined && device.has(uses) ? "it is used" : undefined;
        },
      }),
      one("username admin password 5", "\\S+  role network-admin", { removed: () => ["no username admin"] }),
      many("ntp server \\S+(?: prefer)?", {
        slot: ({ 0: line }) => line.split(" ").slice(0, 3).join(" "),
        removed: ({ 0: line }) => [`no ${line.split(" ").slice(0, 3).join(" ")}`],
      }),
      many("snmp-server community \\S+ group \\S+", {
        slot: ({ 0: line }) => line.split(" ").slice(0, 3).join(" "),
        removed: ({ 0: line }) => [`no ${line.split(" ").slice(0, 3).join(" ")}`, `no ${line}`],
      }),
      one("snmp-server location"),
      many("ip route \\S+ \\S+(?: \\d+)?", {
        removed: ({ 0: line }) => [`no ${line}`, `no ${line.split(" ").slice(0, 4).join(" ")}`],
      }),
      vlans,
      many("vlan (\\d+)", {
        opens: "vlan",
        vanishes: true,
        also: ([, id], device) => void device.push([`vlan ${id},${id}`]),
      }),
      many("vrf context (\\S+)", {
        opens: "vrf",
        kept: ([, name], device) =>
          device.has(new RegExp(`^vrf member ${name}$`)) ? "it has members" : undefined,
      }),
      many("ip access-list (\\S+)", { opens: "acl" }),
      prefixList,
      routeMap,
      portChannel("port-channel"),
      many("interface Vlan\\d+", { opens: "interface", refused: needsFeature("interface-vlan") }),
      many("interface loopback\\d+", { opens: "interface" }),
      many("interface Ethernet1/\\d+", {
        opens: "interface",
        fixed: [1, 2, 3, 4].map((port) => `interface Ethernet1/${port}`),
      }),
      many("router ospf \\d+", { opens: "ospf", refused: needsFeature("ospf") }),
      routerBgp({ refused: needsFeature("bgp") }),
      many("line vty", { opens: "line", vanishes: true, fixed: ["line vty"] }),
    ],
    vlan: [one("name", "\\S+", { removed: () => ["no name"] })],
    vrf: [many("ip route \\S+ \\S+")],
    acl: aclEntries,
    policy,
    interface: [
      one("description", "\\S.*", { removed: () => ["no description"] }),
      many("no switchport", { also: clear(/^switchport|^ip |^vrf |^spanning|^shutdown/) }),
      one("switchport mode", "trunk|access", { removed: () => ["no switchport mode"] }),
      ...switched,
      vlanList("switchport trunk allowed vlan"),
      one("spanning-tree port type", "edge(?: trunk)?|network", {
        removed: () => ["no spanning-tree port type"],
      }),
      one("mtu", "\\d+"),
      one("speed", "\\d+", { removed: () => ["no speed"] }),
      one("vrf member", "\\S+", {
        refused: ([, name], device) =>
          device.top.held.has(`vrf context ${name}`) ? undefined : "no such VRF",
        also: clear(/^ip address/),
      }),
      ...addresses(layer3),
      many("ip router ospf \\S+ area \\S+", {
        refused: (found, device, here) =>
          needsFeature("ospf")(found, device, here) ?? layer3(found, device, here),
      }),
      one("ip access-group", "\\S+ in", { removed: ({ 0: line }) => [`no ${line}`] }),
      one("channel-group", "\\d+ mode active", {
        refused: needsFeature("lacp"),
        removed: () => ["no channel-group"],
      }),
      {
        ...many("no shutdown"),
        slot: () => "shutdown",
        removed: () => [],
        isDefault: (here) => !isRouted(here),
      },
      { ...many("shutdown"), slot: () => "shutdown", removed: () => [], isDefault: isRouted },
    ],
    ospf: [
      one("router-id", "\\S+"),
      many("redistribute static route-map \\S+"),
      one("maximum-paths", "\\d+"),
    ],
    bgp: [
      one("router-id", "\\S+"),
      many("log-neighbor-changes"),
      many("address-family ipv4 unicast", { opens: "family" }),
      many("template peer (\\S+)", {
        opens: "peer",
        kept: ([, name], device) => (device.has(new RegExp(`^inherit peer ${name}$`)) ? "in use" : undefined),
      }),
      many("neighbor \\S+", { opens: "peer" }),
    ],
    family: [
      many("network \\S+"),
      many("redistribute \\S+ route-map \\S+", {
        slot: ({ 0: line }) => line.split(" ").slice(0, 2).join(" "),
        refusesSecond: true,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      one("maximum-paths", "\\d+"),
    ],
    peer,
    "peer-family": [
      many("route-map \\S+ (in|out)", {
        slot: ([, way]) => `route-map ${way}`,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("next-hop-self"),
      one("maximum-prefix", "\\d+"),
      many("soft-reconfiguration inbound"),
    ],
    line: [one("exec-timeout", "\\d+"), one("session-limit", "\\d+")],
  },
};

export const nxos: SimulatedSystem = {
  make: () => {
    const device = new ModeDevice(nxosGrammar);
    device.push(["vlan 1,1"]);
    return device;
  },
  lines: (random: Random) => {
    const { one: pick, few, some, below } = random;
    const { maybe, ...shared } = linesOf(random);
    const inside = (header: string, ...lines: readonly string[]) => [header, ...lines, "exit"];
    const features = new Set(few(["bgp", "ospf", "interface-vlan", "lacp"], 0.75));
    const has = (name: string, ...lines: readonly string[]) => (features.has(name) ? lines : []);
    const ids = few([10, 20, 21, 22, 30, 40], 0.6);
    const vrfs = few(["BLUE", "RED"], 0.6);
    const maps = ["RM-IN", "RM-OUT"] as const;
    const ports = few([1, 2, 3, 4], 0.8).flatMap((port) => {
      const routed = port > 2 ? some(0.8) : some(0.1);
      return inside(
        `interface Ethernet1/${port}`,
        ...maybe(0.6, `description ${pick(words)}`),
        ...(routed
          ? [
              "no switchport",
              ...(vrfs.length > 0 ? maybe(0.4, `vrf member ${pick(vrfs)}`) : []),
              ...shared.address(port),
              ...has("ospf", ...maybe(0.4, "ip router ospf 1 area 0.0.0.0")),
              ...maybe(0.3, `ip access-group ${pick(["ACL-A", "ACL-B"])} in`),
              ...maybe(0.5, "no shutdown"),
            ]
          : [
              ...maybe(0.7, `switchport mode ${pick(["trunk", "access"])}`),
              ...shared.trunk(),
              ...maybe(0.4, `spanning-tree port type ${pick(["edge", "edge trunk", "network"])}`),
              ...has("lacp", ...maybe(0.3, "channel-group 10 mode active")),
              ...maybe(0.2, "shutdown"),
            ]),
        ...maybe(0.3, `mtu ${pick([9216, 9000])}`),
      );
    });
    const family = () =>
      inside(
        "address-family ipv4 unicast",
        ...maybe(0.5, `route-map ${pick(maps)} in`),
        ...maybe(0.4, `route-map ${pick(maps)} out`),
        ...maybe(0.4, "next-hop-self"),
        ...maybe(0.3, `maximum-prefix ${pick([100, 200])}`),
      );
    const templates = few(["CORE", "EDGE"], 0.6);
    const peers = few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6).flatMap((address) =>
      inside(
        `neighbor ${address}`,
        ...(templates.length > 0 ? maybe(0.5, `inherit peer ${pick(templates)}`) : []),
        ...maybe(0.8, `remote-as ${pick([65002, 65003])}`),
        ...maybe(0.4, `description ${pick(words)}`),
        ...maybe(0.3, `password 3 ${pick(["abcdef", "fedcba"])}`),
        ...maybe(0.3, `update-source loopback${below(2)}`),
        ...maybe(0.3, `timers ${pick(["3 9", "10 30"])}`),
        ...maybe(0.2, "shutdown"),
        ...maybe(0.7, ...family()),
      ),
    );
    return [
      ...maybe(0.9, `hostname ${pick(["leaf1", "leaf2"])}`),
      ...[...features].map((name) => `feature ${name}`),
      ...maybe(0.6, `username admin password 5 ${pick(["$5$aaa", "$5$bbb"])}  role network-admin`),
      ...shared.ntp(),
      ...few(["public", "ops"], 0.5).map(
        (name) => `snmp-server community ${name} group ${pick(["network-operator", "network-admin"])}`,
      ),
      ...maybe(0.4, `snmp-server location ${pick(["row 1", "row 2 rack 3"])}`),
      ...shared.routes(),
      `vlan ${[1, ...ids, 1].join(",")}`,
      ...few(ids, 0.5).flatMap((id) =>
        inside(`vlan ${id}`, `name ${pick(["users", "voice", "guests"])}${id}`),
      ),
      ...vrfs.flatMap((name) =>
        inside(`vrf context ${name}`, ...maybe(0.6, `ip route 0.0.0.0/0 ${pick(["10.9.9.1", "10.9.9.2"])}`)),
      ),
      ...few(["ACL-A", "ACL-B"], 0.7).flatMap((name) =>
        inside(`ip access-list ${name}`, ...shared.entries()),
      ),
      ...shared.prefixes(),
      ...maps.flatMap((name) =>
        few([10, 20], 0.6).flatMap((seq) =>
          inside(`route-map ${name} ${pick(["permit", "deny"])} ${seq}`, ...shared.policy()),
        ),
      ),
      ...inside(
        "interface port-channel10",
        ...maybe(0.5, `description ${pick(words)}`),
        ...maybe(0.4, "switchport mode trunk"),
      ),
      ...ports,
      ...has(
        "interface-vlan",
        ...few([10, 20], 0.6).flatMap((id) =>
          inside(
            `interface Vlan${id}`,
            ...maybe(0.5, `description ${pick(words)}`),
            ...maybe(0.8, `ip address 10.${id}.0.1/24`),
            "no shutdown",
          ),
        ),
      ),
      ...few([0, 1], 0.6).flatMap((id) =>
        inside(`interface loopback${id}`, `ip address 10.255.${id}.${1 + below(2)}/32`),
      ),
      ...has(
        "ospf",
        ...maybe(
          0.8,
          ...inside(
            "router ospf 1",
            ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
            ...maybe(0.3, "maximum-paths 4"),
          ),
        ),
      ),
      ...has(
        "bgp",
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
                ...maybe(0.4, `redistribute static route-map ${pick(maps)}`),
                ...maybe(0.3, `maximum-paths ${pick([2, 4])}`),
              ),
            ),
            ...templates.flatMap((name) =>
              inside(
                `template peer ${name}`,
                ...maybe(0.8, `remote-as ${pick([65004, 65005])}`),
                ...maybe(0.4, "update-source loopback0"),
              ),
            ),
            ...peers,
          ),
        ),
      ),
      ...maybe(
        0.5,
        ...inside(
          "line vty",
          ...maybe(0.7, `exec-timeout ${pick([5, 10])}`),
          ...maybe(0.3, "session-limit 16"),
        ),
      ),
    ];
  },
};
