/** get_bgp_neighbors_detail, by VRF and AS. */
import type { XmlElement } from "patchbay/plugin";
import { escapeXml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import type { BgpNeighborDetail } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { XrDevice } from "../device.ts";
import { askInstance, configuredVrfs } from "./bgp-neighbors.ts";
import { addressAt, integerAt, isTrue } from "./values.ts";

const states = ["Unknown", "Idle", "Connect", "OpenSent", "OpenConfirm", "Active", "Established"];

export const getBgpNeighborsDetail: Getter<XrDevice, "get_bgp_neighbors_detail"> = async (
  device,
  { neighbor_address },
) => {
  const names = [...new Set(["default", ...(await configuredVrfs(device))])].sort();
  const filters = names.map(
    (name) =>
      `<InstanceActive><VRFTable><VRF><Naming>${escapeXml(name)}</Naming><GlobalProcessInfo/><NeighborTable/></VRF></VRFTable></InstanceActive>`,
  );
  const response = await askInstance(device, filters.join(""));
  const vrfs = response
    .descendants("InstanceTable")
    .flatMap((table) => table.all("Instance/InstanceActive/VRFTable/VRF"));
  const requestedAddress = addressOrText(neighbor_address);
  const result: Record<string, Record<string, BgpNeighborDetail[]>> = { global: {} };
  for (const vrf of vrfs) {
    const name = vrf.textOf("Naming/VRFName");
    const key = name === "default" ? "global" : name;
    const byAs = result[key] ?? {};
    result[key] = byAs;
    for (const neighbor of vrf.all("NeighborTable/Neighbor")) {
      const detail = detailOf(neighbor, vrf, name);
      if (requestedAddress !== "" && detail.remote_address !== requestedAddress) continue;
      byAs[String(detail.remote_as)] = [...(byAs[String(detail.remote_as)] ?? []), detail];
    }
  }
  return result;
};

function detailOf(neighbor: XmlElement, vrf: XmlElement, routingTable: string): BgpNeighborDetail {
  const family = (field: string) => `AFData/Entry/${field}`;
  const accepted = integerAt(neighbor, family("PrefixesAccepted"));
  const suppressed = integerAt(neighbor, family("PrefixesDenied"));
  const state = neighbor.textOf("ConnectionState");
  return {
    up: state === "BGP_ST_ESTAB",
    local_as: integerAt(neighbor, "LocalAS"),
    remote_as: integerAt(neighbor, "RemoteAS"),
    router_id: addressOrText(neighbor.textOf("RouterID")),
    local_address: addressAt(neighbor, "ConnectionLocalAddress"),
    routing_table: routingTable,
    local_address_configured: isTrue(neighbor, "IsLocalAddressConfigured"),
    local_port: integerAt(neighbor, "ConnectionLocalPort"),
    remote_address: addressAt(neighbor, "ConnectionRemoteAddress"),
    remote_port: integerAt(neighbor, "ConnectionRemotePort"),
    multihop: isTrue(neighbor, "IsExternalNeighborNotDirectlyConnected"),
    multipath: isTrue(neighbor, family("SelectiveMultipathEligible")),
    remove_private_as: isTrue(neighbor, family("RemovePrivateASFromUpdates")),
    import_policy: neighbor.textOf(family("RoutePolicyIn")),
    export_policy: neighbor.textOf(family("RoutePolicyOut")),
    // Spelled like this by the router.
    input_messages: integerAt(neighbor, "MessgesReceived"),
    output_messages: integerAt(neighbor, "MessagesSent"),
    input_updates: 0,
    output_updates: 0,
    messages_queued_out: integerAt(neighbor, "MessagesQueuedOut"),
    connection_state: stateName(state),
    previous_connection_state: states[Number(neighbor.textOf("PreviousConnectionState") || 0)] ?? "",
    last_event: "",
    suppress_4byte_as: isTrue(neighbor, "Suppress4ByteAs"),
    local_as_prepend: !isTrue(neighbor, "LocalASNoPrepend"),
    holdtime: integerAt(neighbor, "HoldTime") || integerAt(vrf, "GlobalProcessInfo/VRF/HoldTime"),
    configured_holdtime: integerAt(neighbor, "ConfiguredHoldTime"),
    keepalive: integerAt(neighbor, "KeepAliveTime") || integerAt(vrf, "GlobalProcessInfo/VRF/KeepAliveTime"),
    configured_keepalive: integerAt(neighbor, "ConfiguredKeepalive"),
    active_prefix_count: integerAt(neighbor, family("NumberOfBestpaths")),
    received_prefix_count: accepted + suppressed,
    accepted_prefix_count: accepted,
    suppressed_prefix_count: suppressed,
    advertised_prefix_count: integerAt(neighbor, family("PrefixesAdvertised")),
    flap_count: integerAt(neighbor, "ConnectionDownCount"),
  };
}

/** `BGP_ST_ESTAB` is `Established`, `BGP_ST_OPENSENT` is `Opensent`. */
function stateName(state: string): string {
  if (state === "BGP_ST_ESTAB") return "Established";
  return state
    .replaceAll("BGP_ST_", "")
    .toLowerCase()
    .replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
