/** A router with IOS XR: lines go into a candidate, whose references are checked when it is committed. */
import type { Random } from "../frr-configurations.ts";
import {
  ModeDevice as Device,
  type Grammar,
  type ModeDevice,
  many,
  numbered,
  one,
  type SimulatedSystem,
} from "./device.ts";

/** Policies and sets that are named have to be there. */
function faultsOf(device: ModeDevice): string[] {
  const policies = new Set<string>();
  const sets = new Set<string>();
  const uses: (readonly [what: string, name: string])[] = [];
  for (const { held } of device.all()) {
    const [, kind, name = ""] = /^(route-policy|prefix-set|community-set) (\S+)\n/.exec(held.line) ?? [];
    if (kind === "route-policy") policies.add(name);
    else if (kind !== undefined) sets.add(name);
    for (const [, used = ""] of held.line.matchAll(/\n\s*apply (\S+)/g)) uses.push(["policy", used]);
    for (const [, used = ""] of held.line.matchAll(/(?:destination|community) (?:in|matches-any) (\w\S*)/g))
      uses.push(["set", used]);
    const [, attached] = held.line.includes("\n")
      ? []
      : (/\broute-policy (\S+)(?: in| out)?$/.exec(held.line) ?? []);
    if (attached !== undefined) uses.push(["policy", attached]);
    const [, group] = /^use neighbor-group (\S+)$/.exec(held.line) ?? [];
    if (group !== undefined && !device.has(new RegExp(`^neighbor-group ${group}$`)))
      uses.push(["group", group]);
  }
  const known = { policy: policies, set: sets };
  return uses
    .filter(([what, name]) => what === "group" || !known[what === "policy" ? "policy" : "set"].has(name))
    .map(([what, name]) => `no ${what} ${name}`);
}

const neighbor = [
  one("remote-as", "\\d+"),
  one("use neighbor-group", "\\S+"),
  one("description"),
  one("password encrypted", "\\S+", { removed: ({ 0: line }) => ["no password", `no ${line}`] }),
  one("update-source", "\\S+"),
  one("timers", "\\d+ \\d+"),
  one("ebgp-multihop", "\\d+"),
  many("shutdown"),
  many("address-family ipv4 unicast", { opens: "peer-family" }),
];

const grammar: Grammar = {
  negate: "no",
  leaves: /^(?:exit|end|root)$/,
  fallsBack: false,
  closes: ({ line }) => (line.startsWith("route-policy") ? [] : ["!"]),
  last: "end",
  commit: faultsOf,
  texts: [
    { start: /^route-policy \S+$/, end: "end-policy" },
    { start: /^(?:prefix|community)-set \S+$/, end: "end-set" },
  ],
  modes: {
    top: [
      one("hostname", "\\S+"),
      one("domain name", "\\S+"),
      many("(ntp)", { opens: "ntp" }),
      many("vrf (\\S+)", { opens: "vrf" }),
      many("ipv4 access-list (\\S+)", { opens: "acl" }),
      many("interface Loopback\\d+", { opens: "interface" }),
      many("interface GigabitEthernet0/0/0/\\d+(?:\\.\\d+)?", { opens: "interface" }),
      {
        line: /^((?:prefix|community)-set \S+)\n/,
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      },
      {
        line: /^(route-policy \S+)\n/,
        slot: ([, name = ""]) => name,
        removed: ([, name]) => [`no ${name}`],
      },
      many("router static", { opens: "static" }),
      many("router ospf \\S+", { opens: "ospf" }),
      many("router bgp \\d+", { slot: () => "router bgp", refusesSecond: true, opens: "bgp" }),
    ],
    ntp: [
      many("(server \\S+)(?: prefer)?", {
        slot: ([, server = ""]) => server,
        removed: ([line, server]) => [`no ${server}`, `no ${line}`],
      }),
    ],
    vrf: [many("address-family ipv4 unicast", { opens: "vrf-family" })],
    "vrf-family": [
      many("import route-target", { opens: "targets" }),
      many("export route-target", { opens: "targets" }),
    ],
    targets: [many("\\d+:\\d+")],
    acl: [
      numbered("(\\d+) (?:permit|deny|remark) .*", ([, number = ""]) => number, { refusesSecond: false }),
    ],
    interface: [
      one("description"),
      one("mtu", "\\d+"),
      many("ipv4 address \\S+ \\S+", {
        slot: () => "ipv4 address",
        removed: ({ 0: line }) => ["no ipv4 address", `no ${line}`],
      }),
      many("ipv4 address \\S+ \\S+ secondary"),
      many("ipv4 access-group \\S+ (ingress|egress)", {
        slot: ([, way]) => `ipv4 access-group ${way}`,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      { ...many("shutdown"), removed: () => ["no shutdown"] },
    ],
    static: [many("address-family ipv4 unicast", { opens: "routes" })],
    routes: [many("\\S+/\\d+ \\S+(?: \\d+)?")],
    ospf: [one("router-id", "\\S+"), many("area \\d+", { opens: "area" })],
    area: [many("interface \\S+", { opens: "ospf-port" })],
    "ospf-port": [one("cost", "\\d+"), one("network", "\\S+"), many("passive enable")],
    bgp: [
      many("bgp router-id \\S+", {
        slot: () => "bgp router-id",
        removed: ({ 0: line }) => ["no bgp router-id", `no ${line}`],
      }),
      many("address-family ipv4 unicast", { opens: "family" }),
      many("neighbor-group \\S+", { opens: "neighbor" }),
      many("neighbor \\S+", { opens: "neighbor" }),
    ],
    family: [
      many("network \\S+(?: route-policy \\S+)?", {
        slot: ({ 0: line }) => line.split(" ").slice(0, 2).join(" "),
        removed: ({ 0: line }) => [`no ${line}`, `no ${line.split(" ").slice(0, 2).join(" ")}`],
      }),
      many("redistribute (\\S+)(?: route-policy \\S+)?", {
        slot: ([, what]) => `redistribute ${what}`,
        removed: ([line, what]) => [`no ${line}`, `no redistribute ${what}`],
      }),
    ],
    neighbor,
    "peer-family": [
      many("route-policy (\\S+) (in|out)", {
        slot: ([, , way]) => `route-policy ${way}`,
        removed: ({ 0: line }) => [`no ${line}`],
      }),
      many("next-hop-self"),
      one("maximum-prefix", "\\d+ \\d+"),
      { ...many("soft-reconfiguration inbound always") },
    ],
  },
};

const words = ["uplink", "to the core", "not used"] as const;

export const xr: SimulatedSystem = {
  make: () => new Device(grammar),
  lines: ({ one: pick, few, some, below }: Random) => {
    const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
    const inside = (header: string, ...lines: readonly string[]) => [
      header,
      ...lines.map((line) => ` ${line}`),
      "exit",
    ];
    const sets = few(["PS-A", "PS-B"], 0.8);
    const policies = few(["PASS", "IN", "OUT"], 0.8);
    const attached = () => pick(policies);
    const has = policies.length > 0;
    const group = some(0.5);
    const body = (name: string) => [
      `route-policy ${name}`,
      ...(sets.length > 0 && some(0.7)
        ? [
            `  if destination in ${pick(sets)} then`,
            `    set local-preference ${pick([100, 200])}`,
            "    pass",
            "  else",
            ...(some(0.5) ? ["    drop"] : ["    set med 10", "    pass"]),
            "  endif",
          ]
        : []),
      ...maybe(0.4, "  set community (65001:100)"),
      ...(name === "OUT" && policies.includes("PASS") ? maybe(0.5, "  apply PASS") : []),
      some(0.7) ? "  pass" : "  drop",
      "end-policy",
    ];
    const family = () =>
      inside(
        "address-family ipv4 unicast",
        ...(has ? maybe(0.6, `route-policy ${attached()} in`) : []),
        ...(has ? maybe(0.6, `route-policy ${attached()} out`) : []),
        ...maybe(0.3, "next-hop-self"),
        ...maybe(0.3, `maximum-prefix ${pick([100, 200])} 75`),
      );
    return [
      ...maybe(0.9, `hostname ${pick(["PE1", "PE2"])}`),
      ...maybe(0.5, `domain name ${pick(["example.net", "example.org"])}`),
      ...maybe(
        0.6,
        ...inside(
          "ntp",
          ...few(["192.0.2.1", "192.0.2.2"], 0.7).map(
            (host) => `server ${host}${some(0.3) ? " prefer" : ""}`,
          ),
        ),
      ),
      ...few(["BLUE", "RED"], 0.6).flatMap((name) =>
        inside(
          `vrf ${name}`,
          "address-family ipv4 unicast",
          ...["import", "export"].flatMap((way) =>
            maybe(0.7, `${way} route-target`, ...few(["65001:1", "65001:2"], 0.8), "exit"),
          ),
          "exit",
        ),
      ),
      ...few(["ACL-A", "ACL-B"], 0.7).flatMap((name) =>
        inside(
          `ipv4 access-list ${name}`,
          ...few([10, 20, 30, 40], 0.6).map(
            (seq) => `${seq} ${pick(["permit", "deny"])} tcp any any eq ${pick([22, 80, 443])}`,
          ),
        ),
      ),
      ...few([0, 1], 0.6).flatMap((id) =>
        inside(`interface Loopback${id}`, `ipv4 address 10.255.${id}.${1 + below(2)} 255.255.255.255`),
      ),
      ...few([0, 1, 2], 0.8).flatMap((port) =>
        inside(
          `interface GigabitEthernet0/0/0/${port}`,
          ...maybe(0.6, `description ${pick(words)}`),
          ...maybe(0.3, `mtu ${pick([9214, 9000])}`),
          ...maybe(
            0.7,
            `ipv4 address 10.${port}.${below(3)}.1 255.255.255.0`,
            ...maybe(0.3, `ipv4 address 10.${port}.${10 + below(3)}.1 255.255.255.0 secondary`),
          ),
          ...maybe(0.3, `ipv4 access-group ${pick(["ACL-A", "ACL-B"])} ${pick(["ingress", "egress"])}`),
          ...maybe(0.2, "shutdown"),
        ),
      ),
      ...sets.flatMap((name) => [
        `prefix-set ${name}`,
        ...few(["  10.0.0.0/8 le 24", "  172.16.0.0/12", "  192.0.2.0/24"], 0.6)
          .concat("  198.51.100.0/24")
          .map((line, at, all) => (at < all.length - 1 ? `${line},` : line)),
        "end-set",
      ]),
      ...policies.flatMap(body),
      ...maybe(
        0.7,
        ...inside(
          "router static",
          "address-family ipv4 unicast",
          ...few(["10.0.0.0/8", "172.16.0.0/12"], 0.7).map(
            (prefix) => `${prefix} ${pick(["192.0.2.1", "192.0.2.2"])}${some(0.3) ? " 200" : ""}`,
          ),
          "exit",
        ),
      ),
      ...maybe(
        0.6,
        ...inside(
          "router ospf CORE",
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          "area 0",
          ...few(["Loopback0", "GigabitEthernet0/0/0/0"], 0.7).flatMap((name) => [
            `interface ${name}`,
            ...maybe(0.5, `cost ${pick([10, 20])}`),
            ...maybe(0.3, "passive enable"),
            "exit",
          ]),
          "exit",
        ),
      ),
      ...maybe(
        0.9,
        ...inside(
          `router bgp ${pick([65001, 65001, 65001, 65009])}`,
          ...maybe(0.6, `bgp router-id 10.255.0.${1 + below(2)}`),
          ...inside(
            "address-family ipv4 unicast",
            ...few(["network 10.0.0.0/8", "network 10.1.0.0/16"], 0.5).map((line) =>
              has && some(0.3) ? `${line} route-policy ${attached()}` : line,
            ),
            ...few(["connected", "static"], 0.4).map(
              (what) => `redistribute ${what}${has && some(0.4) ? ` route-policy ${attached()}` : ""}`,
            ),
          ),
          ...(group
            ? inside(
                "neighbor-group PE",
                ...maybe(0.8, "remote-as 65001"),
                ...maybe(0.4, "update-source Loopback0"),
              )
            : []),
          ...few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6).flatMap((address) =>
            inside(
              `neighbor ${address}`,
              ...(group && some(0.5) ? ["use neighbor-group PE"] : [`remote-as ${pick([65002, 65003])}`]),
              ...maybe(0.4, `description ${pick(words)}`),
              ...maybe(0.3, `password encrypted ${pick(["0822455D", "13061E01"])}`),
              ...maybe(0.3, `timers ${pick(["3 9", "10 30"])}`),
              ...maybe(0.7, ...family()),
            ),
          ),
        ),
      ),
    ];
  },
};
