/** BGP neighbours without a group, as the group `_` of `get_bgp_config`, which has no settings. */
import type { BgpConfigGroup, BgpConfigNeighbor } from "../models-bgp.ts";

export function ungroupedNeighbors(
  localAs: number,
  neighbors: Readonly<Record<string, BgpConfigNeighbor>>,
): BgpConfigGroup {
  return {
    type: "",
    description: "",
    apply_groups: [],
    multihop_ttl: 0,
    multipath: false,
    local_address: "",
    local_as: localAs,
    remote_as: 0,
    import_policy: "",
    export_policy: "",
    remove_private_as: false,
    prefix_limit: {},
    neighbors,
  };
}
