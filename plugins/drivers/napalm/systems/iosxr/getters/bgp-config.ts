/** get_bgp_config: groups with their neighbours; neighbours without a group are under `_`. */
import type { XmlElement } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { ungroupedNeighbors } from "../../../common/ungrouped-neighbors.ts";
import type { BgpConfigGroup, BgpConfigNeighbor, PrefixLimit } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { addressAt, integerAt, isTrue } from "./values.ts";

const question =
  "<Get><Configuration><BGP><Instance><Naming><InstanceName>default</InstanceName></Naming></Instance></BGP></Configuration></Get>";

export const getBgpConfig: Getter<XrDevice, "get_bgp_config"> = async (device, { group, neighbor }) => {
  const response = await device.ask(question);
  const process = response.descendants("FourByteAS")[0];
  const ownAs = process === undefined ? 0 : integerAt(process, "Naming/AS") + highPart(response);
  const requestedAddress = group === "" ? "" : addressOrText(neighbor);
  const members = new Map<string, Record<string, BgpConfigNeighbor>>();
  for (const element of response.descendants("Neighbor")) {
    const peer = addressAt(element, "Naming/NeighborAddress");
    if (requestedAddress !== "" && peer !== requestedAddress) continue;
    const name = element.textOf("NeighborGroupAddMember");
    members.set(name, { ...members.get(name), [peer]: neighborOf(element, ownAs) });
  }
  const groups: Record<string, BgpConfigGroup> = {};
  for (const element of response.descendants("NeighborGroup")) {
    const name = element.textOf("Naming/NeighborGroupName");
    if (group === "" || group === name) groups[name] = groupOf(element, ownAs, members.get(name) ?? {});
  }
  const alone = members.get("");
  const isRunning = process !== undefined || alone !== undefined;
  if (isRunning && (group === "" || group === "_")) groups._ = ungroupedNeighbors(ownAs, alone ?? {});
  return groups;
};

/** The upper half of a 4-byte AS. */
function highPart(response: XmlElement): number {
  const instance = response.descendants("InstanceAS")[0];
  return instance === undefined ? 0 : integerAt(instance, "Naming/AS") * 65_536;
}

function asAt(element: XmlElement, path: string): number {
  return integerAt(element, `${path}/AS_XX`) * 65_536 + integerAt(element, `${path}/AS_YY`);
}

function neighborOf(element: XmlElement, ownAs: number): BgpConfigNeighbor {
  const family = "NeighborAFTable/NeighborAF";
  return {
    description: element.textOf("Description"),
    remote_as: asAt(element, "RemoteAS"),
    local_as: asAt(element, "LocalAS") || ownAs,
    local_address: addressAt(element, "LocalAddress/LocalIPAddress"),
    // Like NAPALM: from the first family that has a value; the limit too.
    import_policy: element.textOf(`${family}/RoutePolicyIn`),
    export_policy: element.textOf(`${family}/RoutePolicyOut`),
    authentication_key: element.textOf("Password/Password/Password"),
    nhs: false,
    route_reflector_client: false,
    prefix_limit: prefixLimitOf(element, family),
  };
}

/**
 * By family, such as `inet`, then by subsequent family, such as `unicast`; empty for families other than IPv4 and IPv6.
 */
function prefixLimitOf(element: XmlElement, family: string): PrefixLimit {
  const [, version, subsequent = ""] =
    /^ipv([46])(.*)$/.exec(element.textOf(`${family}/Naming/AFName`).toLowerCase()) ?? [];
  if (version === undefined) return {};
  const limit = {
    limit: integerAt(element, `${family}/MaximumPrefixes/PrefixLimit`),
    teardown: {
      threshold: integerAt(element, `${family}/MaximumPrefixes/WarningPercentage`),
      timeout: integerAt(element, `${family}/MaximumPrefixes/RestartTime`),
    },
  };
  return { [version === "6" ? "inet6" : "inet"]: { [subsequent]: limit } };
}

function groupOf(element: XmlElement, ownAs: number, neighbors: BgpConfigGroup["neighbors"]): BgpConfigGroup {
  const family = "NeighborGroupAFTable/NeighborGroupAF";
  return {
    type: "external",
    description: element.textOf("Description"),
    apply_groups: [],
    multihop_ttl: integerAt(element, "EBGPMultihop/MaxHopCount"),
    multipath: isTrue(element, `${family}/Multipath`),
    local_address: addressAt(element, "LocalAddress/LocalIPAddress"),
    local_as: asAt(element, "LocalAS") || ownAs,
    remote_as: asAt(element, "RemoteAS"),
    import_policy: element.textOf(`${family}/RoutePolicyIn`),
    export_policy: element.textOf(`${family}/RoutePolicyOut`),
    remove_private_as: true,
    // Like NAPALM: reported for neighbours only.
    prefix_limit: {},
    neighbors,
  };
}
