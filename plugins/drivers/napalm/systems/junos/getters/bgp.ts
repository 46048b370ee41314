/** BGP sessions of Junos by routing instance. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText, asNumber } from "../../../common/addresses.ts";
import { has, integerAt, textAt } from "../../../common/elements.ts";
import { integer } from "../../../common/numbers.ts";
import { slot } from "../../../common/records.ts";
import type { ByName } from "../../../models.ts";
import type { BgpInstance, BgpNeighbor, BgpNeighborDetail } from "../../../models-bgp.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";
import { rowsByName, textOrName } from "../view.ts";

/** Leaves out internal instances. */
async function instancesOf(device: JunosDevice): Promise<readonly string[]> {
  const reply = await device.ask(xml("get-instance-information"));
  return reply
    .descendants("instance-core")
    .map((core) => core.textOf("instance-name"))
    .filter((name) => name !== "" && !name.startsWith("__"));
}

const shownInstance = (instance: string) => (instance === "master" ? "global" : instance);
const asOf = (element: XmlElement, path: string) => asNumber(element.textOf(path)) || 0;

export const get_bgp_neighbors: Getter<JunosDevice, "get_bgp_neighbors"> = async (device) => {
  const neighborsByInstance: Record<string, BgpInstance> = {};
  const instances = await instancesOf(device);
  await Promise.all(
    instances.map(async (instance) => {
      const within = xml("instance", {}, instance);
      const [neighbors, summary] = await Promise.all([
        device.ask(xml("get-bgp-neighbor-information", {}, within)),
        device.ask(xml("get-bgp-summary-information", {}, within)),
      ]);
      const peers = neighbors.descendants("bgp-peer");
      if (peers.length === 0) return;
      const uptimes = new Map(
        summary
          .descendants("bgp-peer")
          .map((peer) => [
            addressOrText(withoutPort(peer.textOf("peer-address"))),
            integer(peer.find("elapsed-time")?.attribute("seconds"), 0),
          ]),
      );
      neighborsByInstance[shownInstance(instance)] = {
        router_id: peers[0]?.textOf("local-id") ?? "",
        peers: Object.fromEntries(
          peers.map((peer) => {
            const address = addressOrText(withoutPort(peer.textOf("peer-address")));
            return [address, neighborOf(peer, instance, uptimes.get(address) ?? 0)];
          }),
        ),
      };
    }),
  );
  return neighborsByInstance;
};

const withoutPort = (address: string) => address.split("+")[0] ?? "";

function neighborOf(peer: XmlElement, instance: string, uptime: number): BgpNeighbor {
  const isUp = peer.textOf("peer-state") === "Established";
  return {
    local_as: asOf(peer, "local-as"),
    remote_as: asOf(peer, "peer-as"),
    remote_id: peer.textOf("peer-id"),
    is_up: isUp,
    is_enabled: has(peer, "peer-state"),
    description: peer.textOf("description"),
    uptime,
    address_family: prefixesOf(peer, instance, isUp),
  };
}

type Prefixes = BgpNeighbor["address_family"][string];

const familyNames: Readonly<Record<string, string>> = { inet: "ipv4", inet6: "ipv6", inetflow: "flow" };

function prefixesOf(peer: XmlElement, instance: string, isUp: boolean): ByName<Prefixes> {
  const none: Prefixes = { received_prefixes: -1, accepted_prefixes: -1, sent_prefixes: -1 };
  const families: Record<string, Prefixes> = { ipv4: none, ipv6: none };
  if (!isUp) return families;
  const ribs = peer.all("bgp-rib");
  // Only tables in sync report an advertised count; the counts are matched in table order.
  const sent = ribs.flatMap((rib) => integerAt(rib, "advertised-prefix-count", undefined) ?? []);
  for (const rib of ribs) {
    const isSent = ribs.length === 1 || rib.textOf("send-state").includes("in sync");
    const sentPrefixes = isSent ? (sent.shift() ?? 0) : 0;
    const family = familyOf(rib.textOf("name"), instance);
    if (family === undefined) continue;
    families[family] = {
      received_prefixes: integerAt(rib, "received-prefix-count", 0),
      accepted_prefixes: integerAt(rib, "accepted-prefix-count", 0),
      sent_prefixes: sentPrefixes,
    };
  }
  return families;
}

/** `inet.0` of the default instance, `RED.inet6.0` of another; undefined for other families. */
function familyOf(table: string, instance: string): string | undefined {
  const parts = table.split(".").slice(0, -1);
  const family = instance === "master" ? parts.join(".") : (parts.at(-1) ?? "");
  return familyNames[family];
}

export const get_bgp_neighbors_detail: Getter<JunosDevice, "get_bgp_neighbors_detail"> = async (
  device,
  { neighbor_address },
) => {
  const details: Record<string, Record<string, BgpNeighborDetail[]>> = {};
  const instances = await instancesOf(device);
  const neighborFilter = neighbor_address === "" ? [] : [xml("neighbor-address", {}, neighbor_address)];
  await Promise.all(
    instances.map(async (instance) => {
      const operation = xml(
        "get-bgp-neighbor-information",
        {},
        xml("instance", {}, instance),
        ...neighborFilter,
      );
      const name = shownInstance(instance);
      for (const peer of (await device.ask(operation)).descendants("bgp-peer")) {
        const detail = detailOf(peer, name);
        const ofInstance = slot(details, name, () => ({}));
        slot(ofInstance, String(detail.remote_as), () => []).push(detail);
      }
    }),
  );
  return details;
};

function detailOf(peer: XmlElement, routingTable: string): BgpNeighborDetail {
  const remoteAs = asOf(peer, "peer-as");
  const options = peer.textOf("bgp-option-information/bgp-options").split(/\s+/);
  const [localAddress = "", localPort] = (textOrName(peer, "local-address") ?? "").split("+");
  const [remoteAddress = "", remotePort] = peer.textOf("peer-address").split("+");
  const queued = rowsByName(peer.all("bgp-output-queue"), ["table-name"]).map(([, queue]) =>
    integerAt(queue, "count", 0),
  );
  const count = (path: string, otherwise: number) => integerAt(peer, path, otherwise);
  return {
    up: peer.textOf("peer-state") === "Established",
    local_as: asOf(peer, "local-as"),
    remote_as: remoteAs,
    router_id: peer.textOf("peer-id"),
    local_address: addressOrText(localAddress),
    routing_table: routingTable,
    local_address_configured: options.includes("AddressFamily"),
    local_port: integer(localPort, bgpPort),
    remote_address: addressOrText(remoteAddress),
    remote_port: integer(remotePort, bgpPort),
    multihop: options.includes("Multihop"),
    multipath: options.includes("Multipath"),
    remove_private_as: options.includes("RemovePrivateAS"),
    import_policy: peer.textOf("bgp-option-information/import-policy"),
    export_policy: peer.textOf("bgp-option-information/export-policy"),
    input_messages: count("input-messages", -1),
    output_messages: count("output-messages", -1),
    input_updates: count("input-updates", -1),
    output_updates: count("output-updates", -1),
    messages_queued_out: queued.reduce((sum, count) => sum + count, 0),
    connection_state: peer.textOf("peer-state"),
    previous_connection_state: peer.textOf("last-state"),
    last_event: peer.textOf("last-event"),
    suppress_4byte_as: count("peer-4byte-as-capability-advertised", 0) !== remoteAs,
    local_as_prepend: textAt(peer, "peer-addpath-not-supported") !== undefined,
    holdtime: count("active-holdtime", 0),
    configured_holdtime: count("bgp-option-information/holdtime", 0),
    keepalive: count("keepalive-interval", 0),
    configured_keepalive: count("keepalive-interval", 0),
    ...ribCounts(peer),
    flap_count: count("flap-count", 0),
  };
}

const bgpPort = 179;

/** Sums over all tables of the session; -1 if it has none. */
function ribCounts(peer: XmlElement) {
  const ribs = peer.all("bgp-rib");
  const sum = (path: string) =>
    ribs.length === 0 ? -1 : ribs.reduce((total, rib) => total + integerAt(rib, path, 0), 0);
  return {
    active_prefix_count: sum("active-prefix-count"),
    received_prefix_count: sum("received-prefix-count"),
    accepted_prefix_count: sum("accepted-prefix-count"),
    suppressed_prefix_count: sum("suppressed-prefix-count"),
    advertised_prefix_count: sum("advertised-prefix-count"),
  };
}
