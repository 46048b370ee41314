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

const routed: readonly RegExp[] = [
  /^(?:vrf context \S+ \/ )?ip route (?:vrf \S+ )?(?<address>[\d.]+) (?<mask>[\d.]+) (?<via>\S.*)$/,
  /^(?:vrf context \S+ \/ )?(?:ip|ipv6) route (?:vrf \S+ )?(?<address>[\da-fA-F.:]+\/\d+) (?<via>\S.*)$/,
  /^router static \/ address-family \S+ unicast \/ (?<address>\S+\/\d+) (?<via>\S.*)$/,
  /^ip default-gateway (?<via>\S+)$/,
  /^route \S+ (?<address>[\d.]+) (?<mask>[\d.]+) (?<via>\S.*)$/,
];

const interfaceCuts: readonly CutRule[] = [
  { line: on("shutdown"), of: "only" },
  { line: on("no (?:ip|ipv4|ipv6) address"), of: "interface" },
  { line: on("no (?:ip|ipv4|ipv6) address (?<address>[\\da-fA-F.:]+(?:/\\d+)?)(?: .*)?"), of: "address" },
  { line: on("(?:no )?(?:ip )?vrf(?: forwarding| member)? \\S+"), of: "interface" },
  { line: on("no (?:ip )?vrf(?: forwarding| member)?"), of: "interface" },
  { line: /^(?:no|default) interface (?<interface>\S.*)$/, of: "interface" },
];

const routeCuts: readonly CutRule[] = [
  {
    line: /^(?:vrf context \S+ \/ )?no ip route (?:vrf \S+ )?(?<address>[\d.]+) (?<mask>[\d.]+)(?: .*)?$/,
    of: "route",
  },
  {
    line: /^(?:vrf context \S+ \/ )?no (?:ip|ipv6) route (?:vrf \S+ )?(?<address>[\da-fA-F.:]+\/\d+)(?: .*)?$/,
    of: "route",
  },
  { line: /^router static \/ address-family \S+ unicast \/ no (?<address>\S+\/\d+)(?: .*)?$/, of: "route" },
  { line: /^no ip default-gateway\b/, of: "route" },
  ...routed.map((line): CutRule => ({ line, of: "route" })),
  { line: /^no router (?:ospf|ospfv3|bgp|isis|eigrp|rip|static)\b/, of: "dynamic" },
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
  { line: /^vlan (?<vlan>\d+) \/ (?:shutdown|state suspend)$/, of: "vlan" },
];

const addressed: readonly RegExp[] = [
  on("(?:ip|ipv4) address (?<address>[\\d.]+(?:/\\d+)?)(?: (?<mask>[\\d.]+))?(?: secondary)?"),
  on("ipv6 address (?<address>[\\da-fA-F:]+/\\d+)(?: .*)?"),
  on("(?:ip|ipv4|ipv6) (?:access-group|traffic-filter) (?<list>\\S+) (?:in|ingress)"),
  on("switchport access vlan (?<vlan>\\d+)"),
  on("switchport trunk allowed vlan (?:add )?(?<vlans>\\d[\\d,-]*)"),
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

/** Its addresses are added, and it has no logins of its own. */
export const frrAccess: AccessWords = {
  interfaces: addressed.slice(0, 2),
  loginLists: [],
  listEntries: lists,
  routes: routed,
  cuts: [...interfaceCuts, ...routeCuts],
};

const vty = "(?:user-interface|line) vty [\\d ]+";

/** VRP and Comware. */
export const vrpAccess: AccessWords = {
  interfaces: [
    on("ip address (?<address>[\\d.]+) (?<mask>[\\d.]+)(?: sub)?"),
    on("ipv6 address (?<address>[\\da-fA-F:]+/\\d+)"),
    on("(?:traffic-filter inbound acl|packet-filter)(?: name| number)? (?<list>\\S+)(?: inbound)?"),
    on("port default vlan (?<vlan>\\d+)|port access vlan \\d+"),
    on("port trunk (?:allow-pass|permit) vlan (?<vlans>\\d[\\d to]*)"),
  ],
  vlanInterface: /^vlan(?:if|-interface)\s*(?<vlan>\d+)$/i,
  loginLists: [new RegExp(`^${vty} / acl (?<list>\\S+) inbound$`), /^ssh server acl (?<list>\S+)$/],
  listEntries: [
    /^acl (?:number |basic |advanced |name )?(?<list>\S+)(?: \S+)* \/ rule (?:\d+ )?(?<action>permit|deny)(?<rest>.*)$/,
  ],
  routes: [/^ip route-static (?<address>[\d.]+) (?<mask>[\d.]+) (?<via>\S.*)$/],
  cuts: [
    { line: on("shutdown"), of: "only" },
    { line: on("undo ip address"), of: "interface" },
    { line: on("undo ip(?:v6)? address (?<address>[\\da-fA-F.:]+).*"), of: "address" },
    { line: on("ip address (?<address>[\\d.]+) [\\d.]+"), of: "other-address" },
    { line: on("(?:undo )?ip binding vpn-instance\\b.*"), of: "interface" },
    { line: on("(?:undo )?portswitch"), of: "interface" },
    { line: /^undo interface (?<interface>\S.*)$/, of: "interface" },
    { line: on("undo port trunk (?:allow-pass|permit) vlan (?<vlans>\\d[\\d to]*)"), of: "vlans" },
    { line: on("undo port trunk (?:allow-pass|permit) vlan all"), of: "only" },
    { line: /^undo vlan (?<vlan>\d+)$/, of: "vlan" },
    { line: /^undo ip route-static (?<address>[\d.]+) (?<mask>[\d.]+).*$/, of: "route" },
    { line: /^ip route-static (?<address>[\d.]+) (?<mask>[\d.]+) (?<via>\S.*)$/, of: "route" },
    { line: /^undo (?:ospf|bgp|isis|rip)\b/, of: "dynamic" },
    { line: /^(?:aaa \/ )?undo local-user (?<user>\S+)/, of: "user" },
    { line: /^(?:aaa \/ )?local-user (?<user>\S+) (?:password|service-type|state block)/, of: "user" },
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

/** Junos, by the commands that set its configuration. */
export const junosAccess: AccessWords = {
  interfaces: [
    new RegExp(`^set interfaces ${unit} family inet6? address (?<address>\\S+)`),
    new RegExp(`^set interfaces ${unit} family inet6? filter input (?<list>\\S+)`),
  ],
  loginLists: [/^set interfaces lo0 unit \d+ family inet6? filter input (?<list>\S+)/],
  listEntries: [],
  termParts: [
    new RegExp(`${term} then (?<action>accept|discard|reject)`),
    new RegExp(`${term} from (?:source-address|address) (?<source>\\S+)$`),
    new RegExp(`${term} from protocol (?<protocol>\\S+)$`),
    new RegExp(`${term} from (?:destination-port|port) (?<service>\\S+)$`),
  ],
  routes: [
    /^set routing-options static route (?<address>\S+) next-hop (?<via>\S+)/,
    /^set routing-options static route (?<address>\S+) (?<via>discard|reject)/,
  ],
  cuts: [
    { line: new RegExp(`^set interfaces ${unit} disable$`), of: "interface" },
    { line: /^set interfaces (?<interface>\S+) disable$/, of: "interface" },
    { line: new RegExp(`^(?:delete|deactivate) interfaces ${unit}(?: family inet6?)?$`), of: "interface" },
    { line: /^(?:delete|deactivate) interfaces (?<interface>\S+)$/, of: "interface" },
    {
      line: /^(?:delete|deactivate) interfaces \S+ unit \d+ family inet6? address (?<address>\S+)/,
      of: "address",
    },
    { line: /^set routing-instances \S+ interface (?<interface>\S+)\.\d+$/, of: "interface" },
    { line: /^(?:delete|deactivate) routing-options static route (?<address>\S+)/, of: "route" },
    { line: /^(?:delete|deactivate) routing-options(?: static)?$/, of: "route" },
    { line: /^set routing-options static route (?<address>\S+) next-hop (?<via>\S+)/, of: "route" },
    { line: /^set routing-options static route (?<address>\S+) (?<via>discard|reject)/, of: "route" },
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
