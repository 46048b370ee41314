/**
 * Who may come in to RouterOS. A statement is a menu with what an entry has, `/ip address { address=192.0.2.1/24
 * interface=ether1 }`; of a command its verb stands before that, and what it sets behind. From the documentation of the menus.
 */
import type { AccessWords } from "patchbay/plugin";

/** The entry has this property. */
const has = (property: string, group: string) => `(?=[^}]* ${property}="?(?<${group}>[^" ]+))`;
const may = (property: string, group: string) => `(?=(?:[^}]* ${property}="?(?<${group}>[^" ]+))?)`;

const entry = (menu: string, ...properties: readonly string[]) =>
  new RegExp(`^${menu} (?=\\{)${properties.join("")}`);
const removed = (menu: string, ...properties: readonly string[]) => entry(`${menu} remove`, ...properties);
const added = (menu: string, ...properties: readonly string[]) => entry(`${menu} add`, ...properties);
/** @param change what is set, whole */
const set = (menu: string, property: string, change: string) =>
  new RegExp(`^${menu} set (?=\\{)${property}[^}]*\\} (?:.* )?${change}(?= |$)`);

const off = "disabled=yes";
const port = "/interface(?: (?:ethernet|bridge|vlan|bonding|wireguard|pppoe-client|wireless|wifi))?";
const named = has("(?:name|default-name)", "interface");
const bridged = has("interface", "interface");
const address = "/ip(?:v6)? address";
const route = "/ip(?:v6)? route";
const service = (name: string) => `(?=[^}]* name=${name} )`;
const ofSsh = { transport: ["ssh", "netconf"] as const };
/** What a rule asks of a packet that is not known of ours. */
const unsure =
  "(?:in-interface|in-interface-list|src-address-list=!|src-address=!|dst-address|dst-address-list|src-port|jump-target|limit|content|time|hotspot|layer7-protocol|connection-limit|src-mac-address|ipsec-policy)\\b";

export const routerosAccess: AccessWords = {
  interfaces: [
    entry(address, has("address", "address"), has("interface", "interface")),
    entry("/interface bridge port", has("bridge", "bundle"), bridged),
    entry("/interface vlan", has("name", "interface"), has("interface", "parent")),
  ],
  loginLists: [/^\/ip firewall (?:filter|raw) (?:\w+ )?(?=\{)(?=[^}]* chain=(?<list>input|prerouting) )/],
  listEntries: [],
  termParts: [
    new RegExp(
      `^(?<term>/ip firewall (?:filter|raw) (?=\\{)${has("chain", "list").replace('[^" ]+', "(?:input|prerouting)")}${[
        may("action", "action"),
        may("src-address", "source"),
        may("protocol", "protocol"),
        may("dst-port", "service"),
        may("src-address-list", "set"),
        "(?=(?:[^}]* (?<unless>connection-state=(?![^ ]*new)))?)",
        `(?=(?:[^}]* (?<when>${unsure}))?)`,
        // They only note that a packet came.
        "(?![^}]* action=(?:log|passthrough|add-))",
      ].join("")}.*)`,
    ),
  ],
  sets: [
    /^\/ip firewall address-list (?:\w+ )?(?=\{)(?=[^}]* list=(?<set>[^ ]+))(?=[^}]* address=(?<address>[^ ]+))/,
  ],
  isOpen: true,
  routes: [entry(route, may("dst-address", "address"), has("gateway", "via"))],
  cuts: [
    { line: removed(port, named), of: "only" },
    { line: set(port, named, off), of: "only" },
    { line: set("/interface vlan", named, "(?:vlan-id|interface)=\\S+"), of: "only" },
    { line: set("/interface bridge", named, "vlan-filtering=yes"), of: "only" },
    { line: removed("/interface bridge port", bridged), of: "only" },
    { line: set("/interface bridge port", bridged, "(?:disabled=yes|bridge=\\S+|pvid=\\S+)"), of: "only" },
    { line: removed(address, has("address", "address")), of: "address" },
    {
      line: set(address, has("address", "address"), "(?:disabled=yes|address=\\S+|interface=\\S+)"),
      of: "address",
    },
    { line: removed(route, may("dst-address", "address")), of: "route" },
    { line: set(route, may("dst-address", "address"), "(?:disabled=yes|dst-address=\\S+)"), of: "route" },
    { line: set(route, may("dst-address", "address"), "gateway=(?<via>\\S+)"), of: "route" },
    { line: added(route, may("dst-address", "address"), has("gateway", "via")), of: "route" },
    { line: added(route, may("dst-address", "address"), "(?=[^}]* blackhole)"), of: "route" },
    { line: removed("/user", has("name", "user")), of: "user" },
    { line: set("/user", has("name", "user"), "(?:disabled=yes|(?:password|group|name)=\\S+)"), of: "user" },
    { line: set("/user", "", "address=(?<networks>\\S+)"), of: "not-from" },
    { line: removed("/user ssh-keys", has("user", "user")), of: "user", transport: ["ssh"] },
    { line: set("/ip service", service("ssh"), off), ...ofSsh },
    { line: set("/ip service", service("ssh"), "port=(?<number>\\d+)"), of: "not-port", ...ofSsh },
    { line: set("/ip service", service("ssh"), "address=(?<networks>\\S+)"), of: "not-from", ...ofSsh },
    { line: set("/ip service", service("telnet"), off), transport: ["telnet"] },
    {
      line: set("/ip service", service("telnet"), "port=(?<number>\\d+)"),
      of: "not-port",
      transport: ["telnet"],
    },
    {
      line: set("/ip service", service("telnet"), "address=(?<networks>\\S+)"),
      of: "not-from",
      transport: ["telnet"],
    },
    { line: set("/ip service", service("www-ssl"), off), transport: ["https"] },
    { line: /^\/user aaa set \{ .*\} .*\buse-radius=/ },
  ],
};
