/** Interfaces of IOS: their state, addresses, counters and optics. */
import { addressOrText, macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { channelOf, levelOf } from "../../../common/optics.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, sectionsOf, wordsOf } from "../../../common/text.ts";
import type { Interface, InterfaceCounters, Optics } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

const withProtocol = /^(\S+|Control Plane Interface)\s+is\s+(\S.*?),\s+line\s+protocol\s+is\s+(\S+)/;
const withoutProtocol = /^(\S+)\s+is\s+(up|down)/;

interface Head {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isUp: boolean;
}

export const getInterfaces: Getter<IosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  let head: Head | undefined;
  let mac = "";
  let description = "";
  for (const line of linesOf(await device.ask("show interfaces"))) {
    const nextHead = headOf(line);
    if (nextHead !== undefined) {
      head = nextHead;
      mac = "";
      description = "";
    }
    if (head === undefined) continue;
    const address = firstGroup(/^\s+Hardware.+address\s+is\s+([0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})/i, line);
    if (address !== undefined) mac = macAddress(address) ?? "";
    description = firstGroup(/^\s+Description:\s+(\S.*)$/, line) ?? description;
    const [, mtu, width, unit] = /^\s+MTU\s+(\d+).+BW\s+(\d+)\s+([KMG]?b)/.exec(line) ?? [];
    if (mtu === undefined) continue;
    interfaces[head.name] = {
      is_enabled: head.isEnabled,
      is_up: head.isUp,
      description,
      mac_address: mac,
      last_flapped: -1,
      mtu: Number(mtu),
      speed: speedOf(Number(width), unit ?? ""),
    };
    head = undefined;
  }
  return interfaces;
};

function headOf(line: string): Head | undefined {
  const [, name, status = "", protocol] = withProtocol.exec(line) ?? withoutProtocol.exec(line) ?? [];
  if (name === undefined) return undefined;
  return {
    name,
    isEnabled: !status.toLowerCase().includes("admin"),
    isUp: (protocol ?? status).includes("up"),
  };
}

/** In Mbit/s. */
function speedOf(width: number, unit: string): number {
  return unit === "Kb" ? width / 1000 : unit === "Gb" ? width * 1000 : width;
}

type Prefixes = Record<string, { prefix_length: number }>;
interface Addresses {
  ipv4?: Prefixes;
  ipv6?: Prefixes;
}

const ipv4 = /^\s+(?:Internet address is|Secondary address) ([\d.]+)\/(\d+)/;
const linkLocal = /^\s+IPv6 is enabled, link-local address is ([0-9a-f:]+)/i;
const global = /^\s+([0-9a-f:]+), subnet is [0-9a-f:]+\/(\d+)/i;
/** NAPALM's prefix length for link-local addresses. */
const linkLocalLength = 10;

export const getInterfacesIp: Getter<IosDevice, "get_interfaces_ip"> = async (device) => {
  const interfaces: Record<string, Addresses> = {};
  for (const [name, line] of byInterface(await device.ask("show ip interface"))) {
    const [, address = "", length] = ipv4.exec(line) ?? [];
    if (length === undefined) continue;
    const of = slot(interfaces, name, () => ({}));
    of.ipv4 ??= {};
    of.ipv4[addressOrText(address)] = { prefix_length: Number(length) };
  }
  const second = await device.ask("show ipv6 interface");
  if (isUnknown(second)) return interfaces;
  for (const [name, line] of byInterface(second)) {
    const of = slot(interfaces, name, () => ({}));
    of.ipv6 ??= {};
    const link = linkLocal.exec(line)?.[1];
    if (link !== undefined) of.ipv6[addressOrText(link)] = { prefix_length: linkLocalLength };
    const [, address = "", length] = global.exec(line) ?? [];
    if (length !== undefined) of.ipv6[addressOrText(address)] = { prefix_length: Number(length) };
  }
  return interfaces;
};

/** Each line with its interface; interface names start at column 0. */
function* byInterface(output: string): Generator<readonly [name: string, line: string]> {
  let name = "";
  for (const line of linesOf(output)) {
    if (line.trim() === "") continue;
    if (!line.startsWith(" ")) name = wordsOf(line)[0] ?? "";
    yield [name, line];
  }
}

type Counters = { -readonly [Name in keyof InterfaceCounters]: number };

/** Captures only the last digit, which is the value NAPALM returns. */
const multicasts = /Received \d+ broadcasts.{0,200}(\d).{0,200}multicasts/;
/** Counters that IOS does not report. */
const untold = -1;

export const getInterfacesCounters: Getter<IosDevice, "get_interfaces_counters"> = async (device) => {
  const output = await device.ask("show interfaces");
  const summary = await device.ask("show interface summary");
  const counters: Record<string, Counters> = {};
  for (const { head, lines } of sectionsOf(output, (line) => / line protocol is /.test(line))) {
    const name = firstGroup(/^(.+?) is .* line protocol is /, head)?.trim();
    if (name !== undefined) counters[name] = countersOf(lines);
  }
  for (const { name, input, output } of dropsOf(summary)) {
    const of = counters[canonicalInterface(name)] ?? counters[name];
    if (of !== undefined) Object.assign(of, { rx_discards: input, tx_discards: output });
  }
  return counters;
};

function countersOf(lines: readonly string[]): Counters {
  const of: Counters = {
    tx_errors: untold,
    rx_errors: untold,
    tx_discards: untold,
    rx_discards: untold,
    tx_octets: untold,
    rx_octets: untold,
    tx_unicast_packets: untold,
    rx_unicast_packets: untold,
    tx_multicast_packets: untold,
    rx_multicast_packets: untold,
    tx_broadcast_packets: untold,
    rx_broadcast_packets: untold,
  };
  const count = (pattern: RegExp, line: string) => Number(firstGroup(pattern, line) ?? untold);
  for (const line of lines) {
    if (line.includes("packets input")) {
      of.rx_unicast_packets = count(/(\d+) packets input/, line);
      of.rx_octets = count(/ (\d+) bytes/, line);
    } else if (line.includes("packets output")) {
      of.tx_unicast_packets = count(/(\d+) packets output/, line);
      of.tx_octets = count(/ (\d+) bytes/, line);
    } else if (line.includes("broadcast")) {
      of.rx_broadcast_packets = count(/Received (\d+) broadcasts/, line);
      of.rx_multicast_packets = count(multicasts, line);
    } else if (line.includes("input errors")) of.rx_errors = count(/(\d+) input errors/, line);
    else if (line.includes("output errors")) of.tx_errors = count(/(\d+) output errors/, line);
  }
  return of;
}

/** IHQ, IQD, OHQ, OQD and five rates after the interface name. */
function dropsOf(summary: string) {
  return linesOf(summary).flatMap((line) => {
    const words = wordsOf(line.replace(/^\s*\*/, ""));
    const numbers = words.slice(-9);
    const name = words.slice(0, -9).join(" ");
    if (name === "" || !numbers.every((word) => /^\d+$/.test(word))) return [];
    return [{ name, input: Number(numbers[1]), output: Number(numbers[3]) }];
  });
}

const opticsCommand = "show interfaces transceiver";

export const getOptics: Getter<IosDevice, "get_optics"> = async (device) => {
  const output = await device.ask(opticsCommand);
  if (isUnknown(output)) return {};
  const outputs = /% ?Incomplete command/.test(output) ? await ofBothSwitches(device) : [output];
  return Object.fromEntries(outputs.flatMap(tableOf).flatMap(portOf));
};

/** A VSS pair is queried switch by switch. */
async function ofBothSwitches(device: IosDevice): Promise<string[]> {
  if (!/Switch mode\s+: Virtual Switch/.test(await device.ask("show switch virtual"))) return [];
  return [await device.ask(`${opticsCommand} switch 1`), await device.ask(`${opticsCommand} switch 2`)];
}

/** The lines between the first rule and the next one. */
function tableOf(output: string): string[] {
  const lines = linesOf(output);
  const isRule = (line: string) => /^-{9}/.test(line);
  const begin = lines.findIndex(isRule);
  if (begin < 0) return [];
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex(isRule);
  return end < 0 ? rest : rest.slice(0, end);
}

/** Port, temperature, voltage, current, transmit, receive power; some devices omit the current. */
function portOf(line: string): [string, Optics][] {
  const [name = "", ...values] = wordsOf(line.trim().replace(/-+$/, ""));
  if (values.length < 4) return [];
  const [bias, output, input] = values.length === 4 ? ["0", ...values.slice(2)] : values.slice(2);
  const current = Number(bias);
  const light = {
    input: levelOf(input),
    output: levelOf(output),
    bias: Number.isFinite(current) ? current : 0,
  };
  return [[canonicalInterface(name), { physical_channels: { channel: [channelOf(light)] } }]];
}
