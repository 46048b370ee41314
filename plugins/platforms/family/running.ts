/**
 * How systems show their configuration: commands, the end of a whole text, lines that change by themselves, secrets that
 * the general rules do not find. From the vendors' command references unless a comment says otherwise; what is not sure
 * is in `unsure` of the platform.
 */
import type { Running, SecretPlace } from "patchbay/plugin";
import { aosCxAccess, ciscoAccess, frrAccess, junosAccess, vrpAccess, vyosAccess } from "./access.ts";
import { routerosAccess } from "./access-routeros.ts";
import { ciscoLines, frrLines, frrSections, iosLines } from "./lines.ts";
import { eosLines, nxosLines, xrLines } from "./lines-cisco.ts";
import { fortiosLines } from "./lines-fortios.ts";
import { junosPaths, vyosPaths } from "./lines-paths.ts";
import { routerosMenus } from "./lines-routeros.ts";
import { aosCxLines, os10Lines } from "./lines-switches.ts";
import { comwareLines, vrpLines } from "./lines-undo.ts";

const end = /^end$/;
/** Lines of IOS and its relatives that open a section of their own, whose order means nothing. */
const ciscoUnordered: readonly RegExp[] = [
  /^(?:interface|username|vlan|vrf|snmp-server|logging|ntp|ip route|aaa|router|line|service|no|ip domain|hostname) /,
];
const ciscoOrdered: readonly RegExp[] = [
  /^\s*(?:access-list|ip access-list|ipv6 access-list|route-map|class-map|policy-map)/,
];

const cisco = {
  shape: "indent",
  comment: "!",
  unordered: ciscoUnordered,
  ordered: ciscoOrdered,
  negate: "no",
  lines: ciscoLines,
  access: ciscoAccess,
  asks: [
    /^(?:reload|erase|delete|write erase|format|boot system flash)\b/,
    /^crypto key (?:generate|zeroize)\b/,
    /^no (?:username|crypto pki trustpoint|crypto ca trustpoint) /,
    /^(?:no )?stackwise-virtual\b|^switch \d+ renumber\b/,
  ],
} satisfies Partial<Running>;

const changedAt = /^! Last configuration change at (?<at>[^\n]{1,60}?)(?: by (?<user>\S+))?$/;

export const iosRunning: Running = {
  ...cisco,
  lines: iosLines,
  show: "show running-config",
  startup: "show startup-config",
  complete: end,
  ignore: [
    /^(?:Building configuration|Current configuration|Using \d+ out of \d+ bytes)/,
    /^! (?:Last configuration change|NVRAM config last updated|No configuration change)/,
    /^ntp clock-period /,
  ],
  storedApart: [/^certificate (?:[a-z-]+ )?[0-9A-F]+(?= nvram:\S+$|$)/],
  changedBy: [changedAt],
  secrets: [
    // A key of EAP-FAST, and the shared secret of a licence, stand behind words that elsewhere are none.
    { pattern: /^\s*(?:idtoken|credential) (?<secret>\S+)$/, within: /^license smart/ },
    { pattern: /^\s*security (?:wpa )?psk set-key (?:ascii|hex) \d (?<secret>\S+)/ },
  ],
};

export const nxosRunning: Running = {
  ...cisco,
  ...nxosLines,
  show: "show running-config",
  startup: "show startup-config",
  // Interfaces of a module that is absent, or starts, are not shown: `1 48 1/10G Ethernet Module N9K-X9464TX ok`.
  modules: {
    show: "show module",
    names:
      /^ {0,8}(?<name>\d{1,3}) {1,20}\d{1,3} {1,20}(?!.{0,60}\b(?:Fabric|Supervisor|Controller)\b)\S.{0,120} ok[ \r]{0,20}$/m,
  },
  // Nothing marks the end.
  leastBytes: 100,
  ignore: [/^!(?:Command|Time|Running configuration last|Startup config saved|No configuration change)/],
  changedBy: [/^!Running configuration last done at: (?<at>.{1,60})$/],
  secrets: [{ pattern: /^\s*authentication text (?<secret>\S+)/, within: /^\s*(?:hsrp|vrrp|glbp) / }],
};

export const xrRunning: Running = {
  ...cisco,
  ...xrLines,
  show: "show running-config",
  // Not the first letters of `end-set` or `end-policy`. Over NETCONF it may be XML.
  complete: /^(?!\S{1,32}-set |route-policy )\S.{0,4000}\nend$|^\S\nend$|^\s{1,64}<\/.{1,4000}\n<\/data>$/,
  ignore: [
    /^[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d/,
    /^Building configuration/,
    /^!! (?:IOS XR|Last configuration)/,
  ],
  changedBy: [/^!! Last configuration change at (?<at>[^\n]{1,60}?) by (?<user>\S+)$/],
  secrets: [{ pattern: /^\s*(?:hello|lsp)-password (?:\S+ ){0,3}encrypted (?<secret>\S+)/ }],
};

export const asaRunning: Running = {
  ...cisco,
  // `show running-config` replaces shared keys by stars.
  show: "more system:running-config",
  otherwise: "show running-config",
  startup: "show startup-config",
  complete: /^: end$/,
  ignore: [/^:(?:$| (?:Saved|Written by|Hardware:|Serial Number:))/, /^Cryptochecksum:/],
  changedBy: [/^: Written by (?<user>\S+) at (?<at>.{1,60})$/],
  secrets: [
    { pattern: /^\s*(?:passwd|enable password) (?<secret>\S+)/ },
    { pattern: /^\s*key (?<secret>\S+)$/, within: /^aaa-server / },
  ],
};

export const eosRunning: Running = {
  ...cisco,
  ...eosLines,
  show: "show running-config",
  startup: "show startup-config",
  complete: end,
  ignore: [/^! (?:Command: |Startup-config last modified)/],
  changedBy: [/^! Startup-config last modified at +(?<at>.{1,40}?) by (?<user>\S+)$/],
  secrets: [
    {
      pattern:
        /^\s*(?:vrrp|standby) \d+ peer authentication (?:text |ietf-md5 key-string (?:\d )?)(?<secret>\S+)/,
    },
  ],
};

/** The rest of the line is the secret, blanks included. */
const frrSecrets: readonly SecretPlace[] = [
  { pattern: /^(?:enable )?password (?:8 )?(?<secret>\S.*)$/ },
  { pattern: /^\s*neighbor \S+ password (?<secret>\S.*)$/, within: /^router bgp / },
  { pattern: /^\s*key-string (?<secret>\S.*)$/, within: /^\s*key \d/ },
  { pattern: /^\s*ip rip authentication string (?<secret>\S.*)$/ },
  { pattern: /^\s*ipv6 ospf6 authentication .{0,80}\bkey (?<secret>\S+)$/ },
  { pattern: /^\s*tcp-md5-auth (?<secret>\S+)$/ },
];

export const frrRunning: Running = {
  ...cisco,
  show: "show running-config",
  // vtysh answers `show startup-config` with nothing.
  complete: end,
  // vtysh leaves out a daemon that does not run, without a word, and lists those that do: ` zebra bgpd staticd`.
  // An open vtysh says it once, at the first command after a daemon was started again.
  notices: [/^Warning: connecting to \S{1,32}\.{3}(?:success|failed)!/],
  modules: { show: "show daemons", names: /(?<![\w-])(?<name>zebra|[a-z][a-z0-9]{1,20}d)(?![\w-])/ },
  ignore: [/^(?:Building configuration|Current configuration)/],
  negated: [/^description\b/, /^(?:enable )?password\b/, /^(?:area|domain)-password\b/],
  access: frrAccess,
  asks: [],
  permanent: [/^frr /, /^(?:address-family|hostname|interface) /],
  sections: frrSections,
  vanishing: [/^(?:interface|address-family) /],
  lines: frrLines,
  secrets: frrSecrets,
};

export const junosRunning: Running = {
  show: "show configuration",
  set: "show configuration | display set",
  // Nothing marks the end of the set form.
  complete: { running: "braces" },
  ignore: [/^## Last (?:commit|changed)/, /^(?:set )?version \S+;?$/],
  ...{ negate: "delete", paths: junosPaths },
  changedBy: [/^## Last (?:commit|changed): (?<at>[^\n]{1,60}?) by (?<user>\S+)$/],
  shape: "braces",
  comment: "#",
  access: junosAccess,
  secrets: [
    { pattern: /^set (?:groups \S+ )?snmp (?:community|v3 \S.{0,200} community-name) "?(?<secret>[^\s"]+)/ },
    { pattern: /^\s*simple-password "?(?<secret>[^\s";]+)/ },
  ],
};

/** VRP encrypts secrets that can be decrypted anew at each show. */
const vrpSecret = "(?<secret>%(?:\\^|@|#|\\$|\\+)%(?:#|@|\\$|\\^)\\S+)";

export const vrpRunning: Running = {
  ...vrpLines,
  show: "display current-configuration",
  startup: "display saved-configuration",
  complete: /^return$/,
  ignore: [/^!(?:Software Version|Last configuration)/, /^!Last (?:saved|change)/],
  changedBy: [/^!Last configuration was (?:updated|changed) at (?<at>[^\n]{1,60}?) by (?<user>\S+)$/],
  shape: "indent",
  // Settings at the top are shown behind it with a blank before them.
  ...{ comment: "#", divider: "#" },
  unordered: [/^(?:interface|local-user|vlan|ip route-static|snmp-agent|info-center) /],
  ordered: [/^acl|^\s*rule/],
  access: vrpAccess,
  asks: [/^(?:reset saved-configuration|reboot|undo local-user|rsa local-key-pair|public-key local)\b/],
  secrets: [
    { pattern: new RegExp(`(?:cipher|pass-phrase) ${vrpSecret}`), reencrypted: true },
    { pattern: new RegExp(`(?<![^\\s"])${vrpSecret}`), reencrypted: true },
  ],
};

export const comwareRunning: Running = {
  ...comwareLines,
  show: "display current-configuration",
  startup: "display saved-configuration",
  complete: /^return$/,
  shape: "indent",
  // Settings at the top are shown behind it with a blank before them.
  ...{ comment: "#", divider: "#" },
  ordered: [/^acl|^\s*rule/],
  unordered: [/^(?:interface|local-user|vlan|ip route-static|snmp-agent|info-center) /],
  access: vrpAccess,
  asks: [/^(?:reset saved-configuration|reboot|undo local-user|rsa local-key-pair|public-key local)\b/],
  secrets: [
    { pattern: /^\s*snmp-agent target-host .{0,300}securityname (?:cipher )?(?<secret>\S+)(?: v[12]c?)?$/ },
    { pattern: /^\s*snmp-agent community (?:read|write) (?:cipher |simple )?(?<secret>\S+)/ },
  ],
};

export const procurveRunning: Running = {
  ...cisco,
  show: "show running-config",
  startup: "show config",
  comment: ";",
  // Nothing marks the end.
  leastBytes: 60,
  ignore: [/^Running configuration:$/, /^Startup configuration:/],
  secrets: [{ pattern: /^snmp-server host \S+ community "(?<secret>[^"]*)"/ }],
};

export const aosCxRunning: Running = {
  ...cisco,
  ...aosCxLines,
  access: aosCxAccess,
  show: "show running-config",
  startup: "show startup-config",
  // Nothing marks the end.
  leastBytes: 60,
  ignore: [/^Current configuration:$/, /^Startup configuration:$/, /^!(?:Version|export-password)/],
  secrets: [{ pattern: /\b(?:ciphertext|auth-pass|priv-pass) (?<secret>AQB\S+)/ }],
};

export const arubaRunning: Running = {
  ...cisco,
  show: "show running-config",
  startup: "show startup-config",
  complete: end,
  ignore: [/^Building Configuration/i],
  secrets: [
    { pattern: /^\s*mgmt-user \S+ \S+ (?<secret>[0-9a-f]{8,})/ },
    { pattern: /^\s*key (?<secret>\S+)$/, within: /^aaa (?:authentication-server|tacacs|radius)/ },
    { pattern: /^\s*enable (?:secret|bypass) "?(?<secret>[^\s"]+)/ },
  ],
};

/** FortiOS encrypts every secret anew at each show. */
const fortiSecrets: readonly SecretPlace[] = [
  { pattern: /^\s*set \S+ "?ENC (?<secret>[^\s"]+)/, reencrypted: true },
  { pattern: /^\s*set private-key "/, until: /-----END |"$/, reencrypted: true },
  { pattern: /^\s*set name "?(?<secret>[^"\n]+?)"?$/, within: /^\s*config system snmp community/ },
];

export const fortiosRunning: Running = {
  ...fortiosLines,
  show: "show",
  // A text cut behind a whole block at the top ends the same way.
  complete: /^end$/,
  leastBytes: 200,
  ignore: [
    /^#(?:conf_file_ver|buildno|global_vdom|config-version)/,
    /^\s*set (?:lastupdate|last-update|image-version) /,
  ],
  shape: "blocks",
  comment: "#",
  ordered: [/^\s*config firewall (?:policy|shaping-policy|local-in-policy)/],
  unordered: [/^\s*(?:edit|set|config) /],
  secrets: fortiSecrets,
};

export const panosRunning: Running = {
  show: "show config running",
  complete: "braces",
  leastBytes: 100,
  shape: "braces",
  comment: "#",
  secrets: [
    { pattern: /^\s*(?:snmp-)?community(?:-string)? "?(?<secret>[^\s";{]+)"?;/ },
    { pattern: /^\s*(?:phash|authpwd|privpwd|bind-password|key|secret) "?(?<secret>[^\s";{]+)"?;/ },
  ],
};

export const routerosRunning: Running = {
  // `terse` keeps each command on one line. Version 6 shows secrets without being asked, and knows no such word.
  show: "/export terse show-sensitive",
  otherwise: "/export terse",
  // Nothing marks the end.
  leastBytes: 40,
  ignore: [/^# (?:[a-z]{3}\/\d\d\/\d{4}|\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d by RouterOS/],
  shape: "menus",
  comment: "#",
  ...{ negate: "remove", menus: routerosMenus, access: routerosAccess },
  refusals: [/^# (?:error|failed) exporting/i],
  secrets: [
    {
      pattern: /^\/snmp community (?:set|add) .{0,400}?\bname=(?:"(?<secret>[^"]+)"|\S+)/,
    },
    { pattern: /^\/snmp community (?:set|add) .{0,400}?\bname=(?<secret>[^\s"]+)/ },
    { pattern: /^\/interface wireless security-profiles .{0,400}?key-\d=(?<secret>\S+)/ },
  ],
};

export const srosRunning: Running = {
  // MD-CLI; the classic CLI refuses it.
  show: "admin show configuration",
  otherwise: "admin display-config",
  complete:
    /^# Finished (?:\d{4}-\S{1,30}(?:Z|[+-]\d\d:\d\d)|[A-Z]{3} [A-Z]{3} +\d{1,2} [\d:]{8} \d{4} [A-Z]{3,5})$/,
  ignore: [/^# (?:Generated|Finished|TiMOS|All rights|Built on|Copyright)/],
  changedBy: [/^# Generated (?<at>\S.{1,60}?)(?: by (?<user>\S+))?$/],
  shape: "indent",
  comment: "#",
  secrets: [
    { pattern: /^\s*snmp community "(?<secret>[^"]+)"/ },
    { pattern: /^\s*community "(?<secret>[^"]+)" (?:hash2? )?(?:access-permissions|r|rw|rwa|mgmt)\b/ },
    { pattern: /^\s*community "(?<secret>[^"]+?)(?: hash2?)?" \{/, within: /^\s*snmp \{|^\s*security/ },
    { pattern: /^\s*notify-community "(?<secret>[^"]+?)(?: hash2?)?"/ },
    { pattern: /^\s*trap-target .{0,300}notify-community "(?<secret>[^"]+)"/ },
    { pattern: /^\s*authentication (?:hash )?(?:md5|sha\S*) (?<secret>\S{8,}) privacy/ },
    { pattern: /\bprivacy (?:des-key|aes-128-cfb-key|none) (?<secret>\S{8,})/ },
  ],
};

export const exosRunning: Running = {
  show: "show configuration",
  // Nothing marks the end.
  leastBytes: 100,
  shape: "set",
  comment: "#",
  ignore: [/^# Full Detail Configuration generated/],
  secrets: [
    { pattern: /^(?:configure|create) account .{0,80}encrypted "?(?<secret>[^\s"]+)/ },
    { pattern: /^configure snmpv3 add community "(?<secret>[^"]+)"/ },
    { pattern: /^configure snmpv3 add community "[^"]+" name "(?<secret>[^"]+)"/ },
    { pattern: /^configure snmp add community (?:readonly|readwrite) (?:encrypted )?"?(?<secret>[^\s"]+)/ },
    { pattern: /^configure ospf .{0,200}\bencrypted .{0,40}?"(?<secret>[^"]+)"/ },
    { pattern: /^configure snmpv3 add user .{0,200}authentication \S+ (?:\S+ )?(?<secret>[0-9a-f:]{20,})/ },
    { pattern: /^configure snmpv3 add user .{0,300}privacy .{0,40}?(?<secret>[0-9a-f:]{20,})/ },
  ],
};

export const os10Running: Running = {
  ...cisco,
  ...os10Lines,
  show: "show running-configuration",
  startup: "show startup-configuration",
  // Nothing marks the end.
  leastBytes: 60,
  ignore: [/^! (?:Version|Last configuration change)/],
  changedBy: [changedAt],
  secrets: [{ pattern: /\b(?:auth|priv) (?:md5|sha|des|aes) (?<secret>0x\S+)/ }],
};

export const os9Running: Running = {
  ...cisco,
  show: "show running-config",
  startup: "show startup-config",
  complete: end,
  ignore: [/^Current Configuration/, /^! (?:Version|Last configuration change|Startup-config last updated)/],
  changedBy: [changedAt],
  secrets: [{ pattern: /^\s*(?:tacacs|radius)-server host \S+ key (?:\d )?(?<secret>\S+)/ }],
};

/** FASTPATH: the last section ends with `exit`, as all others do. */
export const fastpathRunning: Running = {
  ...cisco,
  show: "show running-config",
  startup: "show startup-config",
  leastBytes: 60,
  ignore: [
    /^!(?:Current Configuration|System (?:Up ?Time|Description|Software Version)|Current S(?:NTP|ystem) )/i,
  ],
  secrets: [{ pattern: /^\s*(?:password|username "?\S+"? password) (?<secret>[0-9a-f]{16,}) encrypted/ }],
};

export const vyosRunning: Running = {
  show: "show configuration",
  set: "show configuration commands",
  startup: "cat /config/config.boot",
  complete: { running: "braces", startup: /^\/\/ Release version:/ },
  shape: "braces",
  comment: "//",
  ...{ negate: "delete", paths: vyosPaths, access: vyosAccess },
  ignore: [/^\/\/ /],
  secrets: [{ pattern: /^set service snmp community '?(?<secret>[^\s']+)/ }],
};

export const linuxRunning: Running = {
  // The files are shown instead.
  show: "cat /etc/network/interfaces",
  files: [
    "/etc/hostname",
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/network/interfaces",
    "/etc/network/interfaces.d",
    "/etc/netplan",
    "/etc/systemd/network",
    "/etc/NetworkManager/system-connections",
    "/etc/sysconfig/network-scripts/ifcfg-*",
    "/etc/frr/frr.conf",
    "/etc/bird/*.conf",
    "/etc/nftables.conf",
    "/etc/sysctl.conf",
    "/etc/sysctl.d",
  ],
  // Printed by the command that shows the files, as is a refusal of one that was asked for by name.
  complete: /^# end of files$/,
  refusals: [/^# refused: /],
  leastBytes: 16,
  comment: "#",
  shape: "none",
  secrets: [{ pattern: /^\s*wireless-key\d? (?<secret>\S+)/ }, ...frrSecrets],
};

/** What is set beside that which `show` has; other columns are state. */
const ovsTables = {
  Open_vSwitch: "external_ids,other_config,ssl",
  Bridge:
    "name,datapath_type,protocols,stp_enable,rstp_enable,mcast_snooping_enable,flood_vlans,other_config,external_ids",
  Port: "name,vlan_mode,bond_mode,lacp,qos,other_config,external_ids",
  Interface:
    "name,mtu_request,ofport_request,ingress_policing_rate,ingress_policing_burst,other_config,external_ids",
  QoS: "_uuid,type,queues,other_config",
  Queue: "_uuid,dscp,other_config",
  Mirror: "name,select_all,select_src_port,select_dst_port,select_vlan,output_port,output_vlan",
};

export const ovsRunning: Running = {
  // The words of the mark are not in the command as they are shown, or its echo would end a text.
  show: `ovs-vsctl --timeout=60 show && ovs-vsctl --timeout=60 ${Object.entries(ovsTables)
    .map(([table, columns]) => `-- --columns=${columns} list ${table}`)
    .join(" ")} && echo "# end of" configuration`,
  complete: /^# end of configuration$/,
  // The state of a connection, not what is configured.
  ignore: [/^\s+(?:is_connected: true|error: )/],
  comment: "#",
  shape: "none",
  secrets: [
    { pattern: /[{ ][\w-]{0,40}(?:psk|password|secret|token)=(?<secret>"(?:[^"\\]|\\.)*"|[^",}\s][^,}]*)/ },
  ],
};
