/** Switches with Huawei VRP and HP Comware, whose lines are removed by `undo` and a shorter form. */
import type { Random } from "../frr-configurations.ts";
import { type Command, type Grammar, ModeDevice, many, rangesOf, type SimulatedSystem } from "./device.ts";

const plain = (words: string, value = "\\S.*", more: Partial<Command> = {}): Command => ({
  line: new RegExp(`^${words} (${value})$`),
  slot: () => words,
  removed: () => [`undo ${words}`],
  ...more,
});

/** Entries that are removed by what the first group has. */
const keyed = (form: string, more: Partial<Command> = {}): Command => ({
  line: new RegExp(`^${form}$`),
  slot: ([, key = ""]) => key,
  removed: ([, key]) => [`undo ${key}`],
  ...more,
});

/** `10 20 to 30`; a line takes ten pieces at most, and adds to what is there. */
function vlanList(words: string, more: Partial<Command> = {}): Command {
  return {
    line: new RegExp(`^${words}$`),
    slot: () => words,
    list: {
      reads: (line) => {
        const [, undo, text = ""] =
          new RegExp(`^(undo )?${words} ((?:\\d+(?: to \\d+)? ?)+)$`).exec(line) ?? [];
        const pieces = text
          .replaceAll(/ to /g, "-")
          .split(" ")
          .filter((piece) => piece !== "");
        if (pieces.length === 0 || pieces.length > 10) return undefined;
        const numbers = pieces.flatMap((piece) => {
          const [from = 0, to = from] = piece.split("-").map(Number);
          return Array.from({ length: to - from + 1 }, (_, at) => from + at);
        });
        return { does: undo === undefined ? "add" : "remove", numbers };
      },
      shows: (numbers) => {
        const ranges = rangesOf(numbers).map(([from, to]) =>
          from === to ? String(from) : `${from} to ${to}`,
        );
        return Array.from(
          { length: Math.ceil(ranges.length / 10) },
          (_, at) => `${words} ${ranges.slice(at * 10, at * 10 + 10).join(" ")}`,
        );
      },
    },
    ...more,
  };
}

const needsLink =
  (type: string): NonNullable<Command["refused"]> =>
  (_, __, here) =>
    here.held.get("port link-type")?.line.endsWith(type) === true
      ? undefined
      : `the link type is not ${type}`;

const grammarOf = (isVrp: boolean): Grammar => {
  const acl = isVrp ? "acl number" : "acl advanced";
  const trunk = isVrp ? "port trunk allow-pass vlan" : "port trunk permit vlan";
  const access = isVrp ? "port default vlan" : "port access vlan";
  const prefixes = isVrp ? "ip ip-prefix" : "ip prefix-list";
  const filter = isVrp ? "traffic-filter (?:in|out)bound acl (\\d+)" : "packet-filter (\\d+) (?:in|out)bound";
  const port = isVrp ? "GigabitEthernet0/0/" : "GigabitEthernet1/0/";
  const hasSetting =
    (start: RegExp): NonNullable<Command["refused"]> =>
    (_, __, here) =>
      [...here.held.values()].some(({ line, numbers, command }) =>
        start.test(numbers === undefined ? line : command.line.source.slice(1)),
      )
        ? "renew the default configurations first"
        : undefined;
  return {
    negate: "undo",
    leaves: /^(?:quit|return)$/,
    fallsBack: false,
    between: "#",
    last: "return",
    modes: {
      top: [
        plain("sysname", "\\S+"),
        keyed("(ntp-service unicast-server \\S+)(?: priority \\d+)?"),
        keyed("(info-center loghost \\S+)"),
        plain("snmp-agent sys-info location"),
        ...(isVrp ? [vlanList("vlan batch")] : []),
        many("vlan \\d+", { opens: "vlan", vanishes: isVrp }),
        keyed(`(${acl} \\d+)`, {
          opens: "acl",
          kept: ({ 0: line }, device) =>
            device.has(new RegExp(`^(?:traffic|packet)-filter.* ${line.split(" ").at(-1)}\\b`))
              ? "it is used"
              : undefined,
        }),
        ...(isVrp
          ? [many("aaa", { opens: "aaa", fixed: ["aaa"] })]
          : [many("local-user \\S+ class manage", { opens: "user" })]),
        many("interface (?:Vlanif|Vlan-interface|LoopBack)\\d+", { opens: "interface" }),
        many(`interface ${port}\\d+`, {
          opens: "interface",
          fixed: [1, 2, 3, 4].map((id) => `interface ${port}${id}`),
        }),
        keyed("(bgp) \\d+", {
          refusesSecond: true,
          opens: "bgp",
          removed: ({ 0: line }) => ["undo bgp", `undo ${line}`],
        }),
        keyed("(ospf \\d+)(?: router-id \\S+)?", { opens: "ospf", refusesSecond: true }),
        keyed("(route-policy \\S+) (?:permit|deny) node (\\d+)", {
          slot: ([, name, node]) => `${name} node ${node}`,
          removed: ([, name, node]) => [`undo ${name} node ${node}`],
          refusesSecond: true,
          opens: "policy",
        }),
        keyed(`(${prefixes} \\S+ index \\d+) (?:permit|deny) \\S+ \\d+(?: less-equal \\d+)?`, {
          refusesSecond: true,
        }),
        keyed("(ip route-static \\S+ \\S+ \\S+)(?: preference \\d+)?", { refusesSecond: true }),
      ],
      vlan: [plain("name", "\\S+"), plain("description")],
      acl: [keyed("(rule \\d+) (?:permit|deny) .*", { refusesSecond: true }), plain("description")],
      aaa: [
        many("local-user (\\S+) password irreversible-cipher \\S+", {
          slot: ([, name]) => `user ${name}`,
          removed: ([, name]) => [`undo local-user ${name}`],
          also: ([, name], _, here) => {
            if (here.held.has(`user ${name}`)) return;
            for (const [slot, { line }] of [...here.held])
              if (line.startsWith(`local-user ${name} `)) here.held.delete(slot);
          },
        }),
        ...["privilege level", "service-type"].map((what) =>
          many(`local-user (\\S+) ${what} \\S+`, {
            slot: ([, name]) => `${what} ${name}`,
            removed: ([, name]) => [`undo local-user ${name} ${what}`],
            refused: ([, name], _, here) => (here.held.has(`user ${name}`) ? undefined : "no such user"),
          }),
        ),
      ],
      user: [
        plain("password hash", "\\S+", { removed: () => ["undo password"] }),
        many("service-type \\S+"),
        many("authorization-attribute user-role \\S+"),
      ],
      interface: [
        plain("description"),
        plain("mtu", "\\d+"),
        plain("port link-type", "trunk|access", {
          refused: (found, device, here) =>
            here.held.get("port link-type")?.line === found[0]
              ? undefined
              : hasSetting(/^port (?:trunk|default|access)/)(found, device, here),
          kept: hasSetting(/^port (?:trunk|default|access)/),
        }),
        plain(access, "\\d+", { refused: needsLink("access") }),
        plain("port trunk pvid vlan", "\\d+", { refused: needsLink("trunk") }),
        vlanList(trunk, { refused: needsLink("trunk") }),
        many("ip address \\S+ \\S+", {
          slot: () => "ip address",
          removed: ({ 0: line }) => ["undo ip address", `undo ${line}`],
          kept: (_, __, here) =>
            [...here.held.keys()].some((slot) => slot.endsWith(" sub"))
              ? "delete the sub addresses first"
              : undefined,
        }),
        many("ip address \\S+ \\S+ sub", {
          refused: (_, __, here) => (here.held.has("ip address") ? undefined : "no main address"),
        }),
        keyed(filter, {
          slot: () => "filter",
          removed: ({ 0: line }) => [`undo ${line}`],
          refusesSecond: true,
          refused: ([, id], device) => (device.top.held.has(`${acl} ${id}`) ? undefined : "no such ACL"),
        }),
        keyed("(shutdown)"),
        many("undo shutdown", { slot: () => "shutdown", isDefault: () => true }),
      ],
      bgp: [
        plain("router-id", "\\S+"),
        many("peer (\\S+) as-number \\d+", {
          slot: ([, name]) => `peer ${name}`,
          refusesSecond: true,
          removed: ([, name]) => [`undo peer ${name}`],
          also: ([, name], device, here) => {
            if (here.held.has(`peer ${name}`)) return;
            for (const { mode, held } of [...device.all(here)])
              if (held.line.startsWith(`peer ${name} `)) mode.held.delete(held.command.slot(held.found));
          },
        }),
        ...["description", "connect-interface", "ebgp-max-hop", "password cipher"].map((what) =>
          many(`peer (\\S+) ${what} (\\S.*)`, {
            slot: ([, name]) => `peer ${name} ${what}`,
            removed: ([, name]) => [`undo peer ${name} ${what.split(" ")[0]}`],
            refused: ([, name], _, here) =>
              here.held.has(`peer ${name}`) ? undefined : "create the peer first",
          }),
        ),
        many(isVrp ? "ipv4-family unicast" : "address-family ipv4 unicast", {
          opens: "family",
          vanishes: isVrp,
        }),
      ],
      family: [
        many("network \\S+ \\S+"),
        keyed("(import-route \\S+)(?: route-policy \\S+)?"),
        many("peer (\\S+) enable", {
          refused: ([, name], device) =>
            device.has(new RegExp(`^peer ${name} as-number`)) ? undefined : "create the peer first",
        }),
        many("peer (\\S+) (route-policy \\S+) (import|export)", {
          slot: ([, name, , way]) => `peer ${name} ${way}`,
          removed: ([, name, policy, way]) => [`undo peer ${name} ${policy} ${way}`],
          refused: ([, name, policy], device) =>
            !device.has(new RegExp(`^peer ${name} as-number`))
              ? "create the peer first"
              : device.has(new RegExp(`^${policy} (?:permit|deny) node`))
                ? undefined
                : "no such policy",
        }),
      ],
      ospf: [many("area \\S+", { opens: "area" })],
      area: [many("network \\S+ \\S+")],
      policy: [
        plain(isVrp ? "if-match ip-prefix" : "if-match ip address prefix-list", "\\S+"),
        plain("apply local-preference", "\\d+"),
        plain("apply cost", "\\d+"),
      ],
    },
  };
};

const systemOf = (isVrp: boolean): SimulatedSystem => ({
  make: () => new ModeDevice(grammarOf(isVrp)),
  lines: ({ one: pick, few, some, below }: Random) => {
    const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
    const inside = (header: string, ...lines: readonly string[]) => [header, ...lines, "quit"];
    const words = ["uplink", "to the core", "not used"] as const;
    const ids = few([10, 20, 21, 22, 30, 40, 41, 50, 60, 62, 64, 66, 68, 70, 72, 74], 0.6);
    const acls = few([3000, 3001], 0.7);
    const policies = few(["RP-IN", "RP-OUT"], 0.7);
    const port = isVrp ? "GigabitEthernet0/0/" : "GigabitEthernet1/0/";
    const mask = isVrp ? "255.255.255.0" : "24";
    const filter = (id: number) =>
      isVrp ? `traffic-filter inbound acl ${id}` : `packet-filter ${id} inbound`;
    const list = (numbers: readonly number[]) =>
      Array.from({ length: Math.ceil(numbers.length / 8) }, (_, at) =>
        numbers.slice(at * 8, at * 8 + 8).join(" "),
      );
    return [
      ...maybe(0.9, `sysname ${pick(["sw1", "sw2"])}`),
      ...few(["192.0.2.1", "192.0.2.2"], 0.5).map(
        (host) => `ntp-service unicast-server ${host}${some(0.3) ? " priority 2" : ""}`,
      ),
      ...few(["192.0.2.7", "192.0.2.8"], 0.4).map((host) => `info-center loghost ${host}`),
      ...maybe(0.4, `snmp-agent sys-info location ${pick(["row 1", "row 2 rack 3"])}`),
      ...(isVrp ? list(ids).map((text) => `vlan batch ${text}`) : ids.flatMap((id) => inside(`vlan ${id}`))),
      ...few(ids, 0.3).flatMap((id) =>
        inside(`vlan ${id}`, ...maybe(0.6, `name v${id}${pick(["a", "b"])}`), `description ${pick(words)}`),
      ),
      ...acls.flatMap((id) =>
        inside(
          `${isVrp ? "acl number" : "acl advanced"} ${id}`,
          ...few([5, 10, 15, 20], 0.6).map(
            (rule) =>
              `rule ${rule} ${pick(["permit", "deny"])} tcp destination-port eq ${pick([22, 80, 443])}`,
          ),
        ),
      ),
      ...(isVrp
        ? inside(
            "aaa",
            ...few(["admin", "oper"], 0.7).flatMap((name) => [
              `local-user ${name} password irreversible-cipher ${pick(["$1a$aaa", "$1a$bbb"])}`,
              ...maybe(0.7, `local-user ${name} privilege level ${pick([3, 15])}`),
              ...maybe(0.6, `local-user ${name} service-type ssh`),
            ]),
          )
        : few(["admin", "oper"], 0.7).flatMap((name) =>
            inside(
              `local-user ${name} class manage`,
              `password hash ${pick(["$h$6$aa", "$h$6$bb"])}`,
              ...maybe(0.7, "service-type ssh"),
              ...maybe(0.6, `authorization-attribute user-role ${pick(["network-admin", "level-1"])}`),
            ),
          )),
      ...policies.flatMap((name) =>
        [10, ...few([20, 30], 0.5)].flatMap((node) =>
          inside(
            `route-policy ${name} ${pick(["permit", "deny"])} node ${node}`,
            ...maybe(
              0.5,
              `${isVrp ? "if-match ip-prefix" : "if-match ip address prefix-list"} ${pick(["P1", "P2"])}`,
            ),
            ...maybe(0.5, `apply local-preference ${pick([100, 200])}`),
            ...maybe(0.3, `apply cost ${pick([10, 20])}`),
          ),
        ),
      ),
      ...few([1, 2, 3, 4], 0.8).flatMap((id) => {
        const link = pick(["trunk", "access", "none"]);
        return inside(
          `interface ${port}${id}`,
          ...maybe(0.6, `description ${pick(words)}`),
          ...maybe(0.2, "mtu 9000"),
          ...(link === "none" ? [] : [`port link-type ${link}`]),
          ...(link === "access"
            ? maybe(0.8, `${isVrp ? "port default vlan" : "port access vlan"} ${pick([10, 20])}`)
            : []),
          ...(link === "trunk"
            ? [
                ...maybe(0.4, `port trunk pvid vlan ${pick([10, 20])}`),
                ...maybe(
                  0.8,
                  ...list(few(ids, 0.7)).map(
                    (text) => `${isVrp ? "port trunk allow-pass vlan" : "port trunk permit vlan"} ${text}`,
                  ),
                ),
              ]
            : []),
          ...(acls.length > 0 ? maybe(0.4, filter(pick(acls))) : []),
          ...maybe(0.2, "shutdown"),
        );
      }),
      ...few([10, 20], 0.7).flatMap((id) =>
        inside(
          `interface ${isVrp ? "Vlanif" : "Vlan-interface"}${id}`,
          ...maybe(0.4, `description ${pick(words)}`),
          ...maybe(
            0.8,
            `ip address 10.${id}.${below(3)}.1 ${mask}`,
            ...maybe(0.3, `ip address 10.${id}.${10 + below(3)}.1 ${mask} sub`),
          ),
        ),
      ),
      ...maybe(
        0.8,
        ...inside(
          `bgp ${pick([65001, 65001, 65001, 65009])}`,
          ...maybe(0.6, `router-id 10.255.0.${1 + below(2)}`),
          ...few(["10.0.0.2", "10.0.0.3", "192.0.2.9"], 0.6).flatMap((name) => [
            `peer ${name} as-number ${pick([65002, 65003])}`,
            ...maybe(0.5, `peer ${name} description ${pick(words)}`),
            ...maybe(0.3, `peer ${name} connect-interface LoopBack${below(2)}`),
            ...maybe(0.2, `peer ${name} password cipher ${pick(["%^%#aaa", "%^%#bbb"])}`),
            ...maybe(
              0.7,
              isVrp ? "ipv4-family unicast" : "address-family ipv4 unicast",
              `peer ${name} enable`,
              ...(policies.length > 0
                ? maybe(0.6, `peer ${name} route-policy ${pick(policies)} import`)
                : []),
              "quit",
            ),
          ]),
          ...maybe(
            0.6,
            isVrp ? "ipv4-family unicast" : "address-family ipv4 unicast",
            ...few(["network 10.0.0.0 8", "network 10.1.0.0 16"], 0.5),
            ...maybe(
              0.4,
              `import-route static${policies.length > 0 && some(0.5) ? ` route-policy ${pick(policies)}` : ""}`,
            ),
            "quit",
          ),
        ),
      ),
      ...maybe(
        0.5,
        ...inside(
          `ospf 1${some(0.6) ? ` router-id 10.255.0.${1 + below(2)}` : ""}`,
          ...maybe(
            0.9,
            "area 0.0.0.0",
            ...few(["network 10.0.0.0 0.255.255.255", "network 192.0.2.0 0.0.0.255"], 0.6),
            "quit",
          ),
        ),
      ),
      ...few([5, 10, 15], 0.6).map(
        (index) =>
          `${isVrp ? "ip ip-prefix" : "ip prefix-list"} P1 index ${index} ${pick(["permit", "deny"])} ${pick(["10.0.0.0 8 less-equal 24", "192.0.2.0 24"])}`,
      ),
      ...few([`10.0.0.0 ${mask}`, `172.16.0.0 ${mask}`], 0.5).map(
        (prefix) =>
          `ip route-static ${prefix} ${pick(["192.0.2.1", "192.0.2.2"])}${some(0.3) ? " preference 80" : ""}`,
      ),
    ];
  },
});

export const vrp = systemOf(true);
export const comware = systemOf(false);
