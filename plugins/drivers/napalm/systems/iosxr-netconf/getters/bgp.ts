/** BGP sessions of IOS XR by VRF. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { grouped, integerAt, textAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { integer } from "../../../common/numbers.ts";
import type { BgpNeighbor, BgpNeighborDetail } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import { getOperation, leaves, model, nested } from "../operations.ts";

const neighborsOperation = getOperation(
  nested(
    model("ipv4-bgp-oper"),
    "bgp/instances/instance",
    xml("instance-name", {}, "default"),
    xml(
      "instance-active",
      {},
      xml("default-vrf", {}, ...leaves("global-process-info", "neighbors")),
      xml("vrfs", {}, xml("vrf", {}, ...leaves("vrf-name", "global-process-info", "neighbors"))),
    ),
  ),
);

interface Vrf {
  /** Name on the device. */
  readonly name: string;
  /** Name in results. */
  readonly key: string;
  readonly neighbors: readonly XmlElement[];
  /** A leaf of the VRF's process settings. */
  textOf(leaf: string): string;
}

/** The default VRF is included even if it has no data. */
async function vrfsOf(device: NetconfDevice): Promise<readonly Vrf[]> {
  const active = (await device.ask(neighborsOperation)).find("data/bgp/instances/instance/instance-active");
  const vrf = (element: XmlElement | undefined, name: string, key = name): Vrf => ({
    name,
    key,
    neighbors: element?.all("neighbors/neighbor") ?? [],
    textOf: (leaf) => element?.textOf(`global-process-info/vrf/${leaf}`) ?? "",
  });
  return [
    vrf(active?.find("default-vrf"), "default", "global"),
    ...(active?.all("vrfs/vrf") ?? []).map((element) => vrf(element, element.textOf("vrf-name"))),
  ];
}

const isEstablished = (neighbor: XmlElement) => neighbor.textOf("connection-state") === "bgp-st-estab";

export const get_bgp_neighbors: Getter<NetconfDevice, "get_bgp_neighbors"> = async (device) =>
  Object.fromEntries(
    (await vrfsOf(device)).map(({ key, neighbors, textOf }) => [
      key,
      {
        router_id: textOf("router-id"),
        peers: Object.fromEntries(
          neighbors.map((neighbor) => [
            addressOrText(neighbor.textOf("neighbor-address")),
            neighborOf(neighbor),
          ]),
        ),
      },
    ]),
  );

function neighborOf(neighbor: XmlElement): BgpNeighbor {
  const isUp = isEstablished(neighbor);
  const accepted = integerAt(neighbor, "af-data/prefixes-accepted", 0);
  return {
    local_as: integerAt(neighbor, "local-as", 0),
    remote_as: integerAt(neighbor, "remote-as", 0),
    remote_id: neighbor.textOf("router-id"),
    description: neighbor.textOf("description"),
    is_enabled: neighbor.textOf("is-administratively-shut-down") !== "true",
    is_up: isUp,
    uptime: isUp ? integerAt(neighbor, "connection-established-time", 0) : -1,
    address_family: {
      [neighbor.textOf("connection-remote-address/afi")]: {
        received_prefixes: accepted + integerAt(neighbor, "af-data/prefixes-denied", 0),
        accepted_prefixes: accepted,
        sent_prefixes: integerAt(neighbor, "af-data/prefixes-advertised", 0),
      },
    },
  };
}

export const get_bgp_neighbors_detail: Getter<NetconfDevice, "get_bgp_neighbors_detail"> = async (
  device,
  { neighbor_address },
) => {
  const requestedAddress = addressOrText(neighbor_address);
  const vrfs = await vrfsOf(device);
  return Object.fromEntries(
    vrfs.map((vrf) => {
      const details = vrf.neighbors
        .filter(
          (neighbor) =>
            requestedAddress === "" ||
            addressOrText(neighbor.textOf("neighbor-address")) === requestedAddress,
        )
        .map((neighbor) => detailOf(neighbor, vrf));
      return [vrf.key, grouped(details.map((detail) => [String(detail.remote_as), detail] as const))];
    }),
  );
};

/** Indexed by number; a state given as text counts as none. */
const states = ["Unknown", "Idle", "Connect", "OpenSent", "OpenConfirm", "Active", "Established"];

function stateOf(neighbor: XmlElement): string {
  const state = neighbor
    .textOf("connection-state")
    .replace("bgp-st-", "")
    .replace(/[a-z]+/gi, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  return state === "Estab" ? "Established" : state;
}

function detailOf(neighbor: XmlElement, { name, textOf }: Vrf): BgpNeighborDetail {
  const count = (path: string) => integerAt(neighbor, path, 0);
  const isTrue = (path: string) => neighbor.textOf(path) === "true";
  const side = (path: string) =>
    addressOrText(neighbor.textOf(`${path}/ipv4-address`) || neighbor.textOf(`${path}/ipv6-address`));
  const ofVrf = (leaf: string) => integer(textOf(leaf), 0);
  const accepted = count("af-data/prefixes-accepted");
  const denied = count("af-data/prefixes-denied");
  return {
    up: isEstablished(neighbor),
    local_as: count("local-as"),
    remote_as: count("remote-as"),
    router_id: addressOrText(neighbor.textOf("router-id")),
    local_address: side("connection-local-address"),
    routing_table: name,
    local_address_configured: isTrue("is-local-address-configured"),
    local_port: count("connection-local-port"),
    remote_address: side("connection-remote-address"),
    remote_port: count("connection-remote-port"),
    multihop: isTrue("is-external-neighbor-not-directly-connected"),
    multipath: isTrue("af-data/selective-multipath-eligible"),
    import_policy: neighbor.textOf("af-data/route-policy-in"),
    export_policy: neighbor.textOf("af-data/route-policy-out"),
    // Spelled like this in the model.
    input_messages: count("messges-received"),
    output_messages: count("messages-sent"),
    input_updates: 0,
    output_updates: 0,
    messages_queued_out: count("messages-queued-out"),
    connection_state: stateOf(neighbor),
    previous_connection_state: states[Number(textAt(neighbor, "previous-connection-state") ?? "0")] ?? "",
    last_event: "",
    remove_private_as: isTrue("af-data/remove-private-as-from-updates"),
    suppress_4byte_as: isTrue("suppress4-byte-as"),
    local_as_prepend: !isTrue("local-as-no-prepend"),
    holdtime: count("hold-time") || ofVrf("hold-time"),
    configured_holdtime: count("configured-hold-time"),
    keepalive: count("keep-alive-time") || ofVrf("keep-alive-time"),
    configured_keepalive: count("configured-keepalive"),
    active_prefix_count: count("af-data/number-of-bestpaths"),
    received_prefix_count: accepted + denied,
    accepted_prefix_count: accepted,
    suppressed_prefix_count: denied,
    advertised_prefix_count: count("af-data/prefixes-advertised"),
    flap_count: count("connection-down-count"),
  };
}
