/** `get_route_to` of IOS: the global table and all VRFs. */
import { PluginError } from "patchbay/plugin";
import { asNumber, ipVersion, netmaskOf } from "../../../common/addresses.ts";
import { secondsOfClock } from "../../../common/durations.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { slot } from "../../../common/records.ts";
import { firstGroup, linesOf } from "../../../common/text.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

/** Like NAPALM: a note with other than lower-case letters, such as the VRF of a hop, hides the rest of the line. */
const hopLine =
  /^\s+(?:\*\s+)?(?:([\d.]{7,15})(?: [()a-z\d.]+)?|directly connected)(?:, from [\d.]+, (\S+) ago)?(?:, via ([^\s,]+))?/;

export const getRouteTo: Getter<IosDevice, "get_route_to"> = async (
  device,
  { destination, protocol, longer },
) => {
  const [address = "", length] = destination.split("/");
  const bits = length === undefined ? undefined : Number(length);
  if (longer) throw refused("longer: this system does not report longer prefixes.");
  if (ipVersion(address) !== 4 || (bits !== undefined && !(Number.isInteger(bits) && bits <= 32))) {
    throw refused("destination: must be an IPv4 address or prefix.");
  }
  const mask = bits === undefined ? "" : ` ${netmaskOf(bits)}`;
  const routes: Record<string, Route[]> = bits === undefined ? {} : { [destination]: [] };
  for (const vrf of [...(await vrfsOf(device)), "default"]) {
    const table = vrf === "default" ? "" : `vrf ${vrf} `;
    const output = await device.ask(`show ip route ${table}${address}${mask}`);
    const by = firstGroup(/Known via "([a-z]+)/, output);
    if (by === undefined) continue;
    const match =
      bits === undefined
        ? (firstGroup(/Routing entry for (\S+?),?\s/, `${output}\n`) ?? destination)
        : destination;
    const prefixRoutes = slot(routes, match, () => []);
    if (protocol !== "" && protocol !== by) continue;
    for (const route of routesOf(output, by, vrf)) {
      const attributes = by === "bgp" ? await bgpAttributes(device, destination, vrf) : {};
      prefixRoutes.push({ ...route, protocol_attributes: attributes });
    }
  }
  return routes;
};

const refused = (message: string) => new PluginError("DriverError", message, { outcome: "none" });

/** Names of VRFs with IPv4. */
async function vrfsOf(device: IosDevice): Promise<string[]> {
  const output = await device.ask("show vrf");
  const lines = isUnknown(output) ? linesOf(await device.ask("show ip vrf")) : linesOf(output);
  const row = isUnknown(output)
    ? /^\s{0,2}(\S+)\s+(?:<not set>|\d\S*)/
    : // Does not match a VRF with a dot in its route distinguisher.
      /^\s{0,2}(\S+)\s+(?:<not set>|\d[a-z\d:]*)\s+\S*ipv4/;
  return lines.flatMap((line) => (/Default RD/.test(line) ? [] : (firstGroup(row, line) ?? []))).sort();
}

/** A hop is added when its metric is reached. */
function routesOf(output: string, protocol: string, vrf: string): Route[] {
  const [, blocks = ""] = output.split("Routing Descriptor Blocks:", 2);
  const routes: Route[] = [];
  let hop: RegExpExecArray | undefined;
  for (const line of linesOf(blocks)) {
    const metric = firstGroup(/^\s+Route metric is (\d+)/, line);
    if (metric === undefined) {
      const read = hopLine.exec(line);
      if (read !== null && (read[1] !== undefined || protocol === "connected")) hop = read;
      continue;
    }
    if (hop === undefined) continue;
    const [, next, age, via] = hop;
    routes.push({
      protocol,
      outgoing_interface: canonicalInterface(via ?? ""),
      age: (age === undefined ? undefined : secondsOfClock(age)) ?? -1,
      current_active: true,
      routing_table: vrf,
      last_active: true,
      protocol_attributes: {},
      next_hop: next ?? "",
      selected_next_hop: true,
      inactive_reason: "",
      preference: Number(metric),
    });
    hop = undefined;
  }
  return routes;
}

const asPath = /^ {2}(\d[\d ()]*|\([\d ()]*|Local)/m;

/** BGP attributes of the best path to a destination on IOS. */
async function bgpAttributes(
  device: IosDevice,
  destination: string,
  vrf: string,
): Promise<Record<string, unknown>> {
  const localAs = firstGroup(
    /Routing Protocol is "bgp (\d+)/,
    await device.ask("show ip protocols | include bgp"),
  );
  const of = vrf === "default" ? "" : `vpnv4 vrf ${vrf} `;
  const paths = pathsOf(await device.ask(`show ip bgp ${of}${destination}`));
  const best = paths.findLast((path) => /\bbest\b/.test(path));
  if (best === undefined) return {};
  const path = firstGroup(asPath, best)?.trim() ?? "";
  const nextHop = firstGroup(/^ {4}([\d.]{7,15})/m, best) ?? "";
  const neighbors = await device.ask(`show ip bgp ${of}neighbors | include is ${nextHop}`);
  const remote =
    firstGroup(/remote AS ([\d.]+)/, neighbors) ??
    // The next hop is in another table: the first AS of the path is the external neighbour.
    (best.includes("external") ? path.split(" ")[0]?.replace("(", "") : localAs) ??
    "";
  const communities = ["Community", "Extended Community"].flatMap(
    (name) =>
      firstGroup(new RegExp(`^\\s+${name}: (\\w[\\w: -]*)`, "m"), best)
        ?.trim()
        .split(/\s+/) ?? [],
  );
  return {
    as_path: path,
    remote_address: firstGroup(/from ([\d.]{7,15})/, best) ?? "",
    communities,
    local_preference: Number(firstGroup(/localpref (\d+)/, best) ?? 0),
    local_as: asNumber(localAs ?? "0"),
    ...(remote === "" ? {} : { remote_as: asNumber(remote) }),
  };
}

/** Later releases start each path with `Refresh Epoch`, earlier ones with the AS path only. */
function pathsOf(output: string): string[] {
  const [, ...paths] = output.split("Refresh Epoch");
  if (paths.length > 0) return paths;
  const [, ...older] = output.split(/^(?= {2}(?:\d|\(|Local))/m);
  return older;
}
