/**
 * By which lines of a configuration somebody comes in: addresses of interfaces, lists, routes, logins, and what cuts them. A
 * statement is a line behind the first lines of its sections: `interface Vlan10 / shutdown`. From the vendors' command
 * references.
 */
import type { AccessWords, CutRule } from "patchbay/plugin";

const port = "interface (?<interface>\\S.*?)";
const on = (rest: string) => new RegExp(`^${port} / ${rest}$`);

const lists: readonly RegExp[] = [
  /^(?:ip|ipv4|ipv6) access-list (?:(?:standard|extended) )?(?<list>\S+) \/ (?:\d+ )?(?<action>permit|deny) (?<rest>.*)$/,
  /^(?:ipv6 )?access-list (?<list>\S+) (?:extended )?(?:seq \d+ )?(?<action>permit|deny) (?<rest>.*)$/,
];

/** Of a VRF, in its own section or by a word; `ends`: of the line. */
const inVrf = "(?:vrf (?:context )?(?<vrf>\\S+) / )?";
const routesBy = (no: string, ends: string): readonly RegExp[] => [
  new RegExp(`^${inVrf}${no}ip route (?<address>[\\d.]+) (?<mask>[\\d.]+)${ends}$`),
  new RegExp(`^${inVrf}${no}(?:ip|ipv6) route (?<address>[\\da-fA-F.:]+/\\d+)${ends}$`),
  new RegExp(`^${no}ip route vrf (?<vrf>\\S+) (?<address>[\\d.]+) (?<mask>[\\d.]+)${ends}$`),
  new RegExp(`^${no}(?:ip|ipv6) route vrf (?<vrf>\\S+) (?<address>[\\da-fA-F.:]+/\\d+)${ends}$`),
  new RegExp(
    `^router static / (?:vrf (?<vrf>\\S+) / )?address-family \\S+ unicast / ${no}(?<address>\\S+/\\d+)${ends}$`,
  ),
];

const routed: readonly RegExp[] = [
  ...routesBy("", " (?<via>\\S.*)"),
  /^ip default-gateway (?<via>\S+)$/,
  /^route \S+ (?<address>[\d.]+) (?<mask>[\d.]+) (?<via>\S.*)$/,
];

const interfaceCuts: readonly CutRule[] = [
  { line: on("shutdown"), of: "only" },
  { line: /^(?:no|default) interface (?<interface>\S.*)$/, of: "only" },
  { line: on("no (?:ip|ipv4|ipv6) address"), of: "interface" },
  { line: on("no (?:ip|ipv4|ipv6) address (?<address>[\\da-fA-F.:]+(?:/\\d+)?)(?: .*)?"), of: "address" },
  { line: on("(?:no )?(?:ip )?vrf(?: forwarding| member)? \\S+"), of: "interface" },
  { line: on("no (?:ip )?vrf(?: forwarding| member)?"), of: "interface" },
];

const routeCuts: readonly CutRule[] = [
  ...routesBy("no ", "(?: .*)?").map((line): CutRule => ({ line, of: "route" })),
  { line: /^no ip default-gateway\b/, of: "route" },
  ...routed.map((line): CutRule => ({ line, of: "route" })),
  { line: /^no router static$/, of: "static" },
  { line: /^no router (?:ospf|ospfv3|bgp|isis|eigrp|rip|static)\b/, of: "dynamic" },
  { line: /^no (?:ip )?vrf(?: context| instance| definition)? (?<vrf>\S+)$/, of: "vrf" },
];

const loginCuts: readonly CutRule[] = [
  { line: /^no username (?<user>\S+)/, of: "user" },
  { line: /^username (?<user>\S+) (?!ssh|key)/, of: "user" },
  {
    line: /^(?:no )?aaa (?:new-model|authentication (?:login|enable|ssh|telnet)|authorization (?:exec|commands|config-commands))\b/,
  },
  {
    line: /^no (?:tacacs-server|radius-server) (?:host|key)\b|^no (?:tacacs|radius) server\b|^no aaa group server\b/,
  },
  { line: /^line (?:vty|default)[\d ]* \/ (?:no )?login\b/ },
  { line: /^no line vty\b/ },
  { line: /^line (?:vty|default)[\d ]* \/ transport input none$/ },
  {
    line: /^line (?:vty|default)[\d ]* \/ transport input (?!.*\b(?:ssh|all)\b).*$/,
    transport: ["ssh", "netconf"],
  },
  {
    line: /^line (?:vty|default)[\d ]* \/ transport input (?!.*\b(?:telnet|all)\b).*$/,
    transport: ["telnet"],
  },
  { line: /^line (?:vty|default)[\d ]* \/ no transport input\b/ },
];

const serverCuts: readonly CutRule[] = [
  {
    line: /^no (?:ip ssh(?: server)?|feature ssh|ssh server.*|ssh|ip ssh version .*)$/,
    transport: ["ssh", "netconf"],
  },
  {
    line: /^ssh server disable$|^management ssh \/ shutdown$|^crypto key zeroize\b/,
    transport: ["ssh", "netconf"],
  },
  { line: /^ip ssh port (?<number>\d+)/, of: "not-port", transport: ["ssh"] },
  {
    line: /^no feature telnet$|^no ip telnet server\b|^management telnet \/ shutdown$/,
    transport: ["telnet"],
  },
  { line: /^management api http-commands \/ vrf (?<vrf>\S+) \/ shutdown$/, of: "vrf", transport: ["https"] },
  { line: /^management ssh \/ vrf (?<vrf>\S+) \/ shutdown$/, of: "vrf", transport: ["ssh", "netconf"] },
  {
    line: /^management api http-commands \/ (?:no protocol https|protocol https port (?<number>\d+))$/,
    of: "not-port",
    transport: ["https"],
  },
  {
    line: /^(?:no management api http-commands|management api http-commands \/ shutdown|no feature nxapi|no ip http secure-server)$/,
    transport: ["https"],
  },
  { line: /^no netconf-yang\b/, transport: ["netconf"] },
];

const switchCuts: readonly CutRule[] = [
  { line: on("(?:no )?switchport"), of: "interface" },
  { line: on("(?:no )?channel-group\\b.*"), of: "only" },
  { line: on("encapsulation dot1[qQ] \\d+"), of: "interface" },
  { line: on("switchport access vlan (?<vlans>\\d+)"), of: "not-vlans" },
  { line: on("switchport trunk allowed vlan (?<vlans>\\d[\\d,-]*)"), of: "not-vlans" },
  { line: on("switchport trunk allowed vlan (?:remove|except) (?<vlans>\\d[\\d,-]*)"), of: "vlans" },
  { line: on("switchport trunk allowed vlan none"), of: "only" },
  { line: /^no vlan (?<vlan>\d+)$/, of: "vlan" },
  { line: /^no feature interface-vlan$/, of: "any-vlan" },
  { line: /^vlan (?<vlan>\d+) \/ (?:shutdown|state suspend)$/, of: "vlan" },
];

const addressed: readonly RegExp[] = [
  on("(?:ip|ipv4) address (?<address>[\\d.]+(?:/\\d+)?)(?: (?<mask>[\\d.]+))?(?: secondary)?"),
  on("ipv6 address (?<address>[\\da-fA-F:]+/\\d+)(?: .*)?"),
  on("(?:ip|ipv4|ipv6) (?:access-group|traffic-filter) (?<list>\\S+) (?:in|ingress)"),
  on("switchport access vlan (?<vlan>\\d+)"),
  on("switchport trunk allowed vlan (?:add )?(?<vlans>\\d[\\d,-]*)"),
  on("(?:ip )?vrf(?: forwarding| member| attach)? (?<vrf>\\S+)"),
  on("channel-group (?<bundle>\\d+)\\b.*"),
  on("bundle id (?<bundle>\\d+)\\b.*"),
];

/** IOS, XE, NX-OS, EOS, XR and what follows them. */
export const ciscoAccess: AccessWords = {
  interfaces: addressed,
  vlanInterface: /^vlan\s*(?<vlan>\d+)$/i,
  loginLists: [
    /^line (?:vty|default)[\d ]* \/ (?:ip |ipv6 )?access-class (?:ipv4 |ingress )?(?<list>\S+)(?: in)?$/,
    /^(?:management ssh|control-plane|system control-plane)(?: \/ vrf \S+)? \/ ip access-group (?<list>\S+)(?: vrf \S+)? in$/,
  ],
  listEntries: lists,
  routes: routed,
  cuts: [
    ...interfaceCuts,
    {
      line: on("(?:ip|ipv4) address (?<address>[\\d.]+(?:/\\d+)?)(?: [\\d.]+)?"),
      of: "other-address",
    },
    ...switchCuts,
    ...routeCuts,
    { line: /^no ip routing$/ },
    ...loginCuts,
    ...serverCuts,
  ],
};

/** Its words for VLANs, accounts and lists are its own. */
export const aosCxAccess: AccessWords = {
  ...ciscoAccess,
  interfaces: [
    ...addressed,
    on("vlan (?:access|trunk native) (?<vlan>\\d+)(?: tag)?"),
    on("vlan trunk allowed (?<vlans>\\d[\\d,-]*)"),
    on("apply access-list (?:ip|ipv6) (?<list>\\S+) in"),
    on("lag (?<bundle>\\d+)"),
  ],
  loginLists: [/^apply access-list (?:ip|ipv6) (?<list>\S+) control-plane vrf \S+$/],
  listEntries: [/^access-list (?:ip|ipv6) (?<list>\S+) \/ (?:\d+ )?(?<action>permit|deny) (?<rest>.*)$/],
  cuts: [
    ...ciscoAccess.cuts,
    { line: on("vrf attach \\S+"), of: "interface" },
    { line: on("no vrf attach\\b.*"), of: "interface" },
    { line: on("(?:no )?routing"), of: "interface" },
    { line: on("no vlan trunk allowed (?<vlans>\\d[\\d,-]*)"), of: "vlans" },
    { line: on("vlan access (?<vlans>\\d+)"), of: "not-vlans" },
    { line: on("no vlan (?:access|trunk)\\b.*"), of: "only" },
    { line: /^no user (?<user>\S+)/, of: "user" },
    { line: /^user (?<user>\S+) /, of: "user" },
    { line: /^no ssh server vrf (?<vrf>\S+)$/, of: "vrf", transport: ["ssh"] },
    { line: /^no https-server\b/, transport: ["https"] },
    { line: /^(?:no )?aaa authentication login (?:ssh|https-server|default)\b/ },
  ],
};

/** Its addresses are added, and it has no logins of its own. */
export const frrAccess: AccessWords = {
  interfaces: [...addressed.slice(0, 2), /^interface (?<interface>\S+) vrf (?<vrf>\S+)(?: \/ .*)?$/],
  loginLists: [],
  listEntries: lists,
  routes: routed,
  cuts: [...interfaceCuts, ...routeCuts],
};

const vty = "(?:user-interface|line) vty [\\d ]+";

const vrpRoutes = (no: string, ends: string): readonly RegExp[] => [
  new RegExp(`^${no}ip route-static (?<address>[\\d.]+) (?<mask>[\\d.]+)${ends}$`),
  new RegExp(`^${no}ip route-static vpn-instance (?<vrf>\\S+) (?<address>[\\d.]+) (?<mask>[\\d.]+)${ends}$`),
];

/** VRP and Comware. */
export const vrpAccess: AccessWords = {
  interfaces: [
    on("ip address (?<address>[\\d.]+) (?<mask>[\\d.]+)(?: sub)?"),
    on("ipv6 address (?<address>[\\da-fA-F:]+/\\d+)"),
    on("(?:traffic-filter inbound acl|packet-filter)(?: name| number)? (?<list>\\S+)(?: inbound)?"),
    on("port (?:default|access) vlan (?<vlan>\\d+)"),
    on("ip binding vpn-instance (?<vrf>\\S+)"),
    on("(?:eth-trunk|port link-aggregation group) (?<bundle>\\d+)"),
    on("port trunk (?:allow-pass|permit) vlan (?<vlans>\\d[\\d to]*)"),
  ],
  vlanInterface: /^vlan(?:if|-interface)\s*(?<vlan>\d+)$/i,
  loginLists: [new RegExp(`^${vty} / acl (?<list>\\S+) inbound$`), /^ssh server acl (?<list>\S+)$/],
  listEntries: [
    /^acl (?:number |basic |advanced |name )?(?<list>\S+)(?: \S+)* \/ rule (?:\d+ )?(?<action>permit|deny)(?<rest>.*)$/,
  ],
  routes: [...vrpRoutes("", " (?<via>\\S.*)")],
  cuts: [
    { line: on("shutdown"), of: "only" },
    { line: on("undo ip address"), of: "interface" },
    { line: on("undo ip(?:v6)? address (?<address>[\\da-fA-F.:]+).*"), of: "address" },
    { line: on("ip address (?<address>[\\d.]+) [\\d.]+"), of: "other-address" },
    { line: on("(?:undo )?ip binding vpn-instance\\b.*"), of: "interface" },
    { line: on("(?:undo )?portswitch"), of: "interface" },
    { line: /^undo interface (?<interface>\S.*)$/, of: "only" },
    { line: on("undo port trunk (?:allow-pass|permit) vlan (?<vlans>\\d[\\d to]*)"), of: "vlans" },
    { line: on("undo port trunk (?:allow-pass|permit) vlan all"), of: "only" },
    { line: on("(?:undo )?(?:eth-trunk|port link-aggregation group)\\b.*"), of: "only" },
    { line: /^undo vlan (?:batch )?(?<vlan>\d+)$/, of: "vlan" },
    { line: /^undo ip vpn-instance (?<vrf>\S+)$/, of: "vrf" },
    ...[...vrpRoutes("undo ", ".*"), ...vrpRoutes("", " (?<via>\\S.*)")].map(
      (line): CutRule => ({ line, of: "route" }),
    ),
    { line: /^undo (?:ospf|bgp|isis|rip)\b/, of: "dynamic" },
    { line: /^(?:aaa \/ )?undo local-user (?<user>\S+)/, of: "user" },
    { line: /^(?:aaa \/ )?local-user (?<user>\S+) (?:password|service-type|state block)/, of: "user" },
    {
      line: /^local-user (?<user>\S+)(?: .*)? \/ (?:undo )?(?:password|service-type|state block)\b/,
      of: "user",
    },
    { line: /^undo ssh user (?<user>\S+)/, of: "user" },
    { line: /^aaa \/ (?:undo )?(?:authentication-scheme|authentication-mode|domain)\b/ },
    { line: new RegExp(`^${vty} / (?:undo )?authentication-mode\\b`) },
    {
      line: new RegExp(`^${vty} / protocol inbound (?!ssh|all)`),
      transport: ["ssh", "netconf"],
    },
    { line: new RegExp(`^${vty} / protocol inbound (?!telnet|all)`), transport: ["telnet"] },
    {
      line: /^undo (?:stelnet server enable|stelnet|ssh server enable|ssh server)\b/,
      transport: ["ssh", "netconf"],
    },
    { line: /^(?:undo )?rsa local-key-pair (?:destroy|create)\b/, transport: ["ssh", "netconf"] },
    { line: /^ssh server port (?<number>\d+)/, of: "not-port", transport: ["ssh"] },
    { line: /^undo telnet server enable\b|^telnet server disable$/, transport: ["telnet"] },
  ],
};

const unit = "(?<interface>(?<parent>\\S+) unit \\d+)";
const term = "^set firewall (?:family inet6? )?filter (?<list>\\S+) term (?<term>\\S+)";

const junosRoutes: readonly RegExp[] = [
  /^set (?:routing-instances (?<vrf>\S+) )?routing-options static route (?<address>\S+) next-hop (?<via>\S+)/,
  /^set (?:routing-instances (?<vrf>\S+) )?routing-options static route (?<address>\S+) (?<via>discard|reject)/,
];

/** Junos, by the commands that set its configuration. */
export const junosAccess: AccessWords = {
  interfaces: [
    new RegExp(`^set interfaces ${unit} family inet6? address (?<address>\\S+)`),
    new RegExp(`^set interfaces ${unit} family inet6? filter input (?<list>\\S+)`),
    /^set interfaces (?<interface>\S+) (?:gigether|ether|fastether)-options (?:redundant-parent|802\.3ad) (?<bundle>\S+)$/,
    /^set routing-instances (?<vrf>\S+) interface (?<interface>\S+)$/,
  ],
  loginLists: [/^set interfaces lo0 unit \d+ family inet6? filter input (?<list>\S+)/],
  listEntries: [],
  termParts: [
    new RegExp(`${term} then (?<action>accept|discard|reject)`),
    new RegExp(`${term} from (?:source-address|address) (?<source>\\S+)$`),
    new RegExp(`${term} from protocol (?<protocol>\\S+)$`),
    new RegExp(`${term} from (?:destination-port|port) (?<service>\\S+)$`),
  ],
  routes: junosRoutes,
  cuts: [
    { line: new RegExp(`^set interfaces ${unit} disable$`), of: "interface" },
    { line: /^set interfaces (?<interface>\S+) disable$/, of: "only" },
    { line: new RegExp(`^(?:delete|deactivate) interfaces ${unit}(?: family inet6?)?$`), of: "interface" },
    { line: /^(?:delete|deactivate) interfaces (?<interface>\S+)$/, of: "only" },
    {
      line: /^(?:delete|deactivate) interfaces (?<interface>\S+) (?:gigether|ether|fastether)-options\b/,
      of: "only",
    },
    { line: new RegExp(`^(?:set|delete) interfaces ${unit} vlan-id\\b`), of: "interface" },
    {
      line: /^(?:delete|deactivate) interfaces \S+ unit \d+ family inet6? address (?<address>\S+)/,
      of: "address",
    },
    { line: /^(?:set|delete) routing-instances \S+ interface (?<interface>\S+)$/, of: "interface" },
    { line: /^(?:delete|deactivate) routing-instances (?<vrf>\S+)$/, of: "vrf" },
    { line: /^(?:delete|deactivate) routing-options static route (?<address>\S+)/, of: "route" },
    {
      line: /^(?:delete|deactivate) routing-instances (?<vrf>\S+) routing-options static route (?<address>\S+)/,
      of: "route",
    },
    { line: /^(?:delete|deactivate) routing-options(?: static)?$/, of: "static" },
    ...junosRoutes.map((line): CutRule => ({ line, of: "route" })),
    { line: /^(?:delete|deactivate) protocols (?:ospf3?|bgp|isis)$/, of: "dynamic" },
    { line: /^(?:delete|deactivate) system login user (?<user>\S+)/, of: "user" },
    { line: /^set system login user (?<user>\S+) (?:authentication|class)/, of: "user" },
    { line: /^(?:delete|deactivate) system login$|^(?:delete|deactivate) system$/ },
    { line: /^(?:set|delete) system (?:authentication-order|tacplus-server|radius-server)\b/ },
    { line: /^(?:delete|deactivate) system services$/ },
    { line: /^(?:delete|deactivate) system services ssh$/, transport: ["ssh", "netconf"] },
    { line: /^set system services ssh port (?<number>\d+)/, of: "not-port", transport: ["ssh"] },
    { line: /^(?:delete|deactivate) system services netconf\b/, transport: ["netconf"] },
    { line: /^(?:delete|deactivate) system services telnet$/, transport: ["telnet"] },
  ],
};

const vyosPort =
  "interfaces (?:ethernet|bonding|bridge|dummy|loopback|pppoe|tunnel|wireguard|vti) (?<interface>(?<parent>\\S+?)(?: vif \\d+)?)";
const vyosVia = "(?<via>next-hop \\S+|interface \\S+|blackhole|reject)";
const vyosRoutes: readonly RegExp[] = [
  new RegExp(`^set (?:vrf name (?<vrf>\\S+) )?protocols static route6? (?<address>\\S+) ${vyosVia}`),
];

/** VyOS, by the commands that set its configuration; values may be quoted. */
export const vyosAccess: AccessWords = {
  interfaces: [
    new RegExp(`^set ${vyosPort} address '?(?<address>[\\da-fA-F.:]+/\\d+)'?$`),
    new RegExp(`^set ${vyosPort} vrf '?(?<vrf>[^\\s']+)'?$`),
  ],
  loginLists: [],
  listEntries: [],
  routes: vyosRoutes,
  cuts: [
    { line: new RegExp(`^set ${vyosPort} disable$`), of: "interface" },
    { line: new RegExp(`^delete ${vyosPort}(?: address)?$`), of: "interface" },
    { line: new RegExp(`^delete ${vyosPort} address '?(?<address>[\\da-fA-F.:]+)`), of: "address" },
    { line: new RegExp(`^(?:set|delete) ${vyosPort} vrf\\b`), of: "interface" },
    {
      line: /^delete (?:vrf name (?<vrf>\S+) )?protocols static route6? (?<address>\S+)/,
      of: "route",
    },
    { line: /^delete protocols(?: static(?: route6?)?)?$/, of: "static" },
    { line: /^delete vrf name (?<vrf>\S+)$/, of: "vrf" },
    ...vyosRoutes.map((line): CutRule => ({ line, of: "route" })),
    { line: /^delete protocols (?:ospf|ospfv3|bgp|isis|rip|babel)$/, of: "dynamic" },
    { line: /^delete system login user '?(?<user>[^\s']+)/, of: "user" },
    { line: /^set system login user '?(?<user>[^\s']+)'? (?:authentication|disable)/, of: "user" },
    { line: /^delete system login$/ },
    { line: /^(?:set|delete) system login (?:radius|tacacs)\b/ },
    {
      line: /^delete service(?: ssh)?$|^set service ssh (?:disable|access-control|listen-address)\b/,
      transport: ["ssh"],
    },
    { line: /^set service ssh disable-password-authentication$/, transport: ["ssh"] },
    { line: /^set service ssh port '?(?<number>\d+)/, of: "not-port", transport: ["ssh"] },
    { line: /^delete service https(?: api)?$/, transport: ["https"] },
  ],
};
