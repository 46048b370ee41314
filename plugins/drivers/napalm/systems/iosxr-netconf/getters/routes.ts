/** Routes of IOS XR to a destination, and traceroute. */
import { PluginError, type XmlElement, xml } from "patchbay/plugin";
import { ipVersion } from "../../../common/addresses.ts";
import { decimalAt, integerAt, textAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { slot } from "../../../common/records.ts";
import type { Route } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { getOperation, model, nested } from "../operations.ts";

const tablePath = "ip-rib-route-table-names/ip-rib-route-table-name";

function ribOperation(version: 4 | 6, network: string, length: string) {
  const route = xml("route", {}, xml("address", {}, network), xml("prefix-length", {}, length));
  const table = xml(
    "ip-rib-route-table-names",
    {},
    xml("ip-rib-route-table-name", {}, xml("route-table-name", {}, "default"), xml("routes", {}, route)),
  );
  const saf = xml("safs", {}, xml("saf", {}, xml("saf-name", {}, "Unicast"), table));
  const af = xml("afs", {}, xml("af", {}, xml("af-name", {}, `IPv${version}`), saf));
  return getOperation(
    nested(
      model(`ip-rib-ipv${version}-oper`),
      `${version === 4 ? "rib" : "ipv6-rib"}/vrfs/vrf`,
      xml("vrf-name", {}, "default"),
      af,
    ),
  );
}

export const get_route_to: Getter<NetconfDevice, "get_route_to"> = async (
  device,
  { destination, protocol, longer },
) => {
  if (longer) throw refused("get_route_to: iosxr_netconf does not report longer prefixes (longer)");
  const [network = "", length = "0"] = destination.split("/");
  const version = ipVersion(network);
  if (version === undefined || !/^\d{1,3}$/.test(length))
    throw refused(`get_route_to: destination must be a prefix such as 192.0.2.0/24, not "${destination}"`);
  const lower = protocol.toLowerCase();
  const requestedProtocol = lower === "direct" ? "connected" : lower;
  const reply = await device.ask(ribOperation(version, network, length));
  const rib = version === 4 ? "rib" : "ipv6-rib";
  const elements = reply.all(`data/${rib}/vrfs/vrf/afs/af/safs/saf/${tablePath}/routes/route`);
  const routes: Record<string, Route[]> = {};
  for (const route of elements) {
    if (requestedProtocol !== "" && route.textOf("protocol-name").toLowerCase() !== requestedProtocol)
      continue;
    const prefix = `${route.textOf("prefix")}/${route.textOf("prefix-length-xr")}`;
    const paths = route.descendants(`ipv${version}-rib-edm-path`);
    // A route without paths is listed with none.
    slot(routes, prefix, () => []).push(...paths.map((path, at) => routeOf(route, path, at === 0)));
  }
  return routes;
};

function routeOf(route: XmlElement, path: XmlElement, isFirst: boolean): Route {
  return {
    current_active: isFirst,
    last_active: false,
    age: integerAt(route, "route-age", 0),
    next_hop: path.textOf("address"),
    protocol: route.textOf("protocol-name").toLowerCase(),
    outgoing_interface: "",
    preference: integerAt(route, "priority", 0),
    selected_next_hop: false,
    inactive_reason: "",
    routing_table: "default",
    protocol_attributes: {},
  };
}

const probesPerHop = 3;

export const traceroute: Getter<XrDevice, "traceroute"> = async (device, args) => {
  const version = ipVersion(args.destination);
  if (version === undefined) return { error: "Wrong destination IP Address!" };
  const option = (name: string, value: string | number) =>
    value === "" || value === 0 ? [] : [xml(name, {}, value)];
  const operation = nested(
    model("traceroute-act"),
    `traceroute/ipv${version}`,
    xml("destination", {}, args.destination),
    ...option("vrf-name", args.vrf),
    ...option("source", args.source),
    ...option("max-ttl", args.ttl),
    ...option("timeout", args.timeout),
  );
  const seconds = args.ttl * probesPerHop * Math.max(1, args.timeout);
  const { root, errors } = await device.run(operation, (seconds + 60) * 1000);
  const [error] = errors;
  if (error !== undefined) return { error: error.message || `Invalid request (${error.tag})` };
  const hops = root.all(`traceroute-response/ipv${version}/hops/hop`);
  return {
    success: Object.fromEntries(
      hops
        .filter((hop) => hop.textOf("hop-address") !== "")
        .map((hop) => [
          String(integerAt(hop, "hop-index", -1)),
          { probes: probesOf(hop, args.timeout * 1000) },
        ]),
    ),
  };
};

/** @param lostMs reported time of an unanswered probe */
function probesOf(hop: XmlElement, lostMs: number) {
  const address = hop.textOf("hop-address");
  const name = textAt(hop, "hop-hostname") ?? address;
  return Object.fromEntries(
    hop.all("probes/probe").map((probe) => [
      String(integerAt(probe, "probe-index", 0) + 1),
      {
        ip_address: textAt(probe, "hop-address") ?? address,
        host_name: textAt(probe, "hop-hostname") ?? name,
        rtt: decimalAt(probe, "delta-time", lostMs),
      },
    ]),
  );
}

function refused(why: string): PluginError {
  return new PluginError("DriverError", `${why}.`, { outcome: "none" });
}
