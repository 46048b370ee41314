/** Interfaces of nxos_ssh: their state, addresses, counters and optics. */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { channelOf, levelOf } from "../../../common/optics.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, sectionsOf } from "../../../common/text.ts";
import type { Interface, InterfaceCounters, Optics } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { numberOf, type Row, rowsOf, textOf } from "../../nxos-common/tables.ts";

/** NAPALM's value for an unknown speed. */
const noSpeed = -1;
/** The rest of a longer line is ignored: matching may take quadratic time. */
const maxLineLength = 4096;

/** Facts of one interface; the first occurrence of each counts. */
interface InterfaceFacts {
  readonly name: string;
  readonly says: string;
  address?: string | undefined;
  description?: string | undefined;
  admin?: string | undefined;
  mtu?: string | undefined;
  width?: string | undefined;
}

/** The output is hundreds of KB on a large switch, so it is scanned once and few lines are extracted. */
export const getInterfaces: Getter<NxosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  const answer = await device.text("show interface");
  const text = answer.includes("\r") ? answer.replaceAll("\r\n", "\n") : answer;
  let current: InterfaceFacts | undefined;
  const finish = () => {
    if (current !== undefined) interfaces[nameOf(current)] = interfaceOf(current);
  };
  for (let at = 0; at < text.length; ) {
    const lineFeed = text.indexOf("\n", at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    let from = at;
    let code = text.charCodeAt(from);
    while (isBlank(code)) code = text.charCodeAt(++from);
    const next = from === at ? headAt(text, at, end) : undefined;
    if (next !== undefined) {
      finish();
      current = next;
    } else if (current !== undefined && mayTell(code)) read(current, text, { at, from, end });
    at = end + 1;
  }
  finish();
  return interfaces;
};

const isBlank = (code: number) => code === 0x20 || code === 0x09;
/** Lines with facts start with one of `HMAaD`; most lines do not. */
const mayTell = (code: number) =>
  code === 0x48 || code === 0x4d || code === 0x41 || code === 0x61 || code === 0x44;

/** `<name> is <state>`: up, down, or another state with the admin state on the next line. */
function headAt(text: string, at: number, end: number): InterfaceFacts | undefined {
  let nameEnd = at;
  while (nameEnd < end && text.charCodeAt(nameEnd) > 0x20) nameEnd++;
  if (nameEnd === at || !text.startsWith(" is ", nameEnd) || text.startsWith("admin state", at))
    return undefined;
  const name = text.slice(at, nameEnd);
  const says = text.slice(nameEnd + " is ".length, Math.min(end, at + maxLineLength));
  if (says.trimStart() !== says || says === "") return undefined;
  const isHead =
    beginsWith(says, "up") ||
    beginsWith(says, "down") ||
    says.includes(", line protocol is ") ||
    text.startsWith("admin state is", end + 1);
  return isHead ? { name, says } : undefined;
}

/** As a whole word. */
const beginsWith = (text: string, word: string) =>
  text.startsWith(word) && !isOfWord(text.charCodeAt(word.length));

const isOfWord = (code: number) =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f;

/** Reads one line; `from` is the offset of its first word. */
function read(
  facts: InterfaceFacts,
  text: string,
  { at, from, end }: { at: number; from: number; end: number },
): void {
  const is = (word: string) => text.startsWith(word, from);
  const line = () => text.slice(at, Math.min(end, at + maxLineLength));
  switch (text[from]) {
    case "H":
      if (is("Hardware:")) facts.address ??= firstGroup(/^\s+Hardware:\s+.*,\s+address:\s+(\S+)\s/, line());
      break;
    case "M":
      if (is("MTU ")) readSize(facts, line());
      break;
    case "a":
    case "A":
      if (text.startsWith(adminState, from + 1)) facts.admin ??= wordAt(text, from + 1 + adminState.length);
      break;
    case "D":
      if (!is("Description:")) break;
      // Some releases put the next value on the same line.
      readSize(facts, line());
      facts.description ??= firstGroup(/^\s+Description:\s+(\S.*)$/, line());
  }
}

const adminState = "dmin state is ";

/** Undefined if there is none. */
function wordAt(text: string, from: number): string | undefined {
  let end = from;
  while (isOfWord(text.charCodeAt(end))) end++;
  return end === from ? undefined : text.slice(from, end);
}

function readSize(facts: InterfaceFacts, line: string): void {
  if (facts.mtu === undefined) {
    const [, mtu, width] = /MTU (\d+)\s+bytes(?:,\s+BW\s+(\d+)\s+Kbit)?/.exec(line) ?? [];
    facts.mtu = mtu;
    facts.width ??= width;
  }
  // The bandwidth is read even without an MTU in bytes.
  facts.width ??= firstGroup(/MTU \S+\s+bytes,\s+BW\s+(\d+)\s+Kbit/, line);
}

function interfaceOf(facts: InterfaceFacts): Interface {
  const { is_up, is_enabled } = stateOf(facts);
  return {
    is_up,
    is_enabled,
    description: facts.description?.split(/ {2}(?:MTU|Internet)/, 1)[0] ?? "",
    last_flapped: -1,
    mac_address: macAddress(facts.address ?? "") ?? "",
    mtu: Number(facts.mtu ?? 0),
    speed: facts.width === undefined ? noSpeed : Number(facts.width) / 1000,
  };
}

/** If the line names a line protocol, the name is used unchanged. */
const nameOf = ({ name, says }: InterfaceFacts) =>
  says.includes(", line protocol is ") ? name : canonicalInterface(name);

/** `is down (Administratively down), line protocol is down`, or `is up` and `admin state is up` on a later line. */
function stateOf({ says, admin }: InterfaceFacts): Pick<Interface, "is_up" | "is_enabled"> {
  const protocol = says.includes(",") ? firstGroup(/,\s+line\s+protocol\s+is\s+(\S+)/, says) : undefined;
  if (protocol !== undefined) {
    const status = says.split(",", 1)[0] ?? "";
    return { is_up: protocol.includes("up"), is_enabled: !status.toLowerCase().includes("admin") };
  }
  const isUp = beginsWith(says, "up");
  if (admin !== undefined) return { is_up: isUp, is_enabled: admin === "up" };
  return { is_up: isUp, is_enabled: isUp || !/down.*Administratively down/.test(says) };
}

type Prefixes = Record<string, { prefix_length: number }>;
interface Addresses {
  ipv4?: Prefixes;
  ipv6?: Prefixes;
}

/** Prefix length of link-local addresses, which NX-OS does not report. */
const linkLocalLength = 64;

export const getInterfacesIp: Getter<NxosDevice, "get_interfaces_ip"> = async (device) => {
  const interfaces: Record<string, Addresses> = {};
  for (const [name, line] of byInterface(await device.text("show ip interface vrf all"))) {
    const [, address, length] =
      /^\s+IP address: ([\d.]+|none)\b(?:.*?IP subnet: [\d.]+\/(\d+))?/.exec(line) ?? [];
    if (address === undefined) continue;
    const of = slot(interfaces, name, () => ({}));
    of.ipv4 ??= {};
    if (address !== "none" && length !== undefined) of.ipv4[address] = { prefix_length: Number(length) };
  }
  const last = Object.keys(interfaces).at(-1);
  // Like NAPALM: lines before the first interface belong to the last interface of the previous table.
  for (const [name, line] of byInterface(await device.text("show ipv6 interface vrf all"), last)) {
    const of = slot(interfaces, name, () => ({}));
    of.ipv6 ??= {};
    const [, address, length] =
      /^\s+(?:IPv6 (?:link-local )?address:\s+)?([0-9a-f:]+:[0-9a-f:.]*)(?:\/(\d+))?\s.*VALID/i.exec(line) ??
      [];
    if (address !== undefined) of.ipv6[address] = { prefix_length: Number(length ?? linkLocalLength) };
  }
  return interfaces;
};

/** Each line with its interface. */
function* byInterface(output: string, before?: string): Generator<readonly [name: string, line: string]> {
  let name = before;
  for (const line of linesOf(output)) {
    const heading = firstGroup(/^([^\s,]+), Interface status/, line);
    if (heading !== undefined) name = heading;
    else if (name !== undefined) yield [name, line];
  }
}

type Fields = Readonly<Record<keyof InterfaceCounters, string | undefined>>;

/** Fields of ports and port channels. */
const ofPorts: Fields = {
  tx_errors: "eth_outerr",
  rx_errors: "eth_inerr",
  tx_discards: "eth_outdiscard",
  rx_discards: "eth_indiscard",
  tx_octets: "eth_outbytes",
  rx_octets: "eth_inbytes",
  tx_unicast_packets: "eth_outucast",
  rx_unicast_packets: "eth_inucast",
  tx_multicast_packets: "eth_outmcast",
  rx_multicast_packets: "eth_inmcast",
  tx_broadcast_packets: "eth_outbcast",
  rx_broadcast_packets: "eth_inbcast",
};
const ofManagement: Fields = {
  tx_errors: undefined,
  rx_errors: undefined,
  tx_discards: undefined,
  rx_discards: undefined,
  tx_octets: "mgmt_out_bytes",
  rx_octets: "mgmt_in_bytes",
  tx_unicast_packets: undefined,
  rx_unicast_packets: undefined,
  tx_multicast_packets: "mgmt_out_mcast",
  rx_multicast_packets: "mgmt_in_mcast",
  tx_broadcast_packets: undefined,
  rx_broadcast_packets: undefined,
};

export const getInterfacesCounters: Getter<NxosDevice, "get_interfaces_counters"> = async (device) => {
  // The second structure contains all interfaces and their discards; the first one has more counters.
  const detailed = rowsOf(
    await device.json("show interface counters detailed"),
    "TABLE_interface",
    "ROW_interface",
  );
  const summary = rowsOf(await device.json("show interface"), "TABLE_interface", "ROW_interface");
  const counters: Record<string, InterfaceCounters> = {};
  for (const row of [...summary, ...detailed]) {
    const name = textOf(row, "interface") ?? "";
    const fields = /^(?:Ether|port-channel)/.test(name)
      ? ofPorts
      : name.startsWith("mgm")
        ? ofManagement
        : undefined;
    if (fields !== undefined) counters[name] = countersOf(row, fields, counters[name]);
  }
  return counters;
};

function countersOf(row: Row, fields: Fields, previous: InterfaceCounters | undefined): InterfaceCounters {
  const of = (name: keyof InterfaceCounters) => {
    const field = fields[name];
    return (field === undefined ? undefined : numberOf(row, field)) ?? previous?.[name] ?? 0;
  };
  return {
    tx_errors: of("tx_errors"),
    rx_errors: of("rx_errors"),
    tx_discards: of("tx_discards"),
    rx_discards: of("rx_discards"),
    tx_octets: of("tx_octets"),
    rx_octets: of("rx_octets"),
    tx_unicast_packets: of("tx_unicast_packets"),
    rx_unicast_packets: of("rx_unicast_packets"),
    tx_multicast_packets: of("tx_multicast_packets"),
    rx_multicast_packets: of("rx_multicast_packets"),
    tx_broadcast_packets: of("tx_broadcast_packets"),
    rx_broadcast_packets: of("rx_broadcast_packets"),
  };
}

const connectors: Readonly<Record<string, string>> = {
  "1000base-LH": "LC_CONNECTOR",
  "1000base-SX": "LC_CONNECTOR",
  "10Gbase-LR": "LC_CONNECTOR",
  "10Gbase-SR": "LC_CONNECTOR",
  "SFP-H10GB-CU1M": "DAC_CONNECTOR",
  "SFP-H10GB-CU1.45M": "DAC_CONNECTOR",
  "SFP-H10GB-CU3M": "DAC_CONNECTOR",
  "SFP-H10GB-CU3.45M": "DAC_CONNECTOR",
};

interface Transceiver {
  readonly vendor: string;
  readonly vendor_part: string;
  readonly vendor_rev: string;
  readonly serial_no: string;
  readonly connector_type: string;
}

/** From the transceiver details. */
export const getOptics: Getter<NxosDevice, "get_optics"> = async (device) => {
  const output = await device.text("show interface transceiver details");
  const optics: Record<string, Optics & { readonly state: Transceiver }> = {};
  for (const { head, lines } of sectionsOf(output, (line) => line.startsWith("Ether"))) {
    const text = lines.join("\n");
    if (/transceiver is not (?:present|applicable)/.test(text)) continue;
    const says = (pattern: RegExp) => firstGroup(pattern, text)?.trim() ?? "";
    const state = {
      vendor: says(/^\s+name is (.*)$/m),
      vendor_part: says(/^\s+part number is (.*)$/m),
      vendor_rev: says(/^\s+revision is (.*)$/m),
      serial_no: says(/^\s+serial number is (.*)$/m),
      connector_type: connectors[firstGroup(/^\s+type is (.*)$/m, text) ?? ""] ?? "Unknown",
    };
    const channel = text.includes("DOM is not supported") ? [] : [lightOf(text)];
    optics[head.trim()] = { physical_channels: { channel }, state };
  }
  return optics;
};

const lightOf = (text: string) =>
  channelOf({
    input: levelOf(firstGroup(/Rx Power +(\S+) +dBm/, text)),
    output: levelOf(firstGroup(/Tx Power +(\S+) +dBm/, text)),
    bias: levelOf(firstGroup(/Current +(\S+) +mA/, text)),
  });
