/** Neighbours of a Junos device: LLDP, ARP and IPv6 neighbour discovery. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { decimalAt, grouped, macOr } from "../../../common/elements.ts";
import type { LldpNeighborDetail } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { isRefusal, type JunosDevice } from "../device.ts";
import { rowsByName, textOrName } from "../view.ts";

/** A device without LLDP refuses the request: it has no neighbours. */
async function lldpNeighbors(device: JunosDevice): Promise<readonly XmlElement[]> {
  try {
    const reply = await device.ask(xml("get-lldp-neighbors-information"));
    return reply.descendants("lldp-neighbor-information");
  } catch (error) {
    if (!isRefusal(error)) throw error;
    device.warn(`LLDP: ${error.message}`);
    return [];
  }
}

export const get_lldp_neighbors: Getter<JunosDevice, "get_lldp_neighbors"> = async (device) => {
  const neighbors = await lldpNeighbors(device);
  return grouped(
    rowsByName(neighbors, localNames).map(([name, neighbor]) => [
      name,
      {
        hostname: textOrName(neighbor, "lldp-remote-system-name") ?? "None",
        port:
          textOrName(neighbor, "lldp-remote-port-id") ??
          textOrName(neighbor, "lldp-remote-port-description") ??
          "None",
      },
    ]),
  );
};

/** The element name depends on the release. */
const localNames = ["lldp-local-port-id", "lldp-local-interface"];

/** Two names of the same operation; each system knows one. */
const ofInterface = [
  { operation: "get-lldp-interface-neighbors", argument: "interface-device" },
  { operation: "get-lldp-interface-neighbors-information", argument: "interface-name" },
] as const;

/** Number of concurrent requests, one per interface. */
const together = 16;

export const get_lldp_neighbors_detail: Getter<JunosDevice, "get_lldp_neighbors_detail"> = async (
  device,
  { interface: only },
) => {
  const interfaces =
    only === "" ? rowsByName(await lldpNeighbors(device), localNames).map(([name]) => name) : [only];
  // Like NAPALM: an interface listed twice is queried twice, and its neighbours are listed twice.
  const [first, ...rest] = interfaces;
  if (first === undefined) return {};
  let variant: (typeof ofInterface)[number] = ofInterface[0];
  const ask = async (name: string) => {
    const reply = await device.ask(xml(variant.operation, {}, xml(variant.argument, {}, name)));
    return reply
      .descendants("lldp-neighbor-information")
      .map((neighbor) => [name, detailOf(neighbor)] as const);
  };
  const neighbors = await ask(first).catch((error) => {
    if (!isRefusal(error, /syntax error|unknown command/i)) throw error;
    variant = ofInterface[1];
    return ask(first);
  });
  for (let at = 0; at < rest.length; at += together)
    neighbors.push(...(await Promise.all(rest.slice(at, at + together).map(ask))).flat());
  return grouped(neighbors);
};

function detailOf(neighbor: XmlElement): LldpNeighborDetail {
  const text = (path: string) => textOrName(neighbor, path) ?? "";
  return {
    parent_interface: text("lldp-local-parent-interface-name"),
    remote_port: text("lldp-remote-port-id"),
    remote_chassis_id: macOr(text("lldp-remote-chassis-id")),
    remote_port_description: text("lldp-remote-port-description"),
    remote_system_name: text("lldp-remote-system-name"),
    remote_system_description: text("lldp-system-description/lldp-remote-system-description"),
    remote_system_capab: capabilitiesOf(neighbor.textOf("lldp-remote-system-capabilities-supported")),
    remote_system_enable_capab: capabilitiesOf(neighbor.textOf("lldp-remote-system-capabilities-enabled")),
  };
}

/** Junos spells them out: `Bridge Router`. */
const capabilityNames: Readonly<Record<string, string>> = {
  bridge: "bridge",
  "docsis cable device": "docsis-cable-device",
  other: "other",
  repeater: "repeater",
  router: "router",
  "station only": "station",
  telephone: "telephone",
  "wlan access point": "wlan-access-point",
};

function capabilitiesOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return Object.keys(capabilityNames)
    .filter((word) => lower.includes(word))
    .map((word) => capabilityNames[word] ?? word)
    .sort();
}

export const get_arp_table: Getter<JunosDevice, "get_arp_table"> = async (device, { vrf }) => {
  const instance = vrf === "" ? [] : [xml("vpn", {}, vrf)];
  const operation = xml(
    "get-arp-table-information",
    {},
    xml("expiration-time"),
    xml("no-resolve"),
    ...instance,
  );
  return (await device.ask(operation)).descendants("arp-table-entry").map((entry) => ({
    interface: entry.textOf("interface-name"),
    mac: macOr(entry.textOf("mac-address")),
    ip: addressOrText(entry.textOf("ip-address")),
    age: decimalAt(entry, "time-to-expire", -1),
  }));
};

export const get_ipv6_neighbors_table: Getter<JunosDevice, "get_ipv6_neighbors_table"> = async (device) => {
  const reply = await device.ask(xml("get-ipv6-nd-information"));
  return reply.descendants("ipv6-nd-entry").map((entry) => ({
    interface: entry.textOf("ipv6-nd-interface-name"),
    // `none` while unresolved.
    mac: macOr(entry.textOf("ipv6-nd-neighbor-l2-address"), ""),
    ip: addressOrText(entry.textOf("ipv6-nd-neighbor-address")),
    age: decimalAt(entry, "ipv6-nd-expire", -1),
    state: entry.textOf("ipv6-nd-state"),
  }));
};
