/** Tables of IOS: MAC addresses, neighbours, VLANs, network instances. */
import { ipAddress, macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { firstGroup, linesOf, needed, sectionsOf, unreadable, wordsOf } from "../../../common/text.ts";
import type { ArpEntry, Ipv6Neighbor, MacTableEntry, NetworkInstance } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";
import { interfacesOf } from "./facts.ts";

/** Later releases use the second one. */
const commands = ["show mac-address-table", "show mac address-table"] as const;
const mac = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/i;
const anywhere = /[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}/i;
/** Ports that do not fit are on continuation lines below the first port. */
const below = /^\s{28,64}[A-Z][A-Za-z-]{1,24}[\d,/.]/;
const port = /^[A-Z][A-Za-z]\w{0,2}\d[\d/.]*$/;

interface Entry {
  readonly vlan: string;
  readonly mac: string;
  readonly type: string;
  readonly ports: readonly string[];
}

/** Its format depends on the switch family. */
export const getMacAddressTable: Getter<IosDevice, "get_mac_address_table"> = async (device) => {
  let command: string = commands[0];
  let output = await device.ask(command);
  if (isUnknown(output)) {
    command = commands[1];
    output = await device.ask(command);
  }
  const table: MacTableEntry[] = [];
  let last: Entry | undefined;
  let inTable = false;
  for (const line of linesOf(output)) {
    if (/^\s*-{4}/.test(line)) inTable = true;
    // Titles and legends are repeated within the table.
    if (!inTable || !(anywhere.test(line) || below.test(line))) continue;
    const entry: Entry | undefined = below.test(line)
      ? last && { ...last, ports: portsIn(line) }
      : entryOf(line);
    if (entry === undefined) throw unreadable(command, line);
    last = entry;
    table.push(...rowsOf(entry, device));
  }
  return table;
};

const portsIn = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Parses by the position of the address and the number of words. */
function entryOf(line: string): Entry | undefined {
  const words = wordsOf(line.replace(/^\s*(?:\*\s*|R\s+)/, " "));
  const [first = "", second = ""] = words;
  if (mac.test(first)) {
    const [address = "", type = "", vlan = "", name = ""] = words;
    return words.length === 4 ? { vlan, mac: address, type, ports: [name] } : undefined;
  }
  if (!mac.test(second) || words.length < 3) return undefined;
  const [vlan = "", address = "", type = ""] = words;
  // Between type and port are the protocols, or learning and age.
  const ports = words.length === 3 ? [""] : portsIn(words.at(-1) ?? "");
  if (!port.test(vlan)) return { vlan, mac: address, type, ports };
  // A routed port instead of a VLAN; in the unicast table it is also the port.
  return { vlan: "-1", mac: address, type, ports: words.length === 5 ? [canonicalInterface(vlan)] : ports };
}

function rowsOf({ vlan, mac, type, ports }: Entry, device: IosDevice): MacTableEntry[] {
  const isStatic = ["self", "static", "system"].includes(type.toLowerCase());
  return ports.map((name) => ({
    mac: macAddress(mac) ?? mac,
    interface: device.named(isStatic && /^cpu$|router|switch/i.test(name) ? "" : name),
    vlan: /^-?\d+$/.test(vlan) ? Number(vlan) : 0,
    static: isStatic,
    active: true,
    moves: -1,
    last_move: -1,
  }));
}

/** Ages in minutes. */
export const getArpTable: Getter<IosDevice, "get_arp_table"> = async (device, { vrf }) => {
  const command = `show arp ${vrf === "" ? "" : `vrf ${vrf} `}| exclude Incomplete`;
  const table: ArpEntry[] = [];
  for (const line of linesOf(await device.ask(command))) {
    const words = wordsOf(line);
    if (words.length === 0 || words[0] === "Protocol") continue;
    const [, address = "", age = "", mac = "", , name = ""] = words;
    if (words.length < 5 || words.length > 6) throw unreadable(command, line);
    table.push({
      interface: name,
      mac: needed(macAddress(mac), command, line),
      ip: needed(ipAddress(address), command, line),
      age: age === "-" ? -1 : needed(/^\d+(?:\.\d+)?$/.test(age) ? Number(age) : undefined, command, line),
    });
  }
  return table;
};

/** Ages in minutes, 0 below one minute. */
export const getIpv6NeighborsTable: Getter<IosDevice, "get_ipv6_neighbors_table"> = async (device) => {
  const command = "show ipv6 neighbors";
  const output = await device.ask(command);
  if (isUnknown(output)) return [];
  const table: Ipv6Neighbor[] = [];
  let inTable = false;
  for (const line of linesOf(output)) {
    if (/^IPv6\s+Address\s.*Interface\s*$/i.test(line)) inTable = true;
    else if (inTable && line.trim() !== "") {
      const [address = "", age = "", mac = "", state = "", name = ""] = wordsOf(line);
      table.push({
        interface: name,
        mac: mac === "-" ? "" : needed(macAddress(mac), command, line),
        ip: needed(ipAddress(address), command, line),
        age: Number(age) || 0,
        state,
      });
    }
  }
  return table;
};

/** Like NAPALM: leaves a VLAN out of the full table if only blanks follow its state (no ports). */
const vlanLine = /^(\d{1,4})\s+(\S.*?)\s+(?:active|act\/[isl]shut|act\/unsup)(?:\s+([A-Z][a-z].*))?$/;
/** Like NAPALM: the name includes trailing blanks. */
const shortLine = /^(\d{1,4})\s+(\S.*?)(?:active|act\/[isl]shut|act\/unsup)/;
const portsLine = /^\s+([A-Z][a-z].*)$/;

interface ParsedVlan {
  readonly id: string;
  readonly name: string;
  readonly interfaces: string[];
}

export const getVlans: Getter<IosDevice, "get_vlans"> = async (device) => {
  const allPorts = await device.ask("show vlan all-ports");
  const vlans = isUnknown(allPorts) ? await oneByOne(device) : vlansOf(allPorts);
  return Object.fromEntries(vlans.map(({ id, name, interfaces }) => [id, { name, interfaces }]));
};

/** The brief table omits trunks, so each VLAN is queried separately. */
async function oneByOne(device: IosDevice): Promise<ParsedVlan[]> {
  const vlans: ParsedVlan[] = [];
  for (const line of linesOf(await device.ask("show vlan brief"))) {
    const [, id, name = ""] = shortLine.exec(line) ?? [];
    if (id === undefined) continue;
    const [found] = vlansOf(await device.ask(`show vlan id ${id}`));
    vlans.push(found ?? { id, name, interfaces: [] });
  }
  return vlans;
}

function vlansOf(output: string): ParsedVlan[] {
  const vlans: ParsedVlan[] = [];
  let now: ParsedVlan | undefined;
  for (const line of linesOf(output)) {
    const [, id, name = "", ports = ""] = vlanLine.exec(line) ?? [];
    const more = now === undefined ? undefined : portsLine.exec(line)?.[1];
    if (id !== undefined) {
      now = { id, name, interfaces: vlanPortsIn(ports) };
      vlans.push(now);
    } else if (now !== undefined && more !== undefined) now.interfaces.push(...vlanPortsIn(more));
    else now = undefined;
  }
  return vlans;
}

const vlanPortsIn = (text: string) =>
  portsIn(text)
    .filter((name) => /^[A-Z][a-z]/.test(name))
    .map((name) => canonicalInterface(name));

export const getNetworkInstances: Getter<IosDevice, "get_network_instances"> = async (device, { name }) => {
  const detail = await device.ask("show vrf detail");
  const interfaces = interfacesOf(await device.ask("show ip interface brief"));
  const vrfs = isUnknown(detail) ? [] : sectionsOf(detail, (line) => /^VRF \S/.test(line)).map(vrfOf);
  const assigned = new Set(vrfs.flatMap(({ interfaces }) => Object.keys(interfaces.interface)));
  const rest = interfaces.filter((interfaceName) => !assigned.has(interfaceName));
  const instances = [instanceOf("default", "DEFAULT_INSTANCE", "", rest), ...vrfs];
  return Object.fromEntries(
    instances
      .filter((instance) => name === "" || instance.name === name)
      .map((instance) => [instance.name, instance]),
  );
};

/** The interfaces are listed between their title and the first address family. */
function vrfOf({
  head,
  lines,
}: {
  readonly head: string;
  readonly lines: readonly string[];
}): NetworkInstance {
  const distinguisher = firstGroup(/\bRD (.+?)(?:;|$)/, head) ?? "";
  const text = `${head}\n${lines.join("\n")}`.split(/^Address family/m, 1)[0] ?? "";
  const [, members = ""] = text.split(/^\s*Interfaces:/m, 2);
  return instanceOf(
    firstGroup(/^VRF ([^\s;]+)/, head) ?? "",
    "L3VRF",
    distinguisher === "<not set>" ? "" : distinguisher,
    wordsOf(members).map((short) => canonicalInterface(short)),
  );
}

function instanceOf(
  name: string,
  type: string,
  distinguisher: string,
  interfaces: readonly string[],
): NetworkInstance {
  return {
    name,
    type,
    state: { route_distinguisher: distinguisher },
    interfaces: { interface: Object.fromEntries(interfaces.map((member) => [member, {}])) },
  };
}
