/** get_route_to: the routes of every VRF; BGP routes include the attributes of each path. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { addressOrText, ipVersion } from "../../../common/addresses.ts";
import { slot } from "../../../common/records.ts";
import { shaped } from "../../../common/shape.ts";
import { wordsOf } from "../../../common/text.ts";
import type { Route } from "../../../models.ts";
import type { EosDevice, Getter } from "../device.ts";
import { asOf } from "./bgp.ts";
import { vrfsOf } from "./tables.ts";

const text = v.nullish(v.string(), "");
const via = v.object({ interface: text, nexthopAddr: text, vtepAddr: v.optional(v.string()) });
/** Null if the switch does not report it. */
const attribute = v.optional(v.nullable(v.number()), null);
const entry = v.object({
  routeType: text,
  routeAction: text,
  preference: v.optional(v.number(), 0),
  metric: attribute,
  routingDisabled: v.optional(v.boolean(), false),
  vias: v.optional(v.array(via), []),
});
const table = v.object({ routes: v.optional(v.record(v.string(), entry), {}) });
const answer = v.object({ vrfs: v.optional(v.record(v.string(), table)), ...table.entries });

const peer = v.optional(v.object({ peerAddr: text }), {});
const path = v.object({
  asPathEntry: v.optional(v.object({ asPathType: text, asPath: text }), {}),
  localPreference: attribute,
  weight: attribute,
  reasonNotBestpath: text,
  nextHop: text,
  peerEntry: peer,
  routeType: v.optional(v.object({ active: v.optional(v.boolean(), false) }), {}),
  routeDetail: v.optional(
    v.object({ peerEntry: peer, communityList: v.optional(v.array(v.string()), []) }),
    {},
  ),
});
const bgpTable = v.object({
  vrfs: v.record(
    v.string(),
    v.object({
      asn: v.optional(v.union([v.number(), v.string()]), 0),
      bgpRouteEntries: v.optional(
        v.record(v.string(), v.object({ bgpRoutePaths: v.optional(v.array(path), []) })),
        {},
      ),
    }),
  ),
});
type Path = v.InferOutput<typeof path>;
type BgpOfVrf = v.InferOutput<typeof bgpTable>["vrfs"][string];

export const get_route_to: Getter<"get_route_to"> = async (device, { destination, longer, ...args }) => {
  const protocol = args.protocol.toLowerCase() === "direct" ? "connected" : args.protocol;
  const family = ipVersion(destination.split("/")[0] ?? "") === 6 ? "v6" : "";
  const prefixes = longer ? "longer-prefixes" : "";
  const vrfs = Object.keys(await vrfsOf(device)).sort();
  const responses = await device.json(
    ...vrfs.map((vrf) => `show ip${family} route vrf ${vrf} ${destination} ${prefixes} ${protocol} detail`),
  );
  const routes: Record<string, Route[]> = {};
  for (const [at, vrf] of vrfs.entries()) {
    const { vrfs: byVrf, ...flat } = shaped(answer, responses[at]);
    const vrfTable = byVrf?.[vrf] ?? flat;
    const entries = Object.entries(vrfTable.routes);
    const isBgp = (type: string) => protocol === "bgp" || /^[ei]bgp$/i.test(type);
    const bgp = entries.some(([, { routeType }]) => isBgp(routeType))
      ? await bgpOf(device, `show ip${family} bgp ${destination}`, prefixes, vrf)
      : undefined;
    for (const [prefix, route] of entries) {
      const plain = routeOf(route, vrf);
      const more = isBgp(route.routeType) ? bgpRoutes(plain, route, prefix, bgp) : viaRoutes(plain, route);
      slot(routes, prefix, () => []).push(...more);
    }
  }
  return routes;
};

/** Newer releases do not accept `longer-prefixes` here. */
async function bgpOf(
  device: EosDevice,
  command: string,
  prefixes: string,
  vrf: string,
): Promise<BgpOfVrf | undefined> {
  try {
    const [response] = await device.json(`${command} ${prefixes} vrf ${vrf}`);
    return shaped(bgpTable, response).vrfs[vrf];
  } catch (error) {
    if (prefixes === "" || !(error instanceof PluginError) || error.kind !== "CommandError") throw error;
    return bgpOf(device, command, "", vrf);
  }
}

function routeOf(route: v.InferOutput<typeof entry>, vrf: string): Route {
  return {
    protocol: route.routeType,
    current_active: !route.routingDisabled,
    last_active: !route.routingDisabled,
    age: 0,
    next_hop: route.routeAction === "drop" ? "NULL" : "",
    outgoing_interface: "",
    selected_next_hop: true,
    preference: route.preference,
    inactive_reason: "",
    routing_table: vrf,
    protocol_attributes: {},
  };
}

function viaRoutes(plain: Route, { vias }: v.InferOutput<typeof entry>): Route[] {
  if (vias.length === 0) return [plain];
  return vias.map(({ nexthopAddr, interface: name }) => ({
    ...plain,
    next_hop: addressOrText(nexthopAddr),
    outgoing_interface: name,
  }));
}

function bgpRoutes(
  plain: Route,
  { vias, metric }: v.InferOutput<typeof entry>,
  prefix: string,
  bgp: BgpOfVrf | undefined,
): Route[] {
  const interfaces = new Map(
    vias.map(({ nexthopAddr, interface: name, vtepAddr }) => {
      const hop = vtepAddr ?? nexthopAddr;
      return [addressOrText(hop), vtepAddr === undefined ? name : "vxlan1"];
    }),
  );
  const local_as = asOf(bgp?.asn ?? 0);
  return (bgp?.bgpRouteEntries[prefix]?.bgpRoutePaths ?? []).map((path) => {
    const { active } = path.routeType;
    const next_hop = addressOrText(path.nextHop);
    const peerAddress = path.routeDetail.peerEntry.peerAddr || path.peerEntry.peerAddr;
    return {
      ...plain,
      current_active: active,
      last_active: active,
      next_hop,
      outgoing_interface: interfaces.get(next_hop) ?? "",
      selected_next_hop: active,
      inactive_reason: path.reasonNotBestpath,
      protocol_attributes: {
        metric,
        as_path: path.asPathEntry.asPath,
        local_preference: path.localPreference,
        local_as,
        remote_as: remoteAs(path, local_as),
        remote_address: addressOrText(peerAddress),
        preference2: path.weight,
        communities: path.routeDetail.communityList,
      },
    };
  });
}

/** The origin AS: the last number of the path. Confederations are in parentheses, an origin code may follow. */
function remoteAs({ asPathEntry: { asPath, asPathType } }: Path, localAs: number): number {
  if (asPathType === "Internal" || asPathType === "Local") return localAs;
  const last = wordsOf(asPath.replace(/[()]/g, " "))
    .filter((word) => /^\d+(?:\.\d+)?$/.test(word))
    .at(-1);
  return last === undefined ? localAs : asOf(last);
}
