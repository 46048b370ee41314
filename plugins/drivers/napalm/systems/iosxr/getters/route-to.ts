/** get_route_to: routes to an address or prefix in the default VRF. */
import type { XmlElement } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { ipVersion } from "../../../common/addresses.ts";
import { unlessRefused } from "../../../common/refused.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { integerAt } from "./values.ts";

export const getRouteTo: Getter<XrDevice, "get_route_to"> = async (
  device,
  { destination, protocol, longer },
) => {
  if (longer) throw wrong("longer: iosxr does not report longer prefixes.");
  const askTable = (table: string) => device.ask(questionOf(destination, table));
  // Some versions name the table differently.
  const response = await unlessRefused(askTable("IP_RIBRoute"), () => askTable("IP_RIBRouteTableName"));
  const requestedProtocol = protocol.toLowerCase() === "direct" ? "connected" : protocol.toLowerCase();
  const routes: Record<string, Route[]> = {};
  for (const route of response.descendants("Route")) {
    const learnedBy = route.textOf("ProtocolName").toLowerCase();
    if (requestedProtocol !== "" && learnedBy !== requestedProtocol) continue;
    const prefix = `${route.textOf("Prefix")}/${route.textOf("PrefixLength")}`;
    routes[prefix] = [...(routes[prefix] ?? []), ...pathsOf(route, learnedBy)];
  }
  return routes;
};

function questionOf(destination: string, table: string): string {
  const [network = "", length] = destination.split("/");
  const version = ipVersion(network);
  if (version === undefined || (length !== undefined && !/^\d{1,3}$/.test(length)))
    throw wrong(`destination: "${destination}" is not an address or prefix.`);
  const naming = `<Address>${network}</Address>${length === undefined ? "" : `<PrefixLength>${length}</PrefixLength>`}`;
  const rib = version === 6 ? "IPV6_RIB" : "RIB";
  return [
    `<Get><Operational><${rib}><VRFTable><VRF><Naming><VRFName>default</VRFName></Naming>`,
    `<AFTable><AF><Naming><AFName>IPv${version}</AFName></Naming>`,
    "<SAFTable><SAF><Naming><SAFName>Unicast</SAFName></Naming>",
    `<IP_RIBRouteTable><${table}><Naming><RouteTableName>default</RouteTableName></Naming>`,
    `<RouteTable><Route><Naming>${naming}</Naming></Route></RouteTable>`,
    `</${table}></IP_RIBRouteTable></SAF></SAFTable></AF></AFTable></VRF></VRFTable></${rib}></Operational></Get>`,
  ].join("");
}

function pathsOf(route: XmlElement, protocol: string): readonly Route[] {
  return route.all("RoutePath/Entry").map((path, index) => ({
    protocol,
    current_active: index === 0,
    last_active: false,
    age: integerAt(route, "RouteAge"),
    next_hop: path.textOf("Address"),
    outgoing_interface: path.textOf("InterfaceName"),
    selected_next_hop: false,
    preference: integerAt(route, "Priority"),
    inactive_reason: "",
    routing_table: "default",
    protocol_attributes: {},
  }));
}

function wrong(message: string): PluginError {
  return new PluginError("DriverError", message, { outcome: "none" });
}
