/** `get_route_to` of nxos_ssh: all tables with their prefixes and next hops. */
import { PluginError } from "patchbay/plugin";
import { asNumber, ipVersion } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf, sectionsOf } from "../../../common/text.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

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

interface Of {
  readonly prefix: string;
  readonly vrf: string;
  readonly nextHop: string;
}

/** BGP attributes of the best path to a prefix on NX-OS. */
async function bgpAttributes(device: NxosDevice, of: Of): Promise<Record<string, unknown>> {
  const process = await device.text('show bgp process | include "BGP Protocol Tag"');
  const localAs = firstGroup(/BGP Protocol Tag\s+: ([\d.]+)/, process);
  if (localAs === undefined) return {};
  const [, ...paths] = (await device.text(`show ip bgp vrf ${of.vrf} ${of.prefix}`)).split("Path type");
  let attributes: Record<string, unknown> = {};
  for (const path of paths.filter((text) => text.includes("is best path"))) {
    const kind = firstGroup(/^: (\w+),/, path) ?? "";
    const hop = firstGroup(/^ {4}([\d.]{7,15})/m, path) ?? "";
    // A locally originated path has another next hop than the route.
    if (!["redist", "local"].includes(kind) && hop !== of.nextHop) continue;
    attributes = await attributesOf(device, { path, kind, hop, localAs, vrf: of.vrf });
  }
  return attributes;
}

async function attributesOf(
  device: NxosDevice,
  { path, kind, hop, localAs, vrf }: Readonly<Record<"path" | "kind" | "hop" | "localAs" | "vrf", string>>,
): Promise<Record<string, unknown>> {
  const asPath = firstGroup(/AS-Path: ([\d(][\d() ]*)/, path)?.trim() ?? "";
  const neighbors = await device.text(`show ip bgp neighbors vrf ${vrf} | include "is ${hop}"`);
  const remote = firstGroup(/remote AS ([\d.]+)/, neighbors) ?? remoteOf(kind, asPath, localAs);
  return {
    as_path: asPath,
    remote_address: firstGroup(/from ([\d.]{7,15})/, path) ?? "",
    local_preference: Number(firstGroup(/localpref (\d+)/, path) ?? 0),
    communities: communitiesOf(path),
    local_as: asNumber(localAs),
    remote_as: remote === undefined ? 0 : asNumber(remote),
  };
}

/** The next hop is in another table: the first AS of the path is the external neighbour. */
function remoteOf(kind: string, asPath: string, localAs: string): string | undefined {
  if (kind === "external") return asPath.split(" ")[0]?.replace("(", "");
  return kind === "internal" ? localAs : undefined;
}

function communitiesOf(path: string): string[] {
  const plain =
    firstGroup(/^ {6}Community: (\S.*)$/m, path)
      ?.trim()
      .split(/\s+/) ?? [];
  const extended: string[] = [];
  const [, behind = ""] = path.split("Extcommunity:", 2);
  for (const line of linesOf(behind).slice(1)) {
    const text = firstGroup(/^ {10}(\S.*)$/, line)?.trim();
    if (text === undefined) break;
    extended.push(text);
  }
  return [...plain, ...extended];
}
