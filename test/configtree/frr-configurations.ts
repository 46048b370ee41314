/** Random configurations of FRR, as its vtysh shows them. */

/** Numbers that follow from a seed. */
export function randomFrom(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    some: (chance) => next() < chance,
    one: (of) => {
      const picked = of[below(of.length)];
      if (picked === undefined) throw new RangeError("nothing to pick from");
      return picked;
    },
    few: (of, chance) => of.filter(() => next() < chance),
  };
}

export interface Random {
  below(most: number): number;
  some(chance: number): boolean;
  one<T>(of: readonly T[]): T;
  few<T>(of: readonly T[], chance: number): T[];
}

const prefixes = ["10.0.0.0/8", "10.1.0.0/16", "10.2.3.0/24", "172.16.0.0/12", "192.0.2.0/24"] as const;
const lists = ["PL-A", "PL-B", "PL-C"] as const;
const maps = ["RM-IN", "RM-OUT", "RM-X"] as const;
const peers = ["192.0.2.9", "192.0.2.10", "198.51.100.7", "2001:db8::9"] as const;
const communities = ["CL-A", "CL-B"] as const;

export const interfaces = ["eth8", "eth9", "dum0"] as const;

/** One configuration: each part is there or not, with one of a few values, so that two have much in common. */
export function frrConfiguration(random: Random): string {
  const { one, few, some, below } = random;
  const lines: string[] = [
    "frr version 8.4.4",
    "frr defaults traditional",
    "hostname R1",
    "service integrated-vtysh-config",
  ];
  const shift = below(2);
  const section = (header: string, inside: readonly string[], leave = "exit") => {
    lines.push(header, ...inside.map((line) => ` ${line}`), leave);
  };
  for (const prefix of few(prefixes, 0.4))
    lines.push(
      `ip route ${prefix} ${one(["192.0.2.1", "192.0.2.2", "blackhole", "Null0"])}${some(0.3) ? ` ${one(["50", "200"])}` : ""}`,
    );
  for (const [at, name] of few(interfaces, 0.6).entries()) {
    const inside = [
      ...(some(0.6) ? [`description ${one(["uplink", "to the core", "no longer used"])}`] : []),
      ...(some(0.4) ? [`ip address ${one([`10.9.${at}.1/24`, `10.9.${at + 10}.1/24`])}`] : []),
      ...(some(0.3) ? ["ip ospf area 0"] : []),
      ...(some(0.3) ? [`ip ospf cost ${one([10, 20, 300])}`] : []),
      ...(some(0.2) ? ["ip ospf passive"] : []),
    ];
    if (inside.length > 0) section(`interface ${name}`, inside);
  }
  if (some(0.8)) bgp(random, lines);
  if (some(0.6)) {
    section("router ospf", [
      ...(some(0.5) ? [`ospf router-id ${one(["192.0.2.1", "192.0.2.2"])}`] : []),
      ...(some(0.3) ? ["log-adjacency-changes"] : []),
      ...few(
        ["redistribute connected", "redistribute static metric 20", `redistribute bgp route-map ${maps[2]}`],
        0.3,
      ),
      ...few(["default-information originate", "passive-interface default"], 0.2),
    ]);
  }
  // The daemons refuse an entry that a list has already.
  for (const name of few(["ACL-A", "ACL-B"], 0.5))
    for (const seq of few([5, 10, 15, 20], 0.5))
      lines.push(
        `access-list ${name} seq ${seq} ${one(["permit", "deny"])} ${prefixes[(seq / 5 + shift) % prefixes.length]}`,
      );
  for (const name of few(lists, 0.6))
    for (const seq of few([5, 10, 15, 20], 0.6)) {
      const length = seq === 20 ? " le 25" : some(0.4) ? " le 24" : "";
      lines.push(
        `ip prefix-list ${name} seq ${seq} ${one(["permit", "deny"])} ${prefixes[(seq / 5 + shift) % 3]}${length}`,
      );
    }
  for (const name of few(communities, 0.4))
    for (const seq of few([5, 10], 0.7))
      lines.push(`bgp community-list standard ${name} seq ${seq} permit 65001:${seq * 10 + shift}`);
  for (const name of few(maps, 0.7))
    for (const seq of few([10, 20, 30], 0.6)) {
      const inside = [
        ...(some(0.2) ? [`description ${one(["first", "second line"])}`] : []),
        ...(some(0.4)
          ? [
              `match ${one([`ip address prefix-list ${one(lists)}`, `community ${one(communities)}`, "ip address ACL-A"])}`,
            ]
          : []),
        ...(some(0.3) ? [`set community ${one(["65001:100", "65001:100 65001:200", "no-export"])}`] : []),
        ...(some(0.3) ? [`set local-preference ${100 + 50 * below(3)}`] : []),
        ...(some(0.3) ? [`set metric ${10 * below(4)}`] : []),
      ];
      section(`route-map ${name} ${one(["permit", "permit", "deny"])} ${seq}`, inside);
    }
  return lines.map((line) => `${line}\n`).join("");
}

function bgp({ one, few, some }: Random, lines: string[]): void {
  const group = some(0.4);
  const here = few(peers, 0.55);
  const own: string[] = [];
  const v4: string[] = [];
  const v6: string[] = [];
  if (some(0.5)) own.push(`bgp router-id ${one(["192.0.2.1", "192.0.2.2"])}`);
  if (some(0.3)) own.push("bgp log-neighbor-changes");
  if (some(0.3)) own.push("no bgp ebgp-requires-policy");
  if (group) own.push("neighbor PG peer-group", "neighbor PG remote-as 65009");
  for (const peer of here) {
    const isMember = group && some(0.4);
    own.push(
      isMember ? `neighbor ${peer} peer-group PG` : `neighbor ${peer} remote-as ${one([65002, 65003])}`,
    );
    if (some(0.4)) own.push(`neighbor ${peer} description ${one(["transit", "peer at the exchange"])}`);
    if (some(0.2)) own.push(`neighbor ${peer} ebgp-multihop ${one([2, 5])}`);
    if (some(0.3)) own.push(`neighbor ${peer} timers ${one(["10 30", "5 15"])}`);
    if (some(0.2)) own.push(`neighbor ${peer} shutdown`);
    const family = peer.includes(":") ? v6 : v4;
    if (peer.includes(":")) family.push(`neighbor ${peer} activate`);
    if (some(0.3)) family.push(`neighbor ${peer} next-hop-self`);
    if (some(0.3)) family.push(`neighbor ${peer} soft-reconfiguration inbound`);
    if (some(0.3)) family.push(`neighbor ${peer} prefix-list ${one(lists)} ${one(["in", "out"])}`);
    if (some(0.4)) family.push(`neighbor ${peer} route-map ${one(maps)} ${one(["in", "out"])}`);
    if (some(0.2)) family.push(`neighbor ${peer} maximum-prefix ${one([100, 200])}`);
  }
  const networks = few(prefixes, 0.3).map((prefix) => `network ${prefix}`);
  const redistributed = few(["redistribute connected", "redistribute static"], 0.3).map((line) =>
    some(0.4) ? `${line} route-map ${one(maps)}` : line,
  );
  const family = (name: string, inside: readonly string[]) =>
    inside.length === 0
      ? []
      : [` address-family ${name} unicast`, ...inside.map((line) => `  ${line}`), " exit-address-family"];
  lines.push("router bgp 65001", ...own.map((line) => ` ${line}`));
  lines.push(...family("ipv4", [...networks, ...redistributed, ...v4]), ...family("ipv6", v6), "exit");
}
