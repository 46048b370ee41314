/** What switches with NX-OS and EOS have in common: commands of modes, and lines of random configurations. */
import type { Random } from "../frr-configurations.ts";
import { type Command, many, numbered, one } from "./device.ts";

export const words = ["uplink", "to the core", "not used"] as const;

export const prefixList = numbered(
  "(ip prefix-list \\S+ seq \\d+) (?:permit|deny) \\S+(?: le \\d+)?",
  ([, name = ""]) => name,
);
export const routeMap = numbered(
  "(route-map \\S+) (?:permit|deny) (\\d+)",
  ([, name, seq]) => `${name} ${seq}`,
  { opens: "policy", removed: ({ 0: line }) => [`no ${line}`] },
);
export const routerBgp = (more: Partial<Command> = {}) =>
  many("router bgp \\d+", { slot: () => "router bgp", refusesSecond: true, opens: "bgp", ...more });
export const aclEntries: readonly Command[] = [
  numbered("(\\d+) (?:permit|deny|remark) .*", ([, number = ""]) => number),
];

/** A port channel with members stays. */
export const portChannel = (name: string) =>
  many(`interface ${name}(\\d+)`, {
    opens: "interface",
    kept: ([, id], device) =>
      device.has(new RegExp(`^channel-group ${id} `)) ? "it has members" : undefined,
  });

/** The first address goes last. */
export const addresses = (refused: NonNullable<Command["refused"]>): readonly Command[] => [
  many("ip address (\\S+/\\d+)", {
    slot: () => "ip address",
    refused,
    removed: ({ 0: line }) => ["no ip address", `no ${line}`],
    kept: (_, __, here) =>
      [...here.held.keys()].some((slot) => slot.endsWith(" secondary"))
        ? "there are secondary ones"
        : undefined,
  }),
  many("ip address \\S+/\\d+ secondary", {
    refused: (_, __, here) => (here.held.has("ip address") ? undefined : "no primary address"),
  }),
];

export const switched: readonly Command[] = ["access vlan", "trunk native vlan"].map((what) =>
  one(`switchport ${what}`, "\\d+", { removed: () => [`no switchport ${what}`] }),
);

export const linesOf = (random: Random) => {
  const { one: pick, few, some, below } = random;
  const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
  return {
    maybe,
    address: (port: number) =>
      maybe(
        0.8,
        `ip address 10.${port}.${below(3)}.1/24`,
        ...maybe(0.3, `ip address 10.${port}.${10 + below(3)}.1/24 secondary`),
      ),
    trunk: () => [
      ...maybe(0.4, `switchport access vlan ${pick([10, 20, 30])}`),
      ...maybe(0.3, "switchport trunk native vlan 99"),
      ...maybe(
        0.6,
        `switchport trunk allowed vlan ${few([10, 11, 12, 20, 30, 31, 40], 0.6).join(",") || "7"}`,
      ),
    ],
    ntp: () =>
      few(["192.0.2.1", "192.0.2.2"], 0.5).map((host) => `ntp server ${host}${some(0.3) ? " prefer" : ""}`),
    routes: () =>
      few(["10.0.0.0/8", "172.16.0.0/12"], 0.5).map(
        (prefix) => `ip route ${prefix} ${pick(["192.0.2.1", "192.0.2.2"])}${some(0.3) ? " 200" : ""}`,
      ),
    entries: () =>
      few([10, 20, 30, 40], 0.6).map(
        (seq) => `${seq} ${pick(["permit", "deny"])} tcp any any eq ${pick([22, 80, 443])}`,
      ),
    prefixes: () =>
      few([5, 10, 15], 0.6).map(
        (seq) =>
          `ip prefix-list PL-A seq ${seq} ${pick(["permit", "deny"])} ${pick(["10.0.0.0/8 le 24", "192.0.2.0/24"])}`,
      ),
    policy: () => [
      ...maybe(0.5, "match ip address prefix-list PL-A"),
      ...maybe(0.4, `set local-preference ${pick([100, 200])}`),
      ...maybe(0.3, `set metric ${pick([10, 20])}`),
    ],
  };
};
