/** `get_route_to` of nxos_ssh: all tables with their prefixes and next hops. */
import { PluginError } from "patchbay/plugin";
import { ipVersion } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, sectionsOf } from "../../../common/text.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { bgpAttributes } from "./route-bgp.ts";

const prefixLine = /^(\d[\d.]{6,14}\/\d{1,2}), ubest/;
/** Like NAPALM: leaves out other lines, such as multicast hops (`**via`) and names with a hyphen. */
const hopLine =
  /^ {4}([* |])via (?:([\d.]{7,15})(?:%\S+)?, )?(?:([\w./:]+), )?\[\d+\/(\d+)\], ([\w:]+), (\w+)/;

export const getRouteTo: Getter<NxosDevice, "get_route_to"> = async (
  device,
  { destination, protocol, longer },
) => {
  if (longer) throw refused("longer: this system does not report longer prefixes.");
  if (ipVersion(destination.split("/")[0] ?? "") !== 4) {
    throw refused("destination: must be an IPv4 address or prefix.");
  }
  const output = await device.text(`show ip route vrf all ${destination}`);
  const routes: Record<string, Route[]> = {};
  for (const { head, lines } of sectionsOf(output, (line) => line.startsWith("IP Route Table for VRF"))) {
    const vrf = firstGroup(/VRF "([^"]+)"/, head) ?? "";
    let prefix: string | undefined;
    for (const line of linesOf(lines.join("\n"))) {
      prefix = prefixLine.exec(line)?.[1] ?? prefix;
      if (prefix === undefined) continue;
      const prefixRoutes = slot(routes, prefix, () => []);
      const route = routeOf(line, vrf);
      if (route === undefined || (protocol !== "" && protocol !== route.protocol)) continue;
      const attributes =
        route.protocol === "bgp" ? await bgpAttributes(device, { prefix, vrf, nextHop: route.next_hop }) : {};
      prefixRoutes.push({ ...route, protocol_attributes: attributes });
    }
  }
  return routes;
};

const refused = (message: string) => new PluginError("DriverError", message, { outcome: "none" });

function routeOf(line: string, vrf: string): Route | undefined {
  const hop = hopLine.exec(line);
  if (hop === null) return undefined;
  const [, mark = "", nextHop = "", via = "", metric, age = "", protocol = ""] = hop;
  const used = mark === "*";
  return {
    protocol,
    outgoing_interface: canonicalInterface(via),
    age: secondsOfClock(age) ?? -1,
    current_active: used,
    routing_table: vrf,
    last_active: used,
    next_hop: nextHop,
    selected_next_hop: used,
    inactive_reason: "",
    preference: Number(metric),
    protocol_attributes: {},
  };
}
