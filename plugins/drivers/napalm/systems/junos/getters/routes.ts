/** Routes of Junos to a destination. */
import { PluginError, type XmlElement, xml } from "patchbay/plugin";
import { grouped, has, integerAt, textAt } from "../../../common/elements.ts";
import { integer } from "../../../common/numbers.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";

export const get_route_to: Getter<JunosDevice, "get_route_to"> = async (
  device,
  { destination, protocol, longer },
) => {
  if (longer)
    throw new PluginError("DriverError", "get_route_to: junos does not report longer prefixes (longer).", {
      outcome: "none",
    });
  const lower = protocol.toLowerCase();
  const requestedProtocol = lower === "connected" ? "direct" : lower;
  const reply = await device.ask(
    xml(
      "get-route-information",
      {},
      xml("extensive"),
      ...(destination === "" ? [] : [xml("destination", {}, destination)]),
      ...(requestedProtocol === "" ? [] : [xml("protocol", {}, requestedProtocol)]),
    ),
  );
  const hops = reply.descendants("route-table").flatMap(hopsOf);
  // Like NAPALM: cuts the list at the number of hops that name an interface.
  const named = hops.filter(({ hop }) => has(hop, "via")).length;
  return grouped(
    hops
      .slice(0, named)
      .filter(({ protocol }) => requestedProtocol === "" || protocol.toLowerCase() === requestedProtocol)
      .map(({ destination, route }) => [destination, route] as const),
  );
};

function hopsOf(table: XmlElement) {
  return table.all("rt").flatMap((route) => {
    const destination = `${route.textOf("rt-destination")}/${textAt(route, "rt-prefix-length") ?? "None"}`;
    return route.all("rt-entry").flatMap((entry) =>
      entry.all("nh").map((hop) => ({
        destination,
        hop,
        protocol: entry.textOf("protocol-name"),
        route: routeOf(entry, hop, table.textOf("table-name")),
      })),
    );
  });
}

function routeOf(entry: XmlElement, hop: XmlElement, routingTable: string): Route {
  return {
    protocol: entry.textOf("protocol-name"),
    current_active: has(entry, "current-active"),
    last_active: has(entry, "last-active"),
    age: integer(entry.find("age")?.attribute("seconds"), 0),
    next_hop: hop.textOf("to"),
    outgoing_interface: hop.textOf("via"),
    selected_next_hop: has(hop, "selected-next-hop"),
    preference: integerAt(entry, "preference", 0),
    inactive_reason: entry.textOf("inactive-reason"),
    routing_table: routingTable,
    protocol_attributes: attributesOf(entry),
  };
}

/** Null if the device does not report it. */
function attributesOf(entry: XmlElement): Record<string, unknown> {
  const number = (path: string) => integerAt(entry, path, null);
  switch (entry.textOf("protocol-name").toLowerCase()) {
    case "bgp": {
      const communities = entry.all("communities/community").map((community) => community.textOf());
      return {
        local_as: number("local-as"),
        remote_as: number("peer-as"),
        as_path: asPathOf(textAt(entry, "as-path")),
        communities: communities.length === 0 ? null : communities,
        local_preference: number("local-preference"),
        preference2: number("preference2"),
        remote_address: textAt(entry, "peer-id") ?? null,
        metric: number("metric"),
        metric2: number("metric2"),
      };
    }
    case "isis":
      return { level: number("rt-isis-level"), metric: number("metric"), local_as: number("local-as") };
    default:
      return {};
  }
}

/** The numbers of `AS path: 6939 4637 I (Originator) …`; text after the origin comes from route reflection. */
function asPathOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  return (text.split(" I ")[0] ?? "").replace("AS path:", "").replaceAll("I", "").trim();
}
