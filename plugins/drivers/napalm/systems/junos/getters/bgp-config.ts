/** BGP configuration of Junos: groups and their neighbours. */
import { type XmlElement, type XmlFragment, xml } from "patchbay/plugin";
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { has, integerAt, textAt } from "../../../common/elements.ts";
import { integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import { ungroupedNeighbors } from "../../../common/ungrouped-neighbors.ts";
import type { BgpConfigGroup, BgpConfigNeighbor, PrefixLimit } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";

const defaultTtl = 64;
/** Neighbours without a group; Junos has none. */
const noGroup = "_";

export const get_bgp_config: Getter<JunosDevice, "get_bgp_config"> = async (device, { group, neighbor }) => {
  const isAll = group === "";
  const named: XmlFragment | undefined = isAll || group === noGroup ? undefined : xml("name", {}, group);
  const [options, protocols, policies] = await Promise.all([
    device.configured("routing-options/autonomous-system"),
    device.configured("protocols/bgp/group", named),
    device.configured("policy-options/policy-statement"),
  ]);
  const groups = protocols
    .all("protocols/bgp/group")
    .filter((entry) => isAll || entry.textOf("name") === group);
  const localAs = asNumber(options.textOf("routing-options/autonomous-system/as-number")) || 0;
  const nextHopSelf = new Set(
    policies
      .all("policy-options/policy-statement")
      .filter((policy) => has(policy, "term/then/next-hop/self") || has(policy, "then/next-hop/self"))
      .map((policy) => policy.textOf("name")),
  );
  // A neighbour filter applies only together with a group.
  const onlyAddress = isAll || neighbor === "" ? undefined : addressOrText(neighbor);
  const reader: Reader = { localAs, nextHopSelf, onlyAddress };
  // Included whenever BGP is configured.
  const isRunning = localAs !== 0 || protocols.all("protocols/bgp/group").length > 0;
  return {
    ...(isRunning && (isAll || group === noGroup) ? { [noGroup]: ungroupedNeighbors(localAs, {}) } : {}),
    ...Object.fromEntries(groups.map((entry) => [entry.textOf("name"), groupOf(entry, reader)])),
  };
};

interface Reader {
  /** The system's own AS. */
  readonly localAs: number;
  /** Policies that set next-hop-self. */
  readonly nextHopSelf: ReadonlySet<string>;
  /** The only neighbour requested. */
  readonly onlyAddress: string | undefined;
}

function groupOf(group: XmlElement, reader: Reader): BgpConfigGroup {
  const isReflector = has(group, "cluster");
  const shared = common(group, reader);
  const neighbors = group
    .all("neighbor")
    .map(
      (entry) =>
        [addressOrText(entry.textOf("name")), neighborOf(entry, isReflector, shared, reader)] as const,
    )
    .filter(([address]) => reader.onlyAddress === undefined || address === reader.onlyAddress);
  return {
    ...shared,
    type: group.textOf("type"),
    apply_groups: textsAt(group, "apply-groups"),
    multihop_ttl: has(group, "multihop") ? integerAt(group, "multihop/ttl", 0) || defaultTtl : 0,
    multipath: has(group, "multipath"),
    remove_private_as: has(group, "remove-private"),
    neighbors: Object.fromEntries(neighbors),
  };
}

function neighborOf(
  neighbor: XmlElement,
  isReflector: boolean,
  ofGroup: { readonly remote_as: number },
  reader: Reader,
): BgpConfigNeighbor {
  const settings = common(neighbor, reader);
  return {
    ...settings,
    remote_as: settings.remote_as || ofGroup.remote_as,
    authentication_key: neighbor.textOf("authentication-key"),
    nhs: textsAt(neighbor, "export").some((policy) => reader.nextHopSelf.has(policy)),
    route_reflector_client: isReflector || has(neighbor, "cluster"),
  };
}

/** Fields common to groups and neighbours. */
function common(element: XmlElement, { localAs }: Reader) {
  return {
    description: element.textOf("description"),
    import_policy: textsAt(element, "import").join(" "),
    export_policy: textsAt(element, "export").join(" "),
    local_address: addressOrText(element.textOf("local-address")),
    local_as: asNumber(element.textOf("local-as/as-number")) || localAs,
    remote_as: asNumber(element.textOf("peer-as")) || 0,
    prefix_limit: prefixLimit(element),
  };
}

const textsAt = (element: XmlElement, path: string) => element.all(path).map((child) => child.textOf());
type Limits = Record<string, Record<string, Record<string, unknown>>>;

function prefixLimit(element: XmlElement): PrefixLimit {
  const limits: Limits = {};
  for (const family of ["inet", "inet6"])
    for (const kind of ["unicast", "flow"]) {
      const limit = element.find(`family/${family}/${kind}/prefix-limit`);
      const read = limit === undefined ? {} : limitOf(limit);
      if (Object.keys(read).length > 0) slot(limits, family, () => ({}))[kind] = read;
    }
  return limits;
}

function limitOf(limit: XmlElement): Record<string, unknown> {
  const teardown = {
    ...numberAs("threshold", limit, "teardown/limit-threshold"),
    ...numberAs("timeout", limit, "teardown/idle-timeout/timeout"),
  };
  return {
    ...numberAs("limit", limit, "maximum"),
    ...(Object.keys(teardown).length > 0 ? { teardown } : {}),
    ...numberAs("novalidate", limit, "no-validate"),
  };
}

/** A keyword instead of a number, such as `forever`, is left out. */
function numberAs(key: string, element: XmlElement, path: string): Record<string, number> {
  const text = textAt(element, path);
  return text === undefined ? {} : { [key]: integer(text, 0) };
}
