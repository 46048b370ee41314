/** Interfaces of iosxr: their state, counters and addresses. */
import type { XmlElement } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { decimal } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type { Interface, InterfaceAddresses, InterfaceCounters } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { decimalAt, integerAt, normalMac } from "./values.ts";

export const getInterfaces: Getter<XrDevice, "get_interfaces"> = (device) => readInterfaces(device);

export async function readInterfaces(device: XrDevice): Promise<Record<string, Interface>> {
  const response = await device.ask("<Get><Operational><Interfaces/></Operational></Get>");
  const interfaces: Record<string, Interface> = {};
  for (const container of response.descendants("Interfaces"))
    for (const element of container.all("InterfaceTable/Interface")) {
      const name = element.textOf("Naming/InterfaceName");
      if (name !== "") interfaces[name] = interfaceOf(element);
    }
  return interfaces;
}

/** In nanoseconds. */
function lastFlapped(element: XmlElement): number {
  const nanoseconds = decimal(element.textOf("LastStateTransitionTime"), -1);
  return nanoseconds === -1 ? -1 : nanoseconds / 1e9;
}

function interfaceOf(element: XmlElement): Interface {
  return {
    is_up: element.textOf("LineState") === "IM_STATE_UP",
    is_enabled: element.textOf("State") !== "IM_STATE_ADMINDOWN",
    description: element.textOf("Description"),
    last_flapped: lastFlapped(element),
    mtu: integerAt(element, "MTU"),
    speed: decimalAt(element, "Bandwidth") * 1e-3,
    mac_address: normalMac(element.textOf("MACAddress/Address")),
  };
}

const counterQuestion =
  "<Get><Operational><Interfaces><InterfaceTable></InterfaceTable></Interfaces></Operational></Get>";

/** Counters of each interface that has any. */
export const getInterfacesCounters: Getter<XrDevice, "get_interfaces_counters"> = async (device) => {
  const counters: Record<string, InterfaceCounters> = {};
  for (const element of (await device.ask(counterQuestion)).descendants("Interface")) {
    if (element.find("InterfaceStatistics") === undefined) continue;
    const counter = (name: string) => integerAt(element, `InterfaceStatistics/FullInterfaceStats/${name}`);
    counters[element.textOf("InterfaceHandle")] = {
      tx_errors: counter("OutputErrors"),
      rx_errors: counter("InputErrors"),
      tx_discards: counter("OutputDrops"),
      rx_discards: counter("InputDrops"),
      tx_octets: counter("BytesSent"),
      rx_octets: counter("BytesReceived"),
      tx_unicast_packets: counter("PacketsSent"),
      rx_unicast_packets: counter("PacketsReceived"),
      tx_multicast_packets: counter("MulticastPacketsSent"),
      rx_multicast_packets: counter("MulticastPacketsReceived"),
      tx_broadcast_packets: counter("BroadcastPacketsSent"),
      rx_broadcast_packets: counter("BroadcastPacketsReceived"),
    };
  }
  return counters;
};

type Family = keyof InterfaceAddresses;
type Prefixes = Record<string, { prefix_length: number }>;
type Addresses = Partial<Record<Family, Prefixes>>;

const addressQuestion =
  "<Get><Operational><IPV4Network></IPV4Network><IPV6Network></IPV6Network></Operational></Get>";
const globalDetail = "NodeTable/Node/InterfaceData/VRFTable/VRF/GlobalDetailTable/GlobalDetail";

export const getInterfacesIp: Getter<XrDevice, "get_interfaces_ip"> = async (device) => {
  const response = await device.ask(addressQuestion);
  const interfaces: Record<string, Addresses> = {};
  const prefixesOf = (element: XmlElement, family: Family): Prefixes => {
    const families = slot(interfaces, element.textOf("Naming/InterfaceName"), (): Addresses => ({}));
    families[family] ??= {};
    return families[family];
  };
  for (const network of response.descendants("IPV4Network"))
    for (const element of network.all("InterfaceTable/Interface")) {
      const prefixes = prefixesOf(element, "ipv4");
      add(prefixes, element.all("VRFTable/VRF/Detail").slice(0, 1), "PrimaryAddress");
      const secondary = element.all("VRFTable/VRF/Detail/SecondaryAddress/Entry");
      const secondaryPrefixes: Prefixes = {};
      for (const entry of secondary.toReversed()) add(secondaryPrefixes, [entry], "Address");
      Object.assign(prefixes, secondaryPrefixes);
    }
  // An interface with IPv6 enabled is listed even without an address.
  for (const network of response.descendants("IPV6Network"))
    for (const element of network.all(globalDetail))
      add(prefixesOf(element, "ipv6"), element.all("AddressList/Entry"), "Address");
  return interfaces;
};

function add(prefixes: Prefixes, entries: readonly XmlElement[], field: string): void {
  for (const entry of entries) {
    const address = addressOrText(entry.textOf(field));
    if (address !== "") prefixes[address] ??= { prefix_length: integerAt(entry, "PrefixLength") };
  }
}
