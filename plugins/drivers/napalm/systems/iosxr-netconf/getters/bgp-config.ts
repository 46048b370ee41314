/** BGP configuration of IOS XR: neighbour groups, and neighbours by group. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { integerAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { slot } from "../../../common/records.ts";
import { ungroupedNeighbors } from "../../../common/ungrouped-neighbors.ts";
import type { BgpConfigGroup, BgpConfigNeighbor, PrefixLimit } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import { getConfigOperation, model, nested } from "../operations.ts";

const configOperation = getConfigOperation(
  "running",
  nested(model("ipv4-bgp-cfg"), "bgp/instance", xml("instance-name", {}, "default")),
);

/** Neighbours without a group. */
const ungrouped = "_";

export const get_bgp_config: Getter<NetconfDevice, "get_bgp_config"> = async (
  device,
  { group, neighbor },
) => {
  const reply = await device.ask(configOperation);
  if ((reply.find("data")?.children.length ?? 0) === 0) return {};
  const process = reply.find("data/bgp/instance/instance-as/four-byte-as");
  const localAs = process === undefined ? 0 : integerAt(process, "as", 0);
  const entity = process?.find("default-vrf/bgp-entity");
  // A neighbour filter applies only together with a group.
  const requestedAddress = group === "" || neighbor === "" ? undefined : addressOrText(neighbor);
  const byGroup: Record<string, Record<string, BgpConfigNeighbor>> = {};
  for (const entry of entity?.all("neighbors/neighbor") ?? []) {
    const address = addressOrText(entry.textOf("neighbor-address"));
    if (requestedAddress !== undefined && address !== requestedAddress) continue;
    const members = slot(byGroup, entry.textOf("neighbor-group-add-member"), () => ({}));
    members[address] = neighborOf(entry, localAs);
  }
  const groups = (entity?.all("neighbor-groups/neighbor-group") ?? [])
    .map((entry) => [entry.textOf("neighbor-group-name"), entry] as const)
    .filter(([name]) => group === "" || name === group)
    .map(([name, entry]) => [name, groupOf(entry, localAs, byGroup[name] ?? {})] as const);
  return { ...Object.fromEntries(groups), [ungrouped]: ungroupedNeighbors(localAs, byGroup[""] ?? {}) };
};

/** Two 16-bit halves. */
function asAt(element: XmlElement, path: string): number {
  return integerAt(element, `${path}/as-xx`, 0) * 65_536 + integerAt(element, `${path}/as-yy`, 0);
}

function neighborOf(neighbor: XmlElement, localAs: number): BgpConfigNeighbor {
  const family = "neighbor-afs/neighbor-af";
  return {
    description: neighbor.textOf("description"),
    remote_as: asAt(neighbor, "remote-as"),
    prefix_limit: prefixLimit(neighbor, family),
    export_policy: neighbor.textOf(`${family}/route-policy-out`),
    import_policy: neighbor.textOf(`${family}/route-policy-in`),
    local_address: addressOrText(neighbor.textOf("local-address/local-ip-address")),
    local_as: asAt(neighbor, "local-as") || localAs,
    authentication_key: neighbor.textOf("password/password"),
    nhs: false,
    route_reflector_client: false,
  };
}

function groupOf(
  group: XmlElement,
  localAs: number,
  neighbors: Readonly<Record<string, BgpConfigNeighbor>>,
): BgpConfigGroup {
  const family = "neighbor-group-afs/neighbor-group-af";
  return {
    apply_groups: [],
    description: group.textOf("description"),
    local_as: asAt(group, "local-as") || localAs,
    // The model lacks these; NAPALM returns fixed values.
    type: "external",
    remove_private_as: true,
    import_policy: group.textOf(`${family}/route-policy-in`),
    export_policy: group.textOf(`${family}/route-policy-out`),
    local_address: addressOrText(group.textOf("local-address/local-ip-address")),
    multipath: group.textOf(`${family}/multipath`) === "true",
    multihop_ttl: integerAt(group, "ebgp-multihop/max-hop-count", 0),
    remote_as: asAt(group, "remote-as"),
    // NAPALM reports limits for neighbours only.
    prefix_limit: {},
    neighbors,
  };
}

/** Of the first address family; empty if it is neither IPv4 nor IPv6. */
function prefixLimit(element: XmlElement, family: string): PrefixLimit {
  const name = element.textOf(`${family}/af-name`).toLowerCase();
  const key = name.includes("ipv6") ? "inet6" : name.includes("ipv4") ? "inet" : undefined;
  if (key === undefined) return {};
  const number = (leaf: string) => integerAt(element, `${family}/maximum-prefixes/${leaf}`, 0);
  return {
    [key]: {
      // `unicast` in `ipv4-unicast`.
      [name.slice("ipv4-".length)]: {
        limit: number("prefix-limit"),
        teardown: { threshold: number("warning-percentage"), timeout: number("restart-time") },
      },
    },
  };
}
