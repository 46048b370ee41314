/** Interfaces of Junos: state, counters, addresses and optics. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { decimalAt, has, integerAt, macOr } from "../../../common/elements.ts";
import { decimal, integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type {
  ByName,
  Interface,
  InterfaceAddresses,
  InterfaceCounters,
  Optics,
  OpticsState,
} from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";
import { rowsByName, textOrName } from "../view.ts";

/** Physical interfaces, containing their logical ones. */
export async function interfaceInformation(device: JunosDevice): Promise<readonly XmlElement[]> {
  const reply = await device.ask(xml("get-interface-information"));
  return reply.descendants("physical-interface");
}

export const get_interfaces: Getter<JunosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  const physical = await interfaceInformation(device);
  for (const port of physical)
    interfaces[port.textOf("name")] = interfaceOf(
      port,
      port,
      (textOrName(port, "admin-status") ?? "up") === "up",
    );
  for (const port of physical)
    for (const logical of port.all("logical-interface"))
      interfaces[logical.textOf("name")] = interfaceOf(
        logical,
        port,
        !has(logical, "if-config-flags/iff-down"),
      );
  return interfaces;
};

/** @param physical supplies values that a logical interface lacks */
function interfaceOf(element: XmlElement, physical: XmlElement, isEnabled: boolean): Interface {
  const flapped = decimal(physical.find("interface-flapped")?.attribute("seconds"), 0);
  const mac = textOrName(physical, "current-physical-address");
  return {
    is_up: physical.textOf("oper-status") === "up",
    is_enabled: isEnabled,
    description: textOrName(element, "description") ?? "",
    last_flapped: flapped === 0 ? -1 : flapped,
    mac_address: mac === undefined ? "None" : macOr(mac),
    speed: speedOf(physical),
    mtu: integer(/\w+/.exec(physical.textOf("mtu"))?.[0], 0),
  };
}

/** In Mbit/s: `1000mbps`, `10Gbps`, or the negotiated speed. */
function speedOf(physical: XmlElement): number {
  const configuredSpeed = physical.textOf("speed");
  const isNegotiated = /\d|auto/i.exec(configuredSpeed)?.[0].toLowerCase() === "auto";
  const text = isNegotiated
    ? physical.textOf("ethernet-autonegotiation/link-partner-speed")
    : configuredSpeed;
  // Like NAPALM: a unit after a blank is ignored, so `10 Gbps` is 10.
  const [, number, unit = ""] = /(\d{1,9})(\w*)/.exec(text) ?? [];
  if (number === undefined) return -1;
  return Number(number) * (/^gbps$/i.test(unit) ? 1000 : 1);
}

const counterPaths: Readonly<Record<keyof InterfaceCounters, string>> = {
  rx_octets: "traffic-statistics/input-bytes",
  tx_octets: "traffic-statistics/output-bytes",
  rx_errors: "input-error-list/input-errors",
  rx_discards: "input-error-list/input-discards",
  tx_errors: "output-error-list/output-errors",
  tx_discards: "output-error-list/output-drops",
  rx_unicast_packets: "ethernet-mac-statistics/input-unicasts",
  tx_unicast_packets: "ethernet-mac-statistics/output-unicasts",
  rx_multicast_packets: "ethernet-mac-statistics/input-multicasts",
  tx_multicast_packets: "ethernet-mac-statistics/output-multicasts",
  rx_broadcast_packets: "ethernet-mac-statistics/input-broadcasts",
  tx_broadcast_packets: "ethernet-mac-statistics/output-broadcasts",
};

export const get_interfaces_counters: Getter<JunosDevice, "get_interfaces_counters"> = async (device) => {
  const kinds = xml("interface-name", {}, "[vmfgxe][mlet]*");
  const reply = await device.ask(xml("get-interface-information", {}, xml("extensive"), kinds));
  return Object.fromEntries(
    reply.descendants("physical-interface").map((element) => [element.textOf("name"), countersOf(element)]),
  );
};

/** -1 for counters that the interface lacks. */
function countersOf(element: XmlElement): InterfaceCounters {
  const count = (counter: keyof InterfaceCounters) => integerAt(element, counterPaths[counter], -1);
  return {
    rx_octets: count("rx_octets"),
    tx_octets: count("tx_octets"),
    rx_errors: count("rx_errors"),
    rx_discards: count("rx_discards"),
    tx_errors: count("tx_errors"),
    tx_discards: count("tx_discards"),
    rx_unicast_packets: count("rx_unicast_packets"),
    tx_unicast_packets: count("tx_unicast_packets"),
    rx_multicast_packets: count("rx_multicast_packets"),
    tx_multicast_packets: count("tx_multicast_packets"),
    rx_broadcast_packets: count("rx_broadcast_packets"),
    tx_broadcast_packets: count("tx_broadcast_packets"),
  };
}

const families: Readonly<Record<string, { readonly key: "ipv4" | "ipv6"; readonly longest: number }>> = {
  inet: { key: "ipv4", longest: 32 },
  inet6: { key: "ipv6", longest: 128 },
};

type Addresses = {
  -readonly [Family in keyof InterfaceAddresses]: Record<string, { prefix_length: number }>;
};

export const get_interfaces_ip: Getter<JunosDevice, "get_interfaces_ip"> = async (device) => {
  const reply = await device.ask(xml("get-interface-information", {}, xml("terse")));
  const interfaces: Record<string, Addresses> = {};
  const places = reply.descendants("logical-interface").flatMap((logical) =>
    logical.all("address-family").flatMap((family) =>
      family.all("interface-address").map((row) => ({
        row,
        name: logical.textOf("name"),
        addressFamily: families[family.textOf("address-family-name")],
      })),
    ),
  );
  const locals = rowsByName(
    places.map(({ row }) => row),
    ["ifa-local"],
  );
  for (const [at, [local]] of locals.entries()) {
    const { name = "", addressFamily } = places[at] ?? {};
    if (addressFamily === undefined) continue;
    const [address = "", length] = local.split("/");
    const ofInterface = slot(interfaces, name, () => ({}));
    ofInterface[addressFamily.key] ??= {};
    const addresses = ofInterface[addressFamily.key] ?? {};
    addresses[addressOrText(address)] = { prefix_length: integer(length, addressFamily.longest) };
  }
  return interfaces as ByName<InterfaceAddresses>;
};

export const get_optics: Getter<JunosDevice, "get_optics"> = async (device) => {
  const reply = await device.ask(xml("get-interface-optics-diagnostics-information"));
  return Object.fromEntries(
    reply.descendants("physical-interface").map((element): [string, Optics] => {
      const lanes = element.all("optics-diagnostics/optics-diagnostics-lane-values");
      const diagnostics = element.find("optics-diagnostics") ?? element;
      const channel =
        lanes.length > 0
          ? lanes.map((lane) =>
              channelOf(lane, integerAt(lane, "lane-index", 0), "laser-rx-optical-power-dbm"),
            )
          : [channelOf(diagnostics, 0, "rx-signal-avg-optical-power-dbm")];
      return [element.textOf("name"), { physical_channels: { channel } }];
    }),
  );
};

/** The device reports only current values, and `-Inf` for no light. */
function channelOf(
  light: XmlElement,
  index: number,
  received: string,
): Optics["physical_channels"]["channel"][number] {
  const state = (path: string): OpticsState => ({
    instant: decimalAt(light, path, 0),
    avg: 0,
    max: 0,
    min: 0,
  });
  return {
    index,
    state: {
      input_power: state(received),
      output_power: state("laser-output-power-dbm"),
      laser_bias_current: state("laser-bias-current"),
    },
  };
}
