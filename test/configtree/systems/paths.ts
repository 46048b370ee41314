/** Routers with Junos and VyOS. */
import type { Random } from "../frr-configurations.ts";
import type { SimulatedSystem } from "./device.ts";
import { flag, group, names, PathDevice, type Schema, value, values } from "./path-device.ts";

const address = /^[\d.]+\/\d+$/;
const ip = /^[\d.]+$/;
const number = /^\d+$/;

/** An object written with that property looks like a promise. */
const then = (of: Schema) => Object.fromEntries([["th", "en"].join("")].map((word) => [word, of]));

const actions = group({
  "local-preference": value(number),
  community: group({ add: values() }),
  accept: flag,
  reject: flag,
});
const junosSchema = group({
  system: group({
    "host-name": value(),
    "root-authentication": group({ "encrypted-password": value() }),
    "name-server": names({}, ip),
    login: group({
      user: names({
        class: value(/^(super-user|operator)$/),
        authentication: group({ "encrypted-password": value() }),
      }),
    }),
    services: group({
      ssh: group({ "root-login": value(/^(allow|deny)$/) }, true),
      netconf: group({ ssh: flag }),
    }),
    ntp: group({ server: names({ prefer: flag }, ip) }),
  }),
  interfaces: names(
    {
      description: value(),
      mtu: value(number),
      "native-vlan-id": value(number),
      unit: names(
        {
          description: value(),
          "vlan-id": value(number),
          family: group({
            inet: group({ address: names({ primary: flag }, address) }, true),
            mpls: group({}, true),
          }),
        },
        number,
      ),
    },
    /^(?:ge-0\/0\/\d|lo0)$/,
    { isWrapped: true },
  ),
  "routing-options": group({
    "router-id": value(ip),
    "autonomous-system": value(number),
    static: group({
      route: names({ "next-hop": values(), discard: flag, preference: value(number) }, address),
    }),
  }),
  protocols: group({
    bgp: group({
      group: names({
        type: value(/^(internal|external)$/),
        "local-address": value(ip),
        import: values(true),
        export: values(true),
        "peer-as": value(number),
        neighbor: names(
          { description: value(), "peer-as": value(number), "authentication-key": value() },
          ip,
        ),
      }),
    }),
    ospf: group({ area: names({ interface: names({ metric: value(number), passive: flag }) }, /^[\d.]+$/) }),
    lldp: group({ interface: names({}) }),
  }),
  "policy-options": group({
    "prefix-list": names({}, undefined, { each: names({}, address, { stays: true }) }),
    "policy-statement": names({
      term: names(
        { from: group({ protocol: values(), "prefix-list": values() }), ...then(actions) },
        undefined,
        { inOrder: true },
      ),
      ...then(actions),
    }),
  }),
  firewall: group({
    family: group({
      inet: group({
        filter: names({
          term: names(
            {
              from: group({ protocol: values(), "destination-port": values() }),
              ...then(group({ count: value(), accept: flag, discard: flag })),
            },
            undefined,
            { inOrder: true },
          ),
        }),
      }),
    }),
  }),
});

const junosFaults = (paths: readonly string[]): string[] => {
  const all = new Set(
    paths.flatMap(
      (path) =>
        /^policy-options (policy-statement|prefix-list) (\S+)/.exec(path)?.slice(1, 3).join(" ") ?? [],
    ),
  );
  return paths.flatMap((path) => {
    const [, policy] = /^protocols bgp .* (?:import|export) (\S+)$/.exec(path) ?? [];
    const [, list] = / from prefix-list (\S+)$/.exec(path) ?? [];
    return [
      ...(policy !== undefined && !all.has(`policy-statement ${policy}`)
        ? [`policy ${policy} is not defined`]
        : []),
      ...(list !== undefined && !all.has(`prefix-list ${list}`)
        ? [`prefix-list ${list} is not defined`]
        : []),
    ];
  });
};

const words = ["uplink", "to the core", "not used"] as const;
const shuffled = <T>({ below }: Random, all: readonly T[]): T[] => {
  const rest = [...all];
  return all.map(() => rest.splice(below(rest.length), 1)[0] as T);
};

export const junos: SimulatedSystem = {
  make: () => new PathDevice(junosSchema, '"', junosFaults),
  lines: (random: Random) => {
    const { one: pick, few, some, below } = random;
    const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
    const policies = few(["IN", "OUT", "STATIC"], 0.8);
    const lists = few(["PL-A", "PL-B"], 0.8);
    const paths = [
      ...maybe(0.9, `system host-name ${pick(["r1", "r2"])}`),
      ...maybe(0.6, `system root-authentication encrypted-password "${pick(["$6$a", "$6$b"])}"`),
      ...few(["192.0.2.53", "192.0.2.54"], 0.5).map((host) => `system name-server ${host}`),
      ...few(["ops", "noc"], 0.6).flatMap((user) => [
        `system login user ${user} class ${pick(["super-user", "operator"])}`,
        ...maybe(
          0.6,
          `system login user ${user} authentication encrypted-password "${pick(["$6$c", "$6$d"])}"`,
        ),
      ]),
      ...maybe(
        0.7,
        some(0.5) ? "system services ssh" : `system services ssh root-login ${pick(["allow", "deny"])}`,
      ),
      ...maybe(0.5, "system services netconf ssh"),
      ...few(["192.0.2.1", "192.0.2.2"], 0.6).map(
        (host) => `system ntp server ${host}${some(0.3) ? " prefer" : ""}`,
      ),
      ...few(["ge-0/0/0", "ge-0/0/1", "ge-0/0/2", "lo0"], 0.8).flatMap((port, at) => [
        ...maybe(0.6, `interfaces ${port} description "${pick(words)}"`),
        ...maybe(0.3, `interfaces ${port} mtu ${pick([9000, 9192])}`),
        `interfaces ${port} unit 0`,
        ...maybe(0.3, `interfaces ${port} unit 0 description "${pick(words)}"`),
        ...maybe(
          0.8,
          "family inet",
          ...few([0, 1, 2], 0.6).map((id) => `family inet address 10.${at}.${id}.1/24`),
        ).map((line) => `interfaces ${port} unit 0 ${line}`),
        ...maybe(0.3, `interfaces ${port} unit 0 family mpls`),
        ...maybe(
          0.3,
          `interfaces ${port} unit 100 vlan-id 100`,
          `interfaces ${port} unit 100 family inet address 10.${at}.100.1/24`,
        ),
      ]),
      ...maybe(0.6, `routing-options router-id 10.255.0.${1 + below(2)}`),
      ...maybe(0.8, `routing-options autonomous-system ${pick([65001, 65009])}`),
      ...few(["0.0.0.0/0", "10.0.0.0/8"], 0.6).flatMap((route) => [
        `routing-options static route ${route} ${some(0.3) ? "discard" : `next-hop ${pick(["192.0.2.1", "192.0.2.2"])}`}`,
        ...maybe(0.3, `routing-options static route ${route} preference 200`),
      ]),
      ...few(["PEERS", "RR"], 0.7).flatMap((name) => {
        const at = `protocols bgp group ${name}`;
        return [
          `${at} type ${pick(["internal", "external"])}`,
          ...maybe(0.4, `${at} local-address 10.255.0.1`),
          ...shuffled(random, few(policies, 0.6)).map((policy) => `${at} import ${policy}`),
          ...shuffled(random, few(policies, 0.5)).map((policy) => `${at} export ${policy}`),
          ...few(["10.0.0.2", "10.0.0.3"], 0.7).flatMap((peer) => [
            `${at} neighbor ${peer}`,
            ...maybe(0.5, `${at} neighbor ${peer} description "${pick(words)}"`),
            ...maybe(0.6, `${at} neighbor ${peer} peer-as ${pick([65002, 65003])}`),
          ]),
        ];
      }),
      ...maybe(
        0.6,
        ...few(["ge-0/0/0.0", "lo0.0"], 0.7).map(
          (port) => `protocols ospf area 0.0.0.0 interface ${port}${pick(["", " passive", " metric 10"])}`,
        ),
      ),
      ...lists.flatMap((name) => [
        `policy-options prefix-list ${name} 198.51.100.0/24`,
        ...few(["10.0.0.0/8", "172.16.0.0/12"], 0.5).map(
          (prefix) => `policy-options prefix-list ${name} ${prefix}`,
        ),
      ]),
      ...policies.flatMap((policy) => {
        const at = `policy-options policy-statement ${policy}`;
        return [
          ...shuffled(random, few(["a", "b", "c", "d"], 0.6)).flatMap((term) => [
            ...maybe(
              0.6,
              ...few(["bgp", "static", "direct"], 0.5).map(
                (protocol) => `${at} term ${term} from protocol ${protocol}`,
              ),
            ),
            ...(lists.length > 0 ? maybe(0.5, `${at} term ${term} from prefix-list ${pick(lists)}`) : []),
            ...maybe(0.4, `${at} term ${term} then local-preference ${pick([100, 200])}`),
            `${at} term ${term} then ${pick(["accept", "reject"])}`,
          ]),
          `${at} then ${pick(["accept", "reject"])}`,
        ];
      }),
      ...maybe(
        0.6,
        ...shuffled(random, few(["ssh", "bgp", "icmp", "rest"], 0.7))
          .flatMap((term) => [
            `term ${term} from protocol ${pick(["tcp", "icmp"])}`,
            ...maybe(0.5, `term ${term} from destination-port ${pick(["ssh", "bgp"])}`),
            ...maybe(0.4, `term ${term} then count ${term}`),
            `term ${term} then ${pick(["accept", "discard"])}`,
          ])
          .map((line) => `firewall family inet filter PROTECT ${line}`),
      ),
    ];
    return paths.map((path) => `set ${path}`);
  },
};

const rule = names(
  {
    action: value(/^(accept|drop|reject)$/),
    description: value(),
    protocol: value(),
    destination: group({ port: value(), address: value() }),
  },
  number,
);
const port = {
  address: names({}, address),
  description: value(),
  mtu: value(number),
  disable: flag,
  vif: names({ address: names({}, address), description: value() }, number),
};
const vyosSchema = group({
  firewall: group({
    name: names({ "default-action": value(/^(accept|drop)$/), rule }),
    group: group({ "network-group": names({ network: names({}, address) }) }),
  }),
  interfaces: group({
    ethernet: names(port, /^eth\d$/),
    loopback: names({ address: names({}, address) }),
    dummy: names({ address: names({}, address) }),
  }),
  policy: group({
    "prefix-list": names({
      rule: names({ action: value(), prefix: value(address), le: value(number) }, number),
    }),
    "route-map": names({
      rule: names(
        {
          action: value(),
          match: group({ ip: group({ address: group({ "prefix-list": value() }) }) }),
          set: group({ "local-preference": value(number), metric: value(number) }),
        },
        number,
      ),
    }),
  }),
  protocols: group({
    static: group({ route: names({ "next-hop": names({ distance: value(number) }, ip) }, address) }),
    bgp: group({
      "system-as": value(number),
      parameters: group({ "router-id": value(ip) }),
      neighbor: names(
        {
          "remote-as": value(number),
          description: value(),
          password: value(),
          "address-family": group({
            "ipv4-unicast": group(
              { "nexthop-self": flag, "route-map": group({ import: value(), export: value() }) },
              true,
            ),
          }),
        },
        ip,
      ),
    }),
  }),
  service: group({
    ntp: group({ server: names({ prefer: flag }) }),
    ssh: group({ port: value(number), "disable-password-authentication": flag }, true),
  }),
  system: group({
    "host-name": value(),
    "name-server": names({}, ip),
    login: group({
      user: names({ authentication: group({ "encrypted-password": value() }), "full-name": value() }),
    }),
    "time-zone": value(),
  }),
});

const vyosFaults = (paths: readonly string[]): string[] => {
  const has = (start: string) => paths.some((path) => `${path} `.startsWith(`${start} `));
  return paths.flatMap((path) => {
    const [, , list] = /^policy route-map .* (match ip address) prefix-list (\S+)$/.exec(path) ?? [];
    const [, map] = /^protocols bgp neighbor .* route-map (?:import|export) (\S+)$/.exec(path) ?? [];
    const [, route] = /^(protocols static route \S+)/.exec(path) ?? [];
    const [, neighbor] = /^(protocols bgp neighbor \S+)/.exec(path) ?? [];
    return [
      ...(list !== undefined && !has(`policy prefix-list ${list}`)
        ? [`prefix-list ${list} does not exist`]
        : []),
      ...(map !== undefined && !has(`policy route-map ${map}`) ? [`route-map ${map} does not exist`] : []),
      ...(route !== undefined && !has(`${route} next-hop`) ? [`${route} has no next hop`] : []),
      ...(neighbor !== undefined && !has(`${neighbor} remote-as`) ? [`${neighbor} has no remote-as`] : []),
    ];
  });
};

export const vyos: SimulatedSystem = {
  make: () => new PathDevice(vyosSchema, "'", vyosFaults),
  lines: ({ one: pick, few, some, below }: Random) => {
    const maybe = (chance: number, ...lines: readonly string[]) => (some(chance) ? lines : []);
    const maps = few(["RM-IN", "RM-OUT"], 0.7);
    const lists = few(["PL-A", "PL-B"], 0.7);
    const paths = [
      ...few(["WAN_IN", "LAN_IN"], 0.7).flatMap((name) => [
        `firewall name ${name} default-action ${pick(["drop", "accept"])}`,
        ...few([10, 20, 30, 40], 0.6).flatMap((id) =>
          [
            `action ${pick(["accept", "drop"])}`,
            ...maybe(0.5, "protocol tcp", `destination port ${pick([22, 80, 443])}`),
            ...maybe(0.4, `description '${pick(words)}'`),
          ].map((line) => `firewall name ${name} rule ${id} ${line}`),
        ),
      ]),
      ...few(["10.0.0.0/8", "172.16.0.0/12"], 0.5).map(
        (network) => `firewall group network-group LAN network ${network}`,
      ),
      ...few(["eth0", "eth1", "eth2"], 0.8).flatMap((name, at) =>
        [
          `address 10.${at}.9.1/24`,
          ...few([0, 1], 0.5).map((id) => `address 10.${at}.${id}.1/24`),
          ...maybe(0.6, `description '${pick(words)}'`),
          ...maybe(0.3, `mtu ${pick([1400, 9000])}`),
          ...maybe(0.2, "disable"),
          ...few([10, 20], 0.4).flatMap((id) => [
            `vif ${id} address 10.${at}.1${id}.1/24`,
            ...maybe(0.4, `vif ${id} description '${pick(words)}'`),
          ]),
        ].map((line) => `interfaces ethernet ${name} ${line}`),
      ),
      ...few([1, 2], 0.5).map((id) => `interfaces loopback lo address 10.255.0.${id}/32`),
      ...lists.flatMap((name) =>
        few([10, 20, 30], 0.7)
          .flatMap((id) =>
            [
              `action ${pick(["permit", "deny"])}`,
              `prefix ${pick(["10.0.0.0/8", "192.0.2.0/24"])}`,
              ...maybe(0.4, "le 24"),
            ].map((line) => `policy prefix-list ${name} rule ${id} ${line}`),
          )
          .concat(`policy prefix-list ${name} rule 90 action deny`),
      ),
      ...maps.flatMap((name) =>
        [10, ...few([20, 30], 0.5)].flatMap((id) =>
          [
            `action ${pick(["permit", "deny"])}`,
            ...(lists.length > 0 ? maybe(0.5, `match ip address prefix-list ${pick(lists)}`) : []),
            ...maybe(0.4, `set local-preference ${pick([100, 200])}`),
            ...maybe(0.3, `set metric ${pick([10, 20])}`),
          ].map((line) => `policy route-map ${name} rule ${id} ${line}`),
        ),
      ),
      ...few(["0.0.0.0/0", "10.0.0.0/8"], 0.6).map(
        (route) =>
          `protocols static route ${route} next-hop ${pick(["192.0.2.1", "192.0.2.2"])}${some(0.3) ? " distance 200" : ""}`,
      ),
      ...maybe(
        0.8,
        `system-as ${pick([65001, 65009])}`,
        ...maybe(0.5, `parameters router-id 10.255.0.${1 + below(2)}`),
        ...few(["10.0.0.2", "10.0.0.3"], 0.7).flatMap((peer) =>
          [
            `remote-as ${pick([65002, 65003])}`,
            ...maybe(0.5, `description '${pick(words)}'`),
            ...maybe(0.3, `password '${pick(["a b", "c"])}'`),
            ...maybe(0.5, "address-family ipv4-unicast"),
            ...(maps.length > 0
              ? maybe(0.5, `address-family ipv4-unicast route-map import ${pick(maps)}`)
              : []),
            ...maybe(0.3, "address-family ipv4-unicast nexthop-self"),
          ].map((line) => `neighbor ${peer} ${line}`),
        ),
      ).map((line) => `protocols bgp ${line}`),
      ...few(["192.0.2.1", "time.example.net"], 0.6).map(
        (host) => `service ntp server ${host}${some(0.3) ? " prefer" : ""}`,
      ),
      ...maybe(0.7, pick(["service ssh", "service ssh port 22", "service ssh port 2222"])),
      ...maybe(0.9, `system host-name ${pick(["r1", "r2"])}`),
      ...few(["192.0.2.53", "192.0.2.54"], 0.5).map((host) => `system name-server ${host}`),
      ...few(["ops", "noc"], 0.6).flatMap((user) => [
        `system login user ${user} authentication encrypted-password '${pick(["$6$c", "$6$d"])}'`,
        ...maybe(0.4, `system login user ${user} full-name '${pick(words)}'`),
      ]),
      ...maybe(0.5, `system time-zone ${pick(["UTC", "Europe/Berlin"])}`),
    ];
    return paths.map((path) => `set ${path}`);
  },
};
